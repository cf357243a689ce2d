from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta

from harness.loop.clock import Clock, real, run_virtual
from tests.harness.runs import START


def test_hours_pass_in_no_time() -> None:
    async def main(clock: Clock) -> datetime:
        await asyncio.sleep(36_000)
        return clock()

    began = time.monotonic()
    assert run_virtual(START, main) == START + timedelta(hours=10)
    assert time.monotonic() - began < 5


def test_those_who_sleep_at_the_same_time_wake_in_order() -> None:
    woken: list[int] = []

    async def sleeper(seconds: int) -> None:
        await asyncio.sleep(seconds)
        woken.append(seconds)

    async def main(clock: Clock) -> datetime:
        await asyncio.gather(*(sleeper(seconds) for seconds in (30, 10, 20)))
        return clock()

    assert run_virtual(START, main) == START + timedelta(seconds=30)
    assert woken == [10, 20, 30]


def test_a_time_limit_passes_too() -> None:
    async def main(clock: Clock) -> bool:
        try:
            await asyncio.wait_for(asyncio.sleep(100), 60)
        except TimeoutError:
            return clock() == START + timedelta(seconds=60)
        return False

    assert run_virtual(START, main)


def test_the_real_clock_is_in_utc() -> None:
    assert real().tzinfo is UTC
