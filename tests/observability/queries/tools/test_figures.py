"""The figures of a tool, on logs small enough to count by hand."""

from __future__ import annotations

from decimal import Decimal

import pytest

from harness import tokens
from harness.accounting import Piece, count_of
from observability.identity import canonical_json
from observability.queries.scope import scope_of
from observability.queries.tools.figures import ToolFigures, figures_of
from observability.queries.tools.uses import Wanted
from tests.tool_logs import MODEL, ToolLog, definition, tool

pytestmark = pytest.mark.django_db
READ_PRICE = 500_000
"""Picodollars for a token that this model reads from the cache."""


def rows(*, agent: str = "", window: str = "all") -> dict[str, ToolFigures]:
    found = figures_of(Wanted(scope_of(window=window, project=""), agent))
    return {row.tool: row for row in found}


def size_of(name: str, *, model: str = MODEL) -> int:
    counted = tokens.count(canonical_json(definition(name)))
    return count_of(Piece(kind="mcp_tool", o200k=counted), model).tokens


def test_a_resident_tool_takes_its_schema_in_every_request() -> None:
    ToolLog("c").surface(tool("saw")).requests(3).store()
    row = rows()["saw"]
    assert (row.resident.requests, row.resident.runs, row.schema) == (3, 1, size_of("saw"))
    assert row.tokens == 3 * size_of("saw")


def test_it_costs_what_each_request_paid_for_the_start_of_its_prompt() -> None:
    ToolLog("c").surface(tool("saw")).requests(2).store()
    assert rows()["saw"].pusd == 2 * size_of("saw") * READ_PRICE


def test_without_a_price_it_is_unpriced_and_not_free() -> None:
    ToolLog("c").surface(tool("saw")).requests(2, model="acme-coder-2").store()
    row = rows()["saw"]
    assert (row.pusd, row.resident.cost, row.unpriced) == (None, None, 2)


def test_each_model_counts_by_its_own_tokenizer() -> None:
    ToolLog("c").surface(tool("saw")).requests(1).requests(1, model="gpt-5").store()
    assert rows()["saw"].tokens == size_of("saw") + size_of("saw", model="gpt-5")


def test_a_deferred_tool_takes_its_line_and_once_loaded_its_schema_too() -> None:
    log = ToolLog("c").surface(tool("saw", "deferred")).requests(1)
    log.search("cut", "saw").requests(2).store()
    row, line = rows()["saw"], tokens.measured(tokens.count("saw"), tokens.factor(MODEL, "text")).tokens
    assert (row.deferred.requests, row.loaded.requests, row.loads) == (3, 2, {"search": 1})
    assert row.tokens == 3 * line + 2 * size_of("saw")
    assert row.extra == 3 * size_of("saw") - row.tokens


def test_a_tool_whose_schema_no_log_has_is_unknown_and_takes_nothing() -> None:
    ToolLog("c").surface(tool("saw", known=False)).requests(1).store()
    row = rows()["saw"]
    assert (row.schema, row.provenance, row.tokens, row.extra) == (None, "unknown", 0, None)


def test_a_definition_of_another_log_stands_in() -> None:
    ToolLog("a").surface(tool("saw")).store()
    ToolLog("b", project="elsewhere").surface(tool("saw", "deferred", known=False)).requests(1).store()
    assert rows()["saw"].schema == size_of("saw")


def test_calls_are_counted_with_their_failures_and_runs() -> None:
    ToolLog("a").call("saw").call("saw", ok=False).store()
    ToolLog("b").call("saw").store()
    called = rows()["saw"].called
    assert (called.calls, called.failed, called.runs) == (3, 1, 2)


def test_a_resident_tool_that_was_never_called_is_unused() -> None:
    ToolLog("c").surface(tool("saw"), tool("rake")).requests(1).call("rake").store()
    assert {name: row.unused for name, row in rows().items()} == {"saw": True, "rake": False}


def test_a_tool_that_most_runs_load_should_be_resident() -> None:
    for uid in "abcde":
        log = ToolLog(uid).surface(tool("saw", "deferred"), tool("rake", "deferred")).requests(1)
        (log.search("cut", "saw") if uid != "e" else log).requests(1).store()
    row = rows()["saw"]
    assert (row.deferred.runs, row.loaded.runs, row.loaded_share, row.often) == (5, 4, Decimal("0.8"), True)
    assert not rows()["rake"].often


def test_of_two_runs_no_rule_is_made() -> None:
    for uid in "ab":
        ToolLog(uid).surface(tool("saw", "deferred")).requests(1).search("cut", "saw").requests(1).store()
    assert not rows()["saw"].often


def test_a_run_whose_tools_changed_is_one_run() -> None:
    ToolLog("c").surface(tool("saw")).requests(1).surface(tool("rake")).requests(1).store()
    assert rows()["saw"].resident.runs == 1


def test_a_search_for_a_name_that_gave_nothing_misses_it() -> None:
    ToolLog("c").surface(tool("saw", "deferred")).requests(1).search("select:saw", form="select").store()
    assert rows()["saw"].missed == 1


def test_a_search_that_found_nothing_missed_what_was_loaded_next() -> None:
    log = ToolLog("c").surface(tool("saw", "deferred"), tool("rake", "deferred")).requests(1)
    log.search("cut").search("saw a tree", "saw").search("leaves", "rake").store()
    assert {name: row.missed for name, row in rows().items()} == {"saw": 1, "rake": 0}


def test_only_the_agent_that_was_asked_for_counts() -> None:
    ToolLog("a", agent="acme").surface(tool("saw")).requests(1).call("saw").store()
    ToolLog("b", agent="other").surface(tool("saw")).requests(1).call("saw").store()
    row = rows(agent="acme")["saw"]
    assert (row.resident.requests, row.called.calls) == (1, 1)


def test_each_request_counts_for_the_tools_of_the_list_in_force() -> None:
    log = ToolLog("c")
    for names in (("saw",), ("saw", "rake"), ("rake",), ("saw", "rake", "hoe")):
        log.surface(*(tool(name) for name in names), complete=True).requests(len(names))
    log.store()
    assert {name: row.resident.requests for name, row in rows().items()} == {"saw": 6, "rake": 6, "hoe": 3}
