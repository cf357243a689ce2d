"""What only a browser shows: scripts, keys, widths and the theme."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.factories import AT, a_break, a_conversation, a_project, a_rollup, a_search

pytestmark = pytest.mark.django_db(transaction=True)
LINE = "() => getComputedStyle(document.querySelector('.plot path.js-line')).stroke"


@pytest.fixture
def site(live_server: LiveServer) -> str:
    for number in range(3):
        conversation = a_conversation(uid=f"talk-{number}", title=f"Talk {number}", cost_pusd=(number + 1) * 10**12)
        a_search(conversation=conversation)
        a_rollup(at=AT.replace(day=10 + number), read=900_000 - number * 200_000)
    a_break(conversation=a_conversation(title="Broken", breaks=1, rebuilt=18_000, project=a_project(key="/x" * 60)))
    return str(live_server.url)


def test_the_chart_is_drawn_in_the_colours_of_the_theme(page: Page, site: str) -> None:
    page.goto(site)
    expect(page.locator(".plot .main-svg").first).to_be_visible()
    light = page.evaluate(LINE)
    page.keyboard.press("t")
    page.keyboard.press("t")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.wait_for_function(f"light => ({LINE})() !== light", arg=light)


def test_a_formula_opens_by_key_and_closes_with_escape(page: Page, site: str) -> None:
    page.goto(site)
    page.keyboard.press("x")
    expect(page.get_by_text("read ÷ prompt tokens")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("read ÷ prompt tokens")).to_be_hidden()


def test_find_leads_to_the_conversations_that_match(page: Page, site: str) -> None:
    page.goto(site)
    page.keyboard.press("/")
    page.keyboard.type("Talk 2")
    page.keyboard.press("Enter")
    expect(page.locator("[data-rows] tbody tr")).to_have_count(1)
    assert page.url.endswith("/conversations/?q=Talk+2")


def test_a_filter_and_an_order_change_the_url_and_go_back(page: Page, site: str) -> None:
    page.goto(f"{site}/conversations/")
    page.get_by_label("With").select_option("break")
    expect(page.locator("[data-rows] tbody tr")).to_have_count(1)
    assert page.url.endswith("?with=break")
    page.get_by_role("link", name="Cost").click()
    expect(page.locator("[aria-sort]")).to_have_text("Cost ↓")
    page.go_back()
    expect(page.locator("[aria-sort]")).to_have_text("Started ↓")
    assert page.url.endswith("?with=break")


def test_j_and_k_walk_the_rows(page: Page, site: str) -> None:
    page.goto(f"{site}/conversations/?sort=title")
    for key in "jjjk":
        page.keyboard.press(key)
    expect(page.locator("[data-rows] tbody tr").nth(1).locator("a.main")).to_be_focused()


def test_the_list_of_keys_opens_and_closes(page: Page, site: str) -> None:
    page.goto(f"{site}/sources/")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()


@pytest.mark.parametrize("width", [360, 390, 800, 1440])
@pytest.mark.parametrize("path", ["/", "/conversations/", "/cache/", "/sources/"])
def test_no_page_scrolls_sideways(page: Page, site: str, path: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(site + path)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_pages_work_without_scripts(page: Page, site: str) -> None:
    assert page.context.browser is not None
    context = page.context.browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(f"{site}/conversations/?with=break")
    plain.get_by_role("link", name="Cost").click()
    expect(plain.locator("[aria-sort]")).to_have_text("Cost ↓")
    plain.get_by_role("link", name="Keys").click()
    expect(plain.get_by_role("heading", name="Keys")).to_be_visible()
    context.close()
