"""What time it is for a run: the real time, or one that passes in no time at all."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

Clock = Callable[[], datetime]
"""The time now, in UTC."""
Result = TypeVar("Result")


def real() -> datetime:
    """The time now."""
    return datetime.now(UTC)


class _Jumping(selectors.SelectSelector):
    """Where nothing is ready, time jumps to the next thing that is due."""

    passed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0 if timeout is not None else None)
        if not ready and timeout is not None and timeout > 0:
            self.passed += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in which sleeping takes no time.

    It is for runs whose provider is scripted and whose tools answer at once: waiting for a thread, a
    process or a network does not hold its time up, so that a time limit on one would be over at once.
    """

    def __init__(self, start: datetime) -> None:
        self._jumping = _Jumping()
        self._start = start
        super().__init__(self._jumping)

    def time(self) -> float:
        """Seconds that have passed."""
        return self._jumping.passed

    def now(self) -> datetime:
        """The time now: use it as the run's clock."""
        return self._start + timedelta(seconds=self._jumping.passed)


def run_virtual(start: datetime, main: Callable[[Clock], Coroutine[Any, Any, Result]]) -> Result:
    """Run a coroutine from a given time on, as fast as it goes."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(start)) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)  # noqa: S101 - the factory above made it
        return runner.run(main(loop.now))
