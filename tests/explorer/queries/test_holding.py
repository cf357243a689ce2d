from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from explorer.queries.holding import HeldBack, held_back, held_back_of, net_of
from harness import tokens
from observability.models import Conversation, Request, Run
from observability.pricing import per_token, unit_prices
from tests.explorer.scene import MODEL, START, Scene

pytestmark = pytest.mark.django_db


def back(scene: Scene) -> HeldBack:
    scene.store()
    return held_back(Run.objects.get(uid=scene.run, conversation__uid=scene.conversation))


def talk(*names: str, **more: Any) -> Scene:
    scene = Scene(**more)
    return scene.deferred(*names).record(*names).append("user", "Hello").ask(5_000)


def prices() -> tuple[int, int, int]:
    """Picodollars a token: read, written for 5 minutes, output."""
    found = unit_prices(MODEL, "", START + timedelta(minutes=1), 5_000)
    assert found is not None
    read, write, output = per_token(found.read), per_token(found.write_5m), per_token(found.output)
    assert read is not None
    assert write is not None
    assert output is not None
    return read, write, output


def test_a_schema_is_written_once_and_read_by_the_requests_it_was_not_in() -> None:
    found = back(talk("A").ask(6_000, read=5_000).ask(7_000, read=6_000))
    tool = found.tools["A"]
    read, write, _ = prices()
    assert tool.extra is not None
    assert (tool.requests, tool.tokens) == (3, 3 * tool.extra)
    assert tool.pusd == tool.extra * (write + 2 * read)


def test_a_schema_is_held_back_less_its_line_in_the_index() -> None:
    tool = back(talk("A")).tools["A"]
    text = tokens.factor(MODEL, "text")
    assert tool.index == tokens.measured(tokens.count("A: does it"), text).tokens
    assert tool.schema is not None
    assert tool.extra == tool.schema - tool.index


def test_a_tool_that_was_loaded_counts_until_then() -> None:
    scene = talk("A", "B").activate("A", trigger="direct_call").ask(6_000, read=5_000).ask(7_000, read=6_000)
    found = back(scene)
    assert (found.tools["A"].requests, found.tools["B"].requests) == (1, 3)


def test_the_total_is_the_sum_of_the_tools() -> None:
    found = back(talk("A", "B").activate("A").ask(6_000, read=5_000))
    assert found.total.pusd == sum(tool.pusd or 0 for tool in found.tools.values())
    assert found.total.tokens == sum(tool.tokens or 0 for tool in found.tools.values())


def test_a_schema_that_is_in_no_log_has_requests_and_no_cost() -> None:
    found = back(Scene().deferred("A").ask(5_000))
    assert (found.tools["A"].requests, found.tools["A"].tokens, found.tools["A"].pusd) == (1, None, None)
    assert (found.unknown, found.saved_pusd, found.net_pusd) == (1, None, None)


def test_a_model_without_a_price_leaves_the_tokens() -> None:
    found = back(talk("A", model="nobody-knows"))
    assert found.total.tokens > 0
    assert (found.saved_pusd, found.net_pusd, found.unpriced) == (None, None, 1)


def test_each_request_counts_by_its_own_model_s_tokenizer() -> None:
    found = back(talk("A", model="claude-opus-4-5").ask(6_000, read=5_000, model="claude-opus-4-7"))
    old, new = (back(talk("A", conversation=name, model=name)).tools["A"].extra for name in OTHERS)
    assert old is not None
    assert new is not None
    assert old != new
    assert found.tools["A"].tokens == old + new
    assert found.tools["A"].extra == new


OTHERS = ("claude-opus-4-5", "claude-opus-4-7")


def test_a_break_that_reaches_the_tools_is_a_write_and_one_that_does_not_is_a_read() -> None:
    scene = Scene().resident("Read").deferred("A").record("A").append("user", "Hello").ask(9_000)
    found = back(scene.ask(9_100, read=2_000).ask(9_200, read=10))
    assert [(write.ordinal, write.bucket, write.broke) for write in found.writes] == [
        (1, "write_5m", False),
        (3, "write_5m", True),
    ]
    assert found.reads == 1


def searched(scene: Scene, *also: str) -> Scene:
    """A request that searched, and called other tools too if given; the next one carries what was found."""
    call = f"call {scene.seq}"
    scene.call("ToolSearch", '{"query":"assign"}', "found A")
    for tool in also:
        scene.call(tool, "{}", "done")
    return scene.search("assign", "A", call=call)


def test_a_request_that_only_searched_costs_its_turn_less_what_the_next_one_read() -> None:
    scene = searched(talk("A").ask(5_100, read=5_000)).ask(5_300, read=5_100)
    turn = back(scene).searching.turns[0]
    read, _, output = prices()
    assert turn.ordinal == 2
    assert turn.pusd == 5_100 * read + 20 * output
    assert turn.cost_pusd == Request.objects.get(ordinal=2).cost_pusd


def test_nothing_was_saved_at_a_turn_that_only_searched() -> None:
    found = back(searched(talk("A", "B").ask(5_100, read=5_000)).ask(5_300, read=5_100))
    extra = sum(tool.extra or 0 for tool in found.tools.values())
    read, _, _ = prices()
    assert (found.searching.unsaved.tokens, found.searching.unsaved.pusd) == (extra, extra * read)
    searching = found.searching
    assert searching.pusd == (searching.turns_pusd or 0) + (searching.carried.pusd or 0) + extra * read


def test_a_request_that_did_more_than_search_is_no_extra_turn() -> None:
    found = back(searched(talk("A"), "Read").ask(5_300, read=5_000)).searching
    assert (found.searches, found.turns) == (1, [])


def test_later_requests_carry_a_search_and_its_result() -> None:
    scene = searched(talk("A")).ask(5_300, read=5_000).ask(5_400, read=5_300)
    carried = back(scene).searching.carried
    read, write, _ = prices()
    once = carried.tokens // 2
    assert once > 0
    assert carried.pusd == once * (write + read)


def test_a_rewrite_ends_what_a_search_costs() -> None:
    scene = searched(talk("A")).ask(5_300, read=5_000).rewrite("So far.", kept=["A"]).ask(2_000)
    assert back(scene).searching.carried.requests == 2  # the call and the result, in one request


def test_a_direct_call_costs_nothing() -> None:
    found = back(talk("A").call("A", "{}", "done").activate("A", trigger="direct_call").ask(5_300, read=5_000))
    assert (found.searching.searches, found.searching.pusd) == (0, 0)
    assert found.net_pusd == found.saved_pusd


def test_the_net_may_be_negative() -> None:
    scene = talk("A")
    for size in range(5_000, 90_000, 10_000):
        searched(scene).ask(size + 10_000, read=size)
    found = back(scene)
    assert found.net_pusd is not None
    assert found.saved_pusd is not None
    assert found.searching.pusd is not None
    assert found.net_pusd == found.saved_pusd - found.searching.pusd < 0


def test_several_runs_are_read_at_once_and_each_by_itself() -> None:
    talk("A").store()
    talk("A", "B", run="agent", kind="sub_agent").ask(6_000, read=5_000).store()
    runs = list(Run.objects.order_by("uid"))
    together = held_back_of(runs)
    assert [each.total for each in together] == [held_back(run).total for run in runs]
    assert net_of(together) == sum(each.net_pusd or 0 for each in together)


def test_a_schema_that_only_another_run_defines_is_known() -> None:
    talk("A").store()
    Scene(run="agent", kind="sub_agent").deferred("A").ask(5_000).store()
    found = held_back(Run.objects.get(uid="agent")).tools["A"]
    assert found.definition is not None
    assert found.definition.where == "conversation"
    assert found.extra is not None


def long(name: str, size: int) -> list[Run]:
    """A conversation of as many requests, tools, searches, breaks, loadings and runs."""
    for run in range(size // 5):
        scene = talk(*(f"mcp__s__{number}" for number in range(size)), conversation=name, run=f"run {run}")
        for number in range(size):
            searched(scene).activate(f"mcp__s__{number}").ask(9_000, read=9_000 if number % 3 else 0)
        scene.store()
    return list(Conversation.objects.get(uid=name).runs.all())


def test_it_takes_the_same_queries_for_few_requests_tools_and_runs_and_for_many() -> None:
    counts = []
    for size in (5, 10):
        runs = long(f"talk {size}", size)
        held_back_of(runs)
        with CaptureQueriesContext(connection) as captured:
            held_back_of(runs)
        counts.append(len(captured))
    assert counts[0] == counts[1]
