from __future__ import annotations

import re

import pytest
from django.test import Client

from tests.factories import (
    a_break,
    a_conversation,
    a_file,
    a_quarantined_line,
    a_rollup,
    a_search,
    an_unknown_record,
)

pytestmark = pytest.mark.django_db
PAGES = ["/", "/conversations/", "/tools/", "/sources/", "/conversations/?q=nothing-at-all"]
INLINE = re.compile(r"<style|\sstyle\s*=|\son[a-z]+\s*=\s*[\"']|javascript:", re.IGNORECASE)
SCRIPT = re.compile(r"<script(?P<attributes>[^>]*)>(?P<body>.*?)</script>", re.DOTALL)


@pytest.fixture(params=["empty", "filled"])
def store(request: pytest.FixtureRequest) -> None:
    if request.param == "filled":
        a_break(conversation=a_conversation(breaks=1, rebuilt=9))
        a_search(conversation=a_conversation())
        a_rollup()
        a_quarantined_line(file=a_file())
        an_unknown_record(file=a_file())


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("url", PAGES)
def test_no_page_needs_an_inline_script_style_or_handler(client: Client, url: str) -> None:
    text = client.get(url).content.decode()
    assert not INLINE.search(text)
    for script in SCRIPT.finditer(text):
        assert not script["body"].strip() or 'type="application/json"' in script["attributes"]


@pytest.mark.parametrize("url", PAGES)
def test_every_page_comes_with_a_policy_without_exceptions(client: Client, url: str) -> None:
    policy = client.get(url).headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("url", PAGES)
def test_a_page_has_each_id_once(client: Client, url: str) -> None:
    a_conversation()
    a_rollup()
    ids = re.findall(r'\sid="([^"]+)"', client.get(url).content.decode())
    assert sorted(ids) == sorted(set(ids))


def test_the_navigation_shows_pages_that_exist(client: Client) -> None:
    text = client.get("/conversations/").content.decode()
    nav = re.findall(r'<a href="([^"]+)"( aria-current="page")?>([^<]+)</a>', text.split("</nav>")[0])
    assert [title for _, _, title in nav] == ["Overview", "Conversations", "Cache", "Tools", "Sources"]
    assert [title for _, current, title in nav if current] == ["Conversations"]
    assert {client.get(url).status_code for url, _, _ in nav} == {200}


def test_the_footer_tells_version_and_last_event(client: Client) -> None:
    a_conversation()
    assert "Last event 20 May 2026, 10:30 UTC" in client.get("/sources/").content.decode()


def test_an_event_in_the_future_is_not_the_last_one(client: Client) -> None:
    known = a_conversation()
    a_conversation(last_at=known.last_at.replace(year=2901))
    assert "Last event 20 May 2026" in client.get("/sources/").content.decode()
