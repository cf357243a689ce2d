from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from harness.runlog import RunStarted, ToolCalled
from observability.models import Conversation, Run
from observability.queries.conversation import Sums, add, overall
from observability.services.events import store_events
from tests.factories import (
    AT,
    a_break,
    a_conversation,
    a_file,
    a_project,
    a_request,
    a_run,
    a_sighting,
    a_surface,
)

pytestmark = pytest.mark.django_db


def test_an_unknown_uid_is_no_conversation() -> None:
    with pytest.raises(Conversation.DoesNotExist):
        overall("nowhere")


def test_of_two_conversations_with_one_uid_the_later_one_is_meant() -> None:
    a_conversation(uid="twice", last_at=AT)
    later = Conversation.objects.create(id=7, project=a_project(key="/other"), uid="twice", last_at=AT + timedelta(1))
    assert overall("twice").conversation == later


def test_the_sums_are_those_of_all_runs() -> None:
    one = a_conversation()
    a_run(conversation=one)
    child = a_run(conversation=one, uid="child", kind="sub_agent")
    a_request(conversation=one, read=100, write_5m=10, uncached=1, output=7)
    a_request(conversation=one, run_id=child.id, read=0, write_5m=0, write_1h=200, output=3)
    whole = overall(one.uid)
    assert (whole.sums.requests, whole.sums.read, whole.sums.written, whole.sums.prompt) == (2, 100, 210, 311)
    assert whole.sub_agents.prompt == 200


@pytest.mark.parametrize("named", ["child_run", "call"])
def test_a_nested_run_hangs_below_the_run_whose_call_began_it(named: str) -> None:
    head = {"conversation": "c", "at": AT}
    child = {"child_run": "b"} if named == "child_run" else {}
    store_events(
        [
            RunStarted(id="1", run="main", **head),
            RunStarted(id="2", run="a", kind="sub_agent", parent_run="main", **head),
            RunStarted(id="3", run="b", kind="sub_agent", parent_call="t", **head),
            ToolCalled(id="4", run="a", call="t", ok=True, **child, **head),
        ],
        source="test",
    )
    assert [(run.uid, run.parent_uid, run.depth) for run in overall("c").runs][1:] == [("a", "main", 1), ("b", "a", 2)]


def test_the_rate_is_of_sums_and_undefined_without_a_prompt() -> None:
    assert Sums(read=3, uncached=1).rate == Decimal("0.75")
    assert Sums().rate is None


def test_money_stays_unknown_only_where_nothing_has_a_price() -> None:
    assert add([Sums(cost_pusd=None), Sums(cost_pusd=5)]).cost_pusd == 5
    assert add([Sums(), Sums()]).cost_pusd is None


def test_requests_without_a_price_are_counted() -> None:
    one = a_conversation()
    a_run(conversation=one)
    a_request(conversation=one, cost_pusd=9, prompt_pusd=4)
    a_request(conversation=one, cost_pusd=None)
    sums = overall(one.uid).sums
    assert (sums.cost_pusd, sums.priced, sums.unpriced, sums.output_pusd) == (9, 1, 1, 5)


def test_breaks_are_counted_with_what_was_paid_again() -> None:
    one = a_conversation()
    a_run(conversation=one)
    a_break(conversation=one, rebuilt=700)
    a_break(conversation=one, rebuilt=300)
    assert (overall(one.uid).sums.breaks, overall(one.uid).sums.rebuilt) == (2, 1000)


def test_parents_come_before_their_children() -> None:
    one = a_conversation()
    a_run(conversation=one, uid="grandchild", kind="sub_agent", parent_uid="child", started_at=AT)
    a_run(conversation=one, uid="child", kind="sub_agent", parent_uid="top", started_at=AT + timedelta(1))
    a_run(conversation=one, uid="top", started_at=AT + timedelta(2))
    assert [(run.uid, run.depth) for run in overall(one.uid).runs] == [("top", 0), ("child", 1), ("grandchild", 2)]


def test_runs_that_name_each_other_as_parent_are_shown_all_the_same() -> None:
    one = a_conversation()
    a_run(conversation=one, uid="a", kind="sub_agent", parent_uid="b")
    a_run(conversation=one, uid="b", kind="sub_agent", parent_uid="a")
    assert {run.uid for run in overall(one.uid).runs} == {"a", "b"}


def test_without_a_main_run_the_first_one_stands_in() -> None:
    one = a_conversation()
    a_run(conversation=one, uid="child", kind="sub_agent")
    whole = overall(one.uid)
    assert whole.main is None
    assert whole.run("").uid == "child"


def test_an_unknown_run_is_none_of_the_conversation() -> None:
    with pytest.raises(Run.DoesNotExist):
        overall(a_conversation().uid).run("nobody")


def test_a_run_is_named_by_profile_and_title() -> None:
    one = a_conversation()
    a_run(conversation=one, uid="child", kind="sub_agent", profile="explore", title="callers")
    a_run(conversation=one, uid="bare", kind="sub_agent")
    assert sorted(run.name for run in overall(one.uid).runs) == ["explore: callers", "sub-agent"]


def test_repeats_are_lines_that_tell_of_a_request_again() -> None:
    one = a_conversation(requests=5, inherited=1)
    a_file(conversation=one, request_lines=14, lines=30)
    log = overall(one.uid).log
    assert (log.lines, log.request_lines, log.repeats) == (30, 14, 8)


def test_the_tools_at_the_start_are_those_of_the_first_request() -> None:
    one = a_conversation()
    a_run(conversation=one)
    a_surface(conversation=one, seq=1, state="resident", tools=["", "a", "b"])
    a_surface(conversation=one, seq=2, state="resident", tools=["c"])
    a_surface(conversation=one, seq=1, state="deferred", tools=["d"])
    a_request(conversation=one, seq=5)
    a_surface(conversation=one, seq=9, state="deferred", tools=["e", "f"])
    run = overall(one.uid).runs[0]
    assert (run.resident, run.deferred) == (3, 1)


def test_a_list_that_starts_anew_before_the_first_request_counts_alone() -> None:
    one = a_conversation()
    a_run(conversation=one)
    a_surface(conversation=one, seq=1, state="deferred", tools=["a", "b", "c"])
    a_surface(conversation=one, seq=2, state="deferred", tools=["", "a"])
    a_request(conversation=one, seq=5)
    assert overall(one.uid).runs[0].deferred == 1


def test_a_list_that_is_written_after_the_first_request_applies_to_it() -> None:
    one = a_conversation()
    a_run(conversation=one)
    a_request(conversation=one, seq=5)
    a_surface(conversation=one, seq=6, state="resident", tools=["a", "b"])
    a_surface(conversation=one, seq=7, state="resident", tools=["c"])
    run = overall(one.uid).runs[0]
    assert (run.resident, run.deferred) == (2, None)


def test_the_latest_request_is_the_last_of_the_main_run() -> None:
    one = a_conversation()
    a_run(conversation=one)
    child = a_run(conversation=one, uid="child", kind="sub_agent")
    a_request(conversation=one, seq=1, ordinal=1)
    a_request(conversation=one, seq=2, ordinal=2, read=60, write_5m=40)
    a_request(conversation=one, run_id=child.id, seq=3, ordinal=1)
    latest = overall(one.uid).latest
    assert latest is not None
    assert (latest.ordinal, latest.rate) == (2, Decimal("0.6"))


def test_the_prefix_is_outweighed_once_the_prompt_is_more_than_twice_the_idle_cost() -> None:
    one = a_conversation(idle_raw=100, model="claude-opus-4-5", idle_user_chars=39)
    a_run(conversation=one)
    for ordinal, size in enumerate((100, 178, 179, 300), 1):
        a_request(conversation=one, seq=ordinal, ordinal=ordinal, context_tokens=size)
    assert overall(one.uid).outweighed_from == 3


def test_a_resumed_conversation_has_no_idle_cost_to_outweigh() -> None:
    one = a_conversation(idle_raw=100, resumed=True)
    a_run(conversation=one)
    a_request(conversation=one, context_tokens=300)
    assert overall(one.uid).outweighed_from is None


def test_inherited_requests_are_not_counted_and_name_their_owner() -> None:
    owner, heir = a_conversation(title="The first one"), a_conversation()
    a_run(conversation=heir)
    for ordinal in (1, 2):
        request = a_request(conversation=owner, ordinal=ordinal, read=50, write_5m=0)
        a_sighting(conversation=heir, request=request)
    whole = overall(heir.uid)
    assert whole.sums.requests == 0
    group = whole.inherited[0]
    assert (group.owner_title, group.requests, group.first, group.last, group.prompt) == ("The first one", 2, 1, 2, 100)


def test_its_own_sightings_are_not_inherited() -> None:
    one = a_conversation()
    a_sighting(conversation=one, request=a_request(conversation=one))
    assert overall(one.uid).inherited == []
