"""The context explorer in a real browser."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.explorer.scene import whole

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def address(live_server: LiveServer) -> str:
    scene = whole().store()
    return f"{live_server.url}/conversations/{scene.conversation}/context/"


def test_brackets_step_through_the_requests(page: Page, address: str) -> None:
    page.goto(f"{address}?request=2")
    page.keyboard.press("[")
    expect(page.get_by_role("heading", level=1)).to_have_text("Request 1 of 3")
    page.keyboard.press("]")
    expect(page.get_by_role("heading", level=1)).to_have_text("Request 2 of 3")


def test_the_ribbon_is_one_tab_stop_in_which_arrows_move_and_enter_opens(page: Page, address: str) -> None:
    page.goto(address)
    ribbon = page.locator(".ribbon-wide")
    assert ribbon.locator("a[tabindex='0']").count() == 1
    ribbon.locator("a[tabindex='0']").focus()
    page.keyboard.press("End")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert ribbon.locator("a[tabindex='0']").count() == 1
    ribbon.locator("a:has(.f-files)").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#h-item")).to_contain_text("NOTES.md")


def test_a_column_of_the_strip_opens_its_request(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("svg.chart a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Request 1 of 3")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_stands_in_anyone_s_way(page: Page, address: str, width: int, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{address}?item=tool:mcp__tickets__close")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
