"""The log formats that are read."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

from observability.sources.base import Source
from observability.sources.claude_code import ClaudeCode
from observability.sources.runlog import RunLog

SOURCES: Final[dict[str, Source]] = {source.name: source for source in (ClaudeCode(), RunLog())}
"""By name."""


def recognise(path: PurePath, head: bytes) -> Source | None:
    """The format of a file, by its path and first bytes; None where no format fits."""
    return next((source for source in SOURCES.values() if source.recognises(path, head)), None)
