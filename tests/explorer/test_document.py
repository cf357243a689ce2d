from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from explorer.document import document
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db


def read(scene: Scene) -> dict[str, Any]:
    """The document as a program reads it."""
    found: dict[str, Any] = json.loads(json.dumps(document(scene.store().page())))
    return found


def test_its_categories_and_the_residual_sum_to_the_total() -> None:
    found = read(whole())
    summed = sum(each["tokens"] for each in found["categories"])
    assert summed == found["parts"]["tokens"]
    assert summed + found["residual"] == found["prompt"]["total"] == 10_800


def test_rows_sum_to_their_category() -> None:
    for category in read(whole())["categories"]:
        assert sum(row["tokens"] for row in category["rows"]) == category["tokens"]


def test_the_buckets_are_disjoint_and_the_rate_is_of_their_sum() -> None:
    prompt = read(whole())["prompt"]
    sizes = [prompt[name] for name in ("read", "write_5m", "write_1h", "write_other", "uncached")]
    assert sum(sizes) == prompt["billed"] == 10_800
    assert Decimal(prompt["cache_rate"]) == round(Decimal(10_700) / 10_800, 6)


def test_a_tool_has_its_state_and_its_sizes() -> None:
    tools = {each["name"]: each for each in read(whole())["tools"]}
    close = tools["mcp__tickets__close"]
    assert (close["state"], close["server"]) == ("deferred", "tickets")
    assert close["held_back"] == close["schema"]["tokens"] - close["index"]["tokens"] > 0
    assert tools["mcp__tickets__assign"]["loading"]["query"] == "assign a ticket"


def test_a_schema_that_no_log_holds_is_null_and_not_zero() -> None:
    tool = next(each for each in read(whole())["tools"] if each["name"] == "WebFetch")
    assert tool["schema"] is tool["held_back"] is tool["definition"] is None


def test_money_is_exact() -> None:
    page = whole().store().page()
    assert page.request.cost_pusd is not None
    assert Decimal(document(page)["cost"]["usd"]) * 10**12 == page.request.cost_pusd


def test_an_unknown_price_is_null() -> None:
    assert read(Scene(model="someone-s-model").ask(900))["cost"] == {"usd": None, "prompt_usd": None}


def test_a_request_without_a_total_has_neither_residual_nor_rate() -> None:
    found = read(Scene().append("user", "Hello").ask(0))
    assert found["prompt"]["total"] is found["residual"] is found["prompt"]["cache_rate"] is None


def test_what_is_new_since_the_request_before_is_told() -> None:
    since = read(whole())["since"]
    assert since["reported"] == 100
    assert since["tokens"] + since["unexplained"] == 100
    assert [each["kind"] for each in since["added"]] == ["tool_call", "tool_result"]


def test_a_schema_that_was_loaded_is_added() -> None:
    since = read(Scene().deferred("Fetch").record("Fetch").ask(100).search("fetch", "Fetch").ask(400))["since"]
    assert [each["kind"] for each in since["added"]] == ["loaded_tool"]


def test_a_text_that_took_the_place_of_another_is_replaced() -> None:
    since = read(Scene().system("Old").ask(100).system("New").ask(110))["since"]
    assert [each["kind"] for each in since["replaced"]] == ["system"]
    assert since["added"] == since["removed"] == []


def test_what_a_rewrite_took_away_is_removed() -> None:
    since = read(Scene().append("user", "Hello").ask(900).rewrite("So far.").ask(100))["since"]
    assert since["rewritten"]
    assert [each["kind"] for each in since["removed"]] == ["user"]
    assert since["tokens"] + since["unexplained"] == since["reported"] == -800


def test_the_first_request_has_nothing_before_it() -> None:
    assert read(Scene().ask(900))["since"] is None


def test_it_says_how_far_the_prompt_is_the_same_and_what_lies_between_the_markers() -> None:
    scene = Scene().append("user", "Hello").ask(900).append("user", "More")
    found = read(scene.ask(1_000, read=900, markers=scene.markers("end of the previous turn", "end of this turn")))
    assert found["same"]["tokens"] == 900
    assert [(each["from"], each["to"], each["read"], each["written"]) for each in found["between_markers"]] == [
        (None, 1, 900, 0),
        (1, 2, 0, 100),
    ]


def test_its_epochs_cover_the_requests_of_the_run() -> None:
    found = read(Scene().append("user", "Hello").ask(900).rewrite("In short.").ask(400))
    assert [(each["first"], each["last"]) for each in found["epochs"]] == [(1, 1), (2, 2)]
    assert found["epochs"][0]["ended"]["won"] == 500


def test_markers_that_no_log_names_are_told_apart_from_recorded_ones() -> None:
    found = read(Scene().append("user", "Hello").ask(900))
    assert found["markers"] == found["between_markers"] == []
    assert [(each["at"], each["provenance"], bool(each["why"])) for each in found["markers_would_stand"]] == [
        (None, None, True),
        (None, None, True),
        (None, None, True),
        (900, "estimated", False),
    ]
