"""The tools page in a real browser."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.tool_logs import ToolLog, tool

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def address(live_server: LiveServer) -> str:
    for uid in "abc":
        log = ToolLog(uid).surface(tool("saw", server="shed"), tool("rake"), tool("a_very_long_name_" * 5, "deferred"))
        log.requests(1).search("cut", "a_very_long_name_" * 5).requests(1).call("rake").store()
    return f"{live_server.url}/tools/"


def test_it_is_reached_by_two_keys(page: Page, address: str) -> None:
    page.goto(address.replace("/tools/", "/conversations/"))
    page.keyboard.press("g")
    page.keyboard.press("l")
    expect(page.get_by_role("heading", level=1)).to_have_text("Tools")


def test_a_filter_and_an_order_stand_in_the_address(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("Server", exact=True).select_option("shed")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("[data-rows] tbody tr")).to_have_count(1)
    page.get_by_role("link", name="Called", exact=True).click()
    expect(page.locator("th[aria-sort=descending]")).to_contain_text("Called")
    assert page.url.endswith("?server=shed&sort=-calls")


def test_rows_are_walked_and_opened_by_key(page: Page, address: str) -> None:
    page.goto(f"{address}?sort=name")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("rake")


def test_the_formula_of_the_headline_opens(page: Page, address: str) -> None:
    page.goto(address)
    page.keyboard.press("x")
    expect(page.locator("details.fx[open]")).to_contain_text("resident schemas, all requests")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("path", ["", "saw/", "?q=nothing"])
def test_nothing_stands_in_anyone_s_way(page: Page, address: str, path: str, width: int, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{address}{path}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
