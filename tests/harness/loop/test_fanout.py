from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from harness.loop.clock import VirtualLoop
from harness.loop.fanout import LIFETIME, Gate, Shape
from tests.harness.runs import START

SHAPE = Shape("build sub-agent", "anthropic", "opus")


def started(*children: Coroutine[Any, Any, float]) -> list[float | BaseException]:
    """When each child started, in seconds of virtual time."""

    async def all_of_them() -> list[float | BaseException]:
        return await asyncio.gather(*children, return_exceptions=True)

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(START)) as runner:
        return runner.run(all_of_them())


async def child(
    gate: Gate, *, begins: float = 1.0, fails: float | None = None, shape: Shape = SHAPE, after: float = 0
) -> float:
    """One sub-agent: its first event comes, or it fails, so long after its start."""
    await asyncio.sleep(after)
    passed = await gate.enter(shape)
    start = asyncio.get_running_loop().time()
    try:
        await asyncio.sleep(begins if fails is None else fails)
        if fails is None:
            passed.began()
    finally:
        passed.ended()
    return start


def test_siblings_wait_for_the_first_ones_first_event() -> None:
    gate = Gate()
    assert started(*(child(gate, begins=2) for _ in range(4))) == [0, 2, 2, 2]


def test_a_failure_hands_over_to_the_next() -> None:
    gate = Gate()
    assert started(child(gate, fails=1), child(gate, begins=2), child(gate), child(gate)) == [0, 1, 3, 3]


def test_a_cancelled_first_one_hands_over() -> None:
    gate = Gate()

    async def cancelled() -> float:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(child(gate, begins=60), 3)
        return -1

    assert started(cancelled(), child(gate, begins=2, after=1), child(gate, after=2)) == [-1, 3, 5]


def test_a_slow_first_one_costs_a_hit_and_never_the_fan_out() -> None:
    gate = Gate(wait=8)
    assert started(*(child(gate, begins=60) for _ in range(3))) == [0, 8, 8]


def test_no_chain_of_failures_waits_longer_than_the_bound() -> None:
    gate = Gate(wait=8)
    starts = started(*(child(gate, fails=3) for _ in range(6)))
    assert max(float(each) for each in starts if isinstance(each, float | int)) == 8


def test_another_shape_does_not_wait() -> None:
    gate = Gate()
    other = SHAPE._replace(model="sonnet")
    assert started(child(gate, begins=5), child(gate, shape=other)) == [0, 0]


def test_whoever_is_first_to_stream_opens_the_gate() -> None:
    gate = Gate(wait=2)
    slow, late = child(gate, begins=60), child(gate, begins=1)
    assert started(slow, late, child(gate, after=2.5)) == [0, 2, 3]


def test_a_shape_that_is_cached_is_not_waited_for_again() -> None:
    gate = Gate()
    assert started(child(gate), child(gate, after=100, begins=5), child(gate, after=101)) == [0, 100, 101]


def test_a_shape_that_has_left_the_cache_has_a_first_one_again() -> None:
    gate = Gate()
    later = LIFETIME + 10
    assert started(child(gate), child(gate, after=later, begins=5), child(gate, after=later + 1)) == [
        0,
        later,
        later + 5,
    ]
