"""All traps together."""

from __future__ import annotations

from explorer.traps import Facts, find
from explorer.traps.facts import KnownTool
from explorer.traps.listing import named, summed


def test_no_evidence_no_trap() -> None:
    assert find(Facts()) == []


def test_what_comes_to_most_tokens_stands_first_and_what_is_no_size_last() -> None:
    tools = [
        KnownTool(name="Read", state="resident", schema=300, calls=2),
        KnownTool(name="Plan", state="resident", schema=120),
        KnownTool(name="edit", state="denied"),
    ]
    facts = Facts(agent="qwen", requests=9, tools=tools, results=[("Read", 9_000)], conversation=10_000)
    assert [trap.kind for trap in find(facts)] == ["output_dominates", "unused_resident", "denied_and_needed"]


def test_many_names_end_in_a_number() -> None:
    assert named("abcdefg") == "a, b, c, d, e, f, g"
    assert named("abcdefgh") == "a, b, c, d, e, f and 2 more"


def test_a_long_formula_sums_up_what_it_does_not_list() -> None:
    rows = summed([(f"tool {n:02}", 1) for n in range(20)], "sum")
    assert rows[-2:] == [("8 more", "8"), ("sum", "20")]
