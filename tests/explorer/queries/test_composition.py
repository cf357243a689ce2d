from __future__ import annotations

import pytest
from pytest_django import Settings

from harness import tokens
from tests.explorer.scene import MODEL, Scene, whole

pytestmark = pytest.mark.django_db


def test_parts_and_residual_are_the_total_in_every_request() -> None:
    scene = whole().store()
    for ordinal in (1, 2, 3):
        account = scene.compose(ordinal).account
        assert account.parts.tokens + (account.residual or 0) == account.total


def test_where_the_whole_text_is_in_the_log_the_parts_are_what_was_counted() -> None:
    scene = whole()
    text = "".join(f"{item.text}\n" for event in scene.events for item in getattr(event, "items", []) if item.text)
    now = scene.store().compose(3)
    own = sum(each.count.tokens for each in now.account.categories if each.shape.content == "text")
    assert own == pytest.approx(tokens.measured(tokens.count(text), tokens.factor(MODEL, "text")).tokens, rel=0.02)


def test_a_schema_counts_once_whatever_number_of_records_tell_of_it() -> None:
    scene = Scene().resident("Read").resident("Read").record("Read").resident("Read").ask(1_000).store()
    category = scene.compose().account.category("builtin_tool")
    assert category is not None
    assert category.number == 1


def test_a_deferred_schema_counts_only_as_its_line_in_the_index() -> None:
    now = Scene().deferred("Fetch").record("Fetch").ask(1_000).store().compose()
    assert [each.shape.kind for each in now.account.categories] == ["index"]
    assert now.tools["Fetch"].held_back == now.tools["Fetch"].schema.tokens - now.tools["Fetch"].index.tokens  # type: ignore[union-attr]


def test_a_loaded_schema_counts() -> None:
    now = Scene().deferred("Fetch").record("Fetch").search("fetch", "Fetch").ask(1_000).store().compose()
    loaded = now.account.category("loaded_tool")
    assert loaded is not None
    assert loaded.count == now.tools["Fetch"].schema


def test_a_definition_in_the_context_is_not_counted_beside_the_surface() -> None:
    scene = Scene().deferred("Fetch").record("Fetch").search("fetch", "Fetch")
    now = scene.append("tool_definition", "{}", label="Fetch").ask(1_000).store().compose()
    loaded = now.account.category("loaded_tool")
    assert loaded is not None
    assert loaded.number == 1


def test_resident_tools_of_a_server_are_a_category_of_their_own() -> None:
    now = Scene().resident("Read", "mcp__docs__read", "mcp__docs__list").ask(1_000).store().compose()
    mcp = now.account.category("mcp_tool")
    assert mcp is not None
    assert [(row.label, row.number) for row in mcp.rows] == [("docs", 2)]


def test_thirty_deferred_names_and_a_record_of_their_schemas_beside_fifteen_resident_tools() -> None:
    names = [f"mcp__tickets__{number}" for number in range(30)]
    scene = Scene().append("user", "Hello").deferred(*names).record(*names, words=200).ask(11_003)
    scene.system("You are careful. " * 300).resident(*(f"Tool{number}" for number in range(15)))
    now = scene.store().compose()
    assert [each.shape.kind for each in now.account.categories] == ["builtin_tool", "system", "index", "user"]
    assert [each.number for each in now.account.categories] == [15, 1, 30, 1]
    assert now.account.excess is None
    assert now.account.parts.tokens + (now.account.residual or 0) == 11_003
    held = [now.tools[name].held_back or 0 for name in names]
    assert sum(held) > 11_003
    assert not now.of("loaded")


@pytest.mark.parametrize("policy", ["preview", "none"])
def test_a_text_that_was_not_kept_is_estimated_from_its_characters(settings: Settings, policy: str) -> None:
    settings.STORE_TEXT = policy
    now = Scene().append("user", "word " * 400).resident("Read").ask(1_000).store().compose()
    assert [each.count.provenance for each in now.account.categories] == ["estimated", "estimated"]
    user = now.account.category("user")
    assert user is not None
    assert user.count.low <= 400 * 1.57 <= user.count.high


def test_a_request_without_a_total_has_no_residual() -> None:
    account = Scene().append("user", "Hello").ask(0).store().compose().account
    assert (account.total, account.residual) == (None, None)


def test_the_parts_drawn_are_the_parts_counted() -> None:
    now = whole().store().compose()
    assert sum(part.tokens for part in now.parts) == pytest.approx(now.account.parts.tokens, abs=len(now.parts))
