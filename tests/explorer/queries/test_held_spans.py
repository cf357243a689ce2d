from __future__ import annotations

from itertools import pairwise

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.queries.held_facts import facts_of
from explorer.queries.held_spans import spans
from explorer.queries.surface import Entry, surface
from harness.accounting.holding import Span
from observability.models import Run
from tests.explorer.scene import Scene

SEQS = [10, 20, 30, 40]


def entry(seq: int, tool: str, state: str) -> Entry:
    return Entry(seq, tool, state, None, "", "", "", "")


def test_a_deferred_tool_is_held_back_until_it_is_loaded() -> None:
    assert spans(SEQS, [entry(1, "A", "deferred")], [("A", 25)], []) == {"A": [Span(0, 2)]}


def test_a_tool_that_is_deferred_later_arrives_there() -> None:
    assert spans(SEQS, [entry(15, "A", "deferred")], [], []) == {"A": [Span(1, 4, arrives=True)]}


def test_a_resident_tool_that_becomes_deferred_does_not_arrive() -> None:
    entries = [entry(1, "A", "resident"), entry(15, "A", "deferred")]
    assert spans(SEQS, entries, [], []) == {"A": [Span(1, 4)]}


def test_a_loaded_tool_that_a_rewrite_drops_is_held_back_again_and_does_not_arrive() -> None:
    found = spans(SEQS, [entry(1, "A", "deferred")], [("A", 5)], [(25, "compaction", [])])
    assert found == {"A": [Span(2, 4)]}


def test_a_tool_that_may_be_loaded_is_not_held_back() -> None:
    assert spans(SEQS, [entry(1, "A", "deferred")], [("A", 15)], [(25, "compaction", None)]) == {"A": [Span(0, 1)]}


def test_a_tool_that_left_and_came_back_arrives_anew() -> None:
    entries = [entry(1, "A", "deferred"), entry(15, "A", "removed"), entry(25, "A", "deferred")]
    assert spans(SEQS, entries, [], []) == {"A": [Span(0, 1), Span(2, 4, arrives=True)]}


def test_a_list_that_names_a_tool_again_changes_nothing() -> None:
    entries = [entry(1, "A", "deferred"), entry(15, "", "deferred"), entry(15, "A", "deferred")]
    assert spans(SEQS, entries, [], []) == {"A": [Span(0, 4)]}


def test_a_tool_that_was_always_loaded_has_no_stretch() -> None:
    assert spans(SEQS, [entry(1, "A", "deferred")], [("A", 2)], []) == {"A": []}


def test_a_tool_that_was_never_deferred_is_not_named() -> None:
    assert spans(SEQS, [entry(1, "A", "resident")], [], []) == {}


WHAT = st.sampled_from(["defer", "resident", "remove", "load", "keep", "drop", "compact", "clear", "ask"])
STEPS = st.lists(st.tuples(WHAT, st.sampled_from("AB")), max_size=14)


def played(steps: list[tuple[str, str]]) -> Scene:
    """A run of random steps that ends with a request."""
    scene = Scene().resident("Read").deferred("A", index=False)
    for step, tool in steps:
        if step == "defer":
            scene.deferred(tool, index=False)
        elif step == "resident":
            scene.resident("Read", tool)
        elif step == "remove":
            scene.removed(tool)
        elif step == "load":
            scene.activate(tool)
        elif step == "ask":
            scene.ask(900)
        else:
            kept = {"keep": [tool], "drop": []}.get(step)
            scene.rewrite("So far.", kept=kept, kind="clear" if step == "clear" else "compaction")
    return scene.ask(900).store()


@pytest.mark.django_db
@settings(max_examples=100, deadline=None)
@given(STEPS)
def test_the_stretches_say_what_the_surface_says_of_each_request(steps: list[tuple[str, str]]) -> None:
    with transaction.atomic():
        played(steps)
        run = Run.objects.get()
        facts = facts_of([run])[0]
        found = spans(facts.seqs, facts.entries, facts.loadings, facts.rewrites)
        for place, seq in enumerate(facts.seqs):
            held = {tool for tool, some in found.items() if any(span.first <= place < span.end for span in some)}
            assert held == {tool.name for tool in surface(run, seq).of("deferred")}
        assert all(one.end <= other.first for some in found.values() for one, other in pairwise(some))
        transaction.set_rollback(True)
