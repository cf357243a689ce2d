"""What only a browser shows: the chart, its links, its table, and that the page stays within its width."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.factories import AT, a_break, a_conversation, a_request, a_run, a_search, an_activation

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def address(live_server: LiveServer) -> str:
    one = a_conversation(uid="orchard", title="Prune " * 30)
    a_run(conversation=one, started_at=AT)
    for ordinal in range(1, 61):
        a_request(conversation=one, seq=ordinal * 10, ordinal=ordinal, cold=ordinal == 1, uncached=5)
    a_break(conversation=one, seq=305, ordinal=61)
    a_search(conversation=one, seq=15, query="x" * 300)
    an_activation(conversation=one, seq=25, tool="mcp__" + "y" * 200)
    return f"{live_server.url}/conversations/orchard/"


def test_the_chart_replaces_the_drawing_and_keeps_its_patterns(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator(".plot .main-svg").first).to_be_visible()
    expect(page.locator("#requests-drawing")).to_be_hidden()
    fills = page.locator(".plot .bars path").evaluate_all("paths => paths.map(path => path.style.fill)")
    assert sum("url(" in fill for fill in fills) > 60


def test_a_click_on_a_request_opens_what_it_was_made_of(page: Page, address: str) -> None:
    page.goto(address)
    place = page.locator(".plot .nsewdrag").first.bounding_box()
    assert place
    page.mouse.move(place["x"] + place["width"] * 0.5, place["y"] + place["height"] * 0.8)
    page.wait_for_timeout(200)
    page.mouse.down()
    page.mouse.up()
    page.wait_for_url(re.compile(r"/conversations/orchard/context/\?run=orchard&request=3[01]"))


def test_the_table_is_sorted_and_turned_page_by_page(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("link", name="Next →").click()
    expect(page.get_by_text("page 2 of 2")).to_be_visible()
    page.get_by_role("link", name="Rate").click()
    expect(page.locator("#requests [aria-sort]")).to_have_text("Rate ↓")


def test_without_scripts_the_drawing_stands_and_links(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    expect(page.locator("#requests-drawing")).to_be_visible()
    expect(page.locator("#requests-drawing a")).to_have_count(61)
    context.close()


@pytest.mark.parametrize("width", [360, 390, 1440])
def test_the_page_never_scrolls_sideways(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
