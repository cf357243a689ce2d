"""The headline of a conversation and what was found in it, in a real browser."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.explorer.scene import Scene

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def address(live_server: LiveServer) -> str:
    scene = Scene().system("Careful. " * 50).resident("Read", "Grep", "Bash", *(f"Tool{n}" for n in range(16)))
    scene.deferred("mcp__tickets__assign", "WebFetch").append("user", "Go on")
    for number in range(6):
        scene.ask(5_000 + 1_500 * number, read=4_000).call("Read", "{}", "a line of text\n" * 300)
        scene.call("Bash", '{"command":"grep -rn total src"}', "src/a.py:1: total = 0\n" * 60)
    scene.store()
    return f"{live_server.url}/conversations/{scene.conversation}/context/"


def test_the_line_at_the_top_leads_to_what_was_found(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("link", name="found here").click()
    expect(page.locator("#h-traps")).to_be_in_viewport()


def test_a_figure_opens_its_formula_and_a_finding_the_place(page: Page, address: str) -> None:
    page.goto(address)
    found = page.locator("section", has=page.locator("#h-traps"))
    found.locator("summary").first.click()
    expect(found.locator(".fx-body").first).to_be_visible()
    found.locator("summary").first.click()
    found.get_by_role("link", name="The shell does the work of Grep").click()
    expect(page.locator("#h-item")).to_contain_text("Bash")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_stands_in_anyone_s_way(page: Page, address: str, width: int, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(address)
    for details in page.locator(
        "section[aria-labelledby='h-talk'] details, section[aria-labelledby='h-traps'] details"
    ).all():
        details.evaluate("each => each.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
