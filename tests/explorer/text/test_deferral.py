from __future__ import annotations

import pytest

from explorer.text import Paper
from explorer.text.deferral import deferred, sentences
from observability.figures import money, number
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db


def table(scene: Scene, width: int = 100) -> list[str]:
    page = scene.store().page()
    assert page.tools and page.holding
    return deferred(page.tools, page.holding, Paper(width=width))


def row(lines: list[str], name: str) -> list[str]:
    return next(line.split() for line in lines if line.strip().startswith(name))


def test_a_tool_held_back_has_what_it_would_add_here_and_over_the_run() -> None:
    page = whole().store().page()
    assert page.holding
    close = page.holding.back.tools["mcp__tickets__close"]
    here = page.now.tools["mcp__tickets__close"].held_back
    assert row(table(whole()), "close")[5:8] == [number(here), number(close.tokens), money(close.pusd)]


def test_a_loaded_tool_is_not_held_back_and_was_until_it_was_loaded() -> None:
    assert row(table(whole()), "assign")[5:7] == ["loaded", "733"]


def test_a_schema_in_no_log_is_a_dash_and_never_a_zero() -> None:
    assert row(table(whole()), "WebFetch")[3:7] == ["–"] * 4


@pytest.mark.parametrize(("width", "said"), [(80, False), (100, True)])
def test_where_a_schema_is_from_is_said_where_there_is_room(width: int, said: bool) -> None:
    assert ("from this log" in " ".join(row(table(whole(), width), "close"))) is said


def test_columns_of_sizes_are_left_out_where_no_schema_is_known() -> None:
    lines = table(Scene().deferred("WebFetch", "mcp__tickets__close").ask(900))
    assert "Held back" not in lines[0]
    assert row(lines, "WebFetch")[-4:] == ["not", "in", "any", "log"]


def test_the_saving_of_the_run_its_cost_and_the_net_are_told() -> None:
    page = whole().store().page()
    assert page.tools and page.holding and page.holding.total
    said = sentences(page.tools, page.holding)
    assert f"Over 3 requests it saved {number(page.holding.total.tokens)} tokens" in said
    assert f"net {page.holding.net} ◐." in said


def test_a_saving_that_cannot_be_known_is_no_zero() -> None:
    page = Scene().deferred("WebFetch").ask(900).store().page()
    assert page.tools
    assert sentences(page.tools, page.holding) == "what it saves is not known, 1 schema is in no log."


def test_a_run_that_defers_nothing_says_so() -> None:
    page = Scene().resident("Read").ask(900).store().page()
    assert page.tools
    assert sentences(page.tools, page.holding) == "nothing is deferred in this request."
