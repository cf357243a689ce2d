"""What holds for any requests at any times."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness.simulator import ANTHROPIC, OPENAI, OPENAI_IMPLICIT, Outcome, Rules, Simulator
from tests.harness.simulator.building import after, body, planted, simulator, text, tool, user

RULES = st.sampled_from([ANTHROPIC, OPENAI, OPENAI_IMPLICIT])
SIZES = st.lists(st.integers(0, 3000), min_size=1, max_size=30)


def request(tools: list[int], system: list[int], said: list[int], marks: set[int], *, changed: int = -1) -> Any:
    """Markers on the blocks of these numbers, of an hour before the messages; one block may be another."""
    names = iter(range(10**6))

    def block(size: int, ttl: str) -> dict[str, Any]:
        number = next(names)
        name = f"{'other' if number == changed else 'block'}{number}"
        made = text(name, size) if ttl == "5m" else tool(name, size)
        return {**made, "cache_control": {"type": "ephemeral", "ttl": ttl}} if number in marks else made

    listed = [block(size, "1h") for size in tools]
    prompt = [text(f"s{number}", size) for number, size in enumerate(system)]
    return body(user(*[block(size, "5m") for size in said]), tools=listed, system=prompt)


@st.composite
def requests(draw: st.DrawFn) -> Any:
    tools, system, said = draw(SIZES), draw(st.lists(st.integers(0, 3000), max_size=3)), draw(SIZES)
    marks = draw(st.sets(st.integers(0, len(tools) + len(said) - 1), max_size=3))
    return request(tools, system, said, marks, changed=draw(st.integers(-1, len(tools) + len(said))))


def holds(outcome: Outcome) -> bool:
    """The counts are disjoint, none is negative, and they add up."""
    parts = (outcome.read, outcome.write_5m, outcome.write_1h, outcome.write_other, outcome.uncached)
    return min(parts) >= 0 and sum(parts) == outcome.prompt


@given(RULES, st.lists(st.tuples(requests(), st.integers(0, 5000)), min_size=1, max_size=6))
def test_reads_writes_and_the_rest_are_the_prompt(rules: Rules, sent: list[tuple[Any, int]]) -> None:
    sim, now = simulator(rules), 0
    for each, pause in sent:
        now += pause
        outcome = sim.send(each, at=after(now), first_event_at=after(now + 2))
        blocks = [*each["tools"], *each["system"], *each["messages"][0]["content"]]
        sizes = [int(str(block.get("description") or block.get("text")).rsplit("/", 1)[1]) for block in blocks]
        assert holds(outcome)
        assert outcome.prompt == sum(sizes)


@given(RULES, st.lists(st.tuples(requests(), st.integers(0, 90_000)), min_size=1, max_size=5), st.integers(0, 20))
def test_a_reported_total_is_the_prompt(rules: Rules, sent: list[tuple[Any, int]], tail: int) -> None:
    sim = simulator(rules)
    for each, prompt in sent:
        outcome = sim.send(each, at=after(0), prompt=prompt, tail=tail)
        assert holds(outcome)
        assert outcome.prompt == prompt


@given(RULES, requests(), requests(), st.integers(1, 5000), st.integers(0, 5000))
def test_more_time_never_reads_more(rules: Rules, first: Any, second: Any, pause: int, more: int) -> None:
    """Once the first response has begun."""

    def read(seconds: int) -> int:
        sim = simulator(rules)
        sim.send(first, at=after(0), first_event_at=after(1))
        return sim.send(second, at=after(seconds)).read

    assert read(pause + more) <= read(pause)


@given(RULES, st.lists(st.integers(1, 3000), min_size=1, max_size=60), st.integers(1, 19))
def test_what_is_read_grows_while_blocks_are_appended(rules: Rules, said: list[int], step: int) -> None:
    sim, reads = Simulator(rules, count=planted), [0]
    for number, end in enumerate(range(1, len(said) + 1, step)):
        each = request([], [], said[:end], {end - 1})
        reads.append(sim.send(each, at=after(number), first_event_at=after(number + 0.5)).read)
    assert reads == sorted(reads)


@given(RULES, SIZES, SIZES, st.data())
def test_a_change_keeps_no_more_than_what_lies_before_it(
    rules: Rules, tools: list[int], said: list[int], data: st.DataObject
) -> None:
    blocks = [*tools, *said]
    changed = data.draw(st.integers(0, len(blocks) - 1))
    marks = data.draw(st.sets(st.integers(0, len(blocks) - 1), max_size=3))
    sim = simulator(rules)
    sim.send(request(tools, [], said, marks), at=after(0), first_event_at=after(1))
    outcome = sim.send(request(tools, [], said, marks, changed=changed), at=after(2))
    assert outcome.read <= sum(blocks[:changed])
