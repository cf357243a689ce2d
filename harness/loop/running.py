"""One handler, run to its end, its time limit or its failure."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Final, TypeVar

from harness.errors import HarnessError
from harness.loop.toolbox import ToolOutput

GRACE: Final = 5.0
"""Seconds that a handler has to stop what it started, once it is cancelled."""
Answer = TypeVar("Answer")


async def answer_of(
    handler: Awaitable[Answer], seconds: float | None, what: str
) -> tuple[Answer | None, ToolOutput | None]:
    """What a handler answers, or else a failure that says why it did not. Whatever it raises ends here.

    A cancellation of the run goes through to the handler, and is waited for, but not for ever.
    """
    task = asyncio.ensure_future(handler)
    try:
        await asyncio.wait({task}, timeout=seconds)
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=GRACE)
    if not task.done() or task.cancelled():
        limit = f"after {seconds:g} s, its time limit" if seconds is not None else "before its end"
        return None, ToolOutput(text=f"{what} was stopped {limit}.", failed=True)
    error = task.exception()
    return (task.result(), None) if error is None else (None, _failure(error, what))


def _failure(error: BaseException, what: str) -> ToolOutput:
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return ToolOutput(text=f"{place}{error.strerror or error}", failed=True)
    if isinstance(error, HarnessError):
        return ToolOutput(text=str(error), failed=True)
    return ToolOutput(text=f"{what} failed: {type(error).__name__}: {error}", failed=True)
