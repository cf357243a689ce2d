"""The cache page walked by mouse and by keyboard."""

from __future__ import annotations

from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.factories import AT, a_break, a_conversation, a_rollup

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def site(live_server: LiveServer) -> str:
    for number, model in enumerate(("claude-opus-5-5", "claude-haiku-5-5")):
        a_rollup(at=AT.replace(day=10 + number), model=model, read=900_000 - number * 200_000, hits=8)
        a_rollup(at=AT.replace(day=12), model=model)
        talk = a_conversation(uid=f"talk-{number}", title=f"Talk {number}", breaks=1, rebuilt=18_000)
        a_break(conversation=talk, break_subject="Agent", break_detail="The definition of Agent changed.")
        a_break(conversation=talk, reason="lifetime", break_confidence="certain")
    return str(live_server.url)


def test_a_reason_leads_to_its_worst_breaks_and_these_to_a_conversation(page: Page, site: str) -> None:
    page.goto(f"{site}/cache/?window=all")
    expect(page.get_by_text("2 conversations, one finding")).to_be_visible()
    page.get_by_role("link", name="Lifetime passed").click()
    expect(page.locator("#worst tbody tr")).to_have_count(2)
    page.locator("#worst").get_by_role("link", name="Talk 1").click()
    expect(page.get_by_role("heading", name="Talk 1")).to_be_visible()


def test_what_is_compared_can_be_changed(page: Page, site: str) -> None:
    page.goto(f"{site}/cache/?window=all")
    page.get_by_role("link", name="Agent", exact=True).click()
    expect(page.get_by_role("heading", name="By agent")).to_be_visible()
    assert "by=agent" in page.url


def test_the_page_is_reached_and_its_formulas_open_by_key(page: Page, site: str) -> None:
    page.goto(site)
    page.keyboard.press("g")
    page.keyboard.press("k")
    expect(page.get_by_role("heading", name="Cache", exact=True)).to_be_visible()
    page.keyboard.press("x")
    expect(page.get_by_text("read ÷ prompt tokens")).to_be_visible()


def test_the_chart_has_a_line_for_all_and_for_each_model(page: Page, site: str) -> None:
    page.goto(f"{site}/cache/?window=all")
    expect(page.locator(".plot .scatterlayer .trace")).to_have_count(3)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(page: Page, site: str, theme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=theme)
    page.goto(f"{site}/cache/?window=all&reason=lifetime")
    expect(page.locator(".plot .main-svg").first).to_be_visible()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
