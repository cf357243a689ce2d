"""Run-log lines that someone else wrote: an event, or the reason why it is none.

Whether a line comes over the API or stands in a file, the same has to hold before it is stored.
"""

from __future__ import annotations

from typing import Any, Final

from harness.errors import RunLogError, UsageError
from harness.runlog import AnyEvent, RequestFinished, RunFinished, SurfaceChanged, SurfaceDeclared, decode
from harness.usage import normalise

DEEPEST: Final = 100


def received(line: bytes) -> AnyEvent:
    """The event of a line. Raises a HarnessError that names the field at fault.

    Usage is read in both conventions, since a later fragment may name the other.
    """
    event = decode(line)
    if isinstance(event, RequestFinished) and event.usage:
        _shallow(event.usage, "usage")
        try:
            normalise(event.usage, "exclusive")
            normalise(event.usage, "inclusive")
        except UsageError as error:
            raise UsageError(f"{error} - at `$.usage.{error.field}`", error.field) from error
    elif isinstance(event, RunFinished):
        _shallow(event.totals, "totals")
    elif isinstance(event, SurfaceDeclared | SurfaceChanged):
        for tool in event.tools:
            _shallow(tool.definition, "tools[...].definition")
    return event


def _shallow(value: Any, place: str, depth: int = DEEPEST) -> None:
    """Raises RunLogError where a foreign object is nested so deep that nobody could walk through it."""
    if isinstance(value, dict | list):
        if not depth:
            raise RunLogError(f"nested more than {DEEPEST} deep - at `$.{place}`")
        for part in value.values() if isinstance(value, dict) else value:
            _shallow(part, place, depth - 1)
