"""Reading and searching what was sent, in a real browser."""

from __future__ import annotations

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def address(live_server: LiveServer) -> str:
    scene = whole().store()
    return f"{live_server.url}/conversations/{scene.conversation}/context/"


def test_a_search_goes_by_keyboard_from_the_slash_to_the_text(page: Page, address: str) -> None:
    page.goto(f"{address}?request=2")
    page.keyboard.press("/")
    page.keyboard.type("ticket 7")
    page.keyboard.press("Enter")
    expect(page.locator("mark").first).to_have_text("ticket 7")
    page.locator("section:has(#h-found) a.main").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#h-item")).to_contain_text("User")
    expect(page.get_by_role("heading", level=1)).to_have_text("Request 2 of 3")


def test_the_button_puts_the_request_on_the_clipboard_as_json(page: Page, address: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{address}?request=2")
    button = page.locator(".head-end [data-copies]")
    button.click()
    expect(button).to_have_text("Copied")
    found = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert (found["request"]["ordinal"], found["prompt"]["total"]) == (2, 10_700)


def test_where_the_clipboard_is_refused_the_button_opens_the_json(page: Page, address: str) -> None:
    page.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))")
    page.goto(address)
    page.locator(".head-end [data-copies]").click()
    page.wait_for_url("**/context.json?*")


def test_a_row_of_the_parts_opens_its_pieces_and_a_piece_its_text(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#part-tool_result a").click()
    page.locator("section:has(#h-list) tbody a.main").first.click()
    expect(page.locator("#h-item")).to_contain_text("ToolSearch")
    page.get_by_role("link", name="the call of ToolSearch").click()
    expect(page.locator("section:has(#h-item) pre")).to_contain_text('"query": "assign a ticket"')


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("asked", ["q=ticket&within=conversation", "kind=tool_result", "item=tool:Read"])
def test_nothing_stands_in_anyone_s_way(
    page: Page, live_server: LiveServer, asked: str, width: int, scheme: str
) -> None:
    scene = whole()
    scene.resident("Read", words=3).ask(11_000).resident("Read", words=60).ask(11_200).store()
    Scene(run="below", kind="sub_agent").append("user", "Find the ticket").ask(50).store()
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{live_server.url}/conversations/{scene.conversation}/context/?{asked}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
