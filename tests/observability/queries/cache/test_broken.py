"""Breaks by reason, and the worst of them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from observability.queries.cache.broken import by_reason, worst
from observability.queries.scope import Scope, scope_of
from tests.factories import a_break, a_conversation, a_rollup

pytestmark = pytest.mark.django_db


def every() -> Scope:
    return scope_of(window="all", project="")


def test_the_dearest_reason_comes_first_and_has_the_longest_bar() -> None:
    talk = a_conversation()
    a_rollup()
    a_break(conversation=talk, reason="lifetime", rebuilt=9_000, rebuilt_pusd=1, break_evidence="rule")
    a_break(conversation=talk, reason="tools_changed", break_evidence="proven")
    a_break(conversation=talk, reason="tools_changed", break_evidence="provider")
    first, second = by_reason(every())
    assert (first.label, first.breaks, first.share) == ("Tools changed", 2, Decimal(1))
    assert first.evidence == "proven by a difference or said by the provider"
    assert (second.label, second.width) == ("Lifetime passed", "25.00%")


def test_the_same_break_in_many_conversations_is_one_finding() -> None:
    for number in range(3):
        talk = a_conversation(uid=f"talk-{number}")
        a_break(conversation=talk, break_subject="Agent", break_detail="the definition of Agent changed")
    [row] = worst(every(), "")
    assert (row.where, row.breaks, row.subject) == ("3 conversations, one finding", 3, "Agent")
    assert row.detail == "the definition of Agent changed"
    assert "reason=tools_changed" in row.url


def test_pauses_stand_by_conversation() -> None:
    for name in ("a", "b"):
        talk = a_conversation(uid=name, title=f"Talk {name}")
        a_break(conversation=talk, reason="lifetime", break_confidence="certain")
        a_break(conversation=talk, reason="lifetime", rebuilt=100, rebuilt_pusd=1)
    rows = worst(every(), "")
    assert sorted((row.where, row.breaks, row.sure) for row in rows) == [
        ("Talk a", 2, "certain"),
        ("Talk b", 2, "certain"),
    ]


def test_one_reason_can_be_asked_for() -> None:
    talk = a_conversation()
    a_break(conversation=talk, reason="lifetime")
    a_break(conversation=talk, reason="model_changed")
    assert [row.reason for row in worst(every(), "lifetime")] == ["Lifetime passed"]


def test_without_a_break_there_is_nothing() -> None:
    a_conversation()
    assert (by_reason(every()), worst(every(), "")) == ([], [])
