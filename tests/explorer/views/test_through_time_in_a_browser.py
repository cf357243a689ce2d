"""Stepping and comparing in a real browser."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.explorer.scene import whole

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def address(live_server: LiveServer) -> str:
    scene = whole().rewrite("So far.", kind="compaction")
    for number in range(4):
        scene.append("user", f"Go on, {number}.").ask(4_000)
    return f"{live_server.url}/conversations/{scene.store().conversation}/context/"


def at_request(page: Page, number: int) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Request {number} of 7")
    expect(page).to_have_url(re.compile(rf"[?&]request={number}\b"))


def test_arrows_and_ends_move_the_slider_which_keeps_its_focus(page: Page, address: str) -> None:
    page.goto(f"{address}?request=4")
    page.get_by_label("Request", exact=True).focus()
    page.keyboard.press("ArrowRight")
    at_request(page, 5)
    expect(page.get_by_label("Request", exact=True)).to_be_focused()
    page.keyboard.press("Home")
    at_request(page, 1)
    page.keyboard.press("End")
    at_request(page, 7)


def test_the_slider_tells_its_number_while_it_moves(page: Page, address: str) -> None:
    page.goto(f"{address}?request=4")
    box = page.locator("#step").bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, middle, steps=4)
    expect(page.locator("#step-number")).to_have_text("7")
    expect(page.get_by_role("heading", level=1)).to_have_text("Request 4 of 7")
    page.mouse.up()
    at_request(page, 7)


def test_keys_in_a_row_make_as_many_steps(page: Page, address: str) -> None:
    page.goto(f"{address}?request=1")
    for _ in range(4):
        page.keyboard.press("]")
    at_request(page, 5)
    page.keyboard.press("[")
    at_request(page, 4)


def test_a_step_leaves_the_page_where_it_is_scrolled(page: Page, address: str) -> None:
    page.goto(f"{address}?request=5")
    page.evaluate("window.scrollTo(0, 300)")
    page.keyboard.press("]")
    at_request(page, 6)
    assert page.evaluate("window.scrollY") == 300


def test_going_back_leads_to_the_request_before(page: Page, address: str) -> None:
    page.goto(f"{address}?request=5")
    page.keyboard.press("]")
    at_request(page, 6)
    page.go_back()
    at_request(page, 5)


def test_the_strip_is_still_walked_after_a_step(page: Page, address: str) -> None:
    page.goto(f"{address}?request=5")
    page.locator("svg.chart a").first.click()
    at_request(page, 1)
    page.locator("svg.chart a[tabindex='0']").focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    at_request(page, 7)


def test_a_comparison_is_opened_and_changed(page: Page, address: str) -> None:
    page.goto(f"{address}?request=6")
    page.get_by_role("link", name="Compare", exact=True).click()
    expect(page.locator("#h-compare")).to_have_text("Request 6 compared with request 5")
    page.get_by_label("Compare with request").fill("3")
    page.keyboard.press("Enter")
    expect(page.locator("#h-compare")).to_have_text("Request 6 compared with request 3")


def test_a_comparison_with_the_one_before_moves_along(page: Page, address: str) -> None:
    page.goto(f"{address}?request=6&against=before")
    page.keyboard.press("]")
    at_request(page, 7)
    expect(page.locator("#h-compare")).to_have_text("Request 7 compared with request 6")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_stands_in_anyone_s_way(page: Page, address: str, width: int, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{address}?request=5&against=3")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
