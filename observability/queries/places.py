"""Where logs were looked for, as people read it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from observability.queries.sources import home_path, title


class Looked(Protocol):
    """A folder that was looked into."""

    @property
    def source(self) -> str:
        """The log format that was expected there."""

    @property
    def path(self) -> Path:
        """Where it is."""

    @property
    def found(self) -> str:
        """What stands there, in words."""


@dataclass(frozen=True)
class Place:
    """A row of "where it looked"."""

    agent: str
    folder: str
    found: str


def looked_in(folders: Iterable[Looked]) -> list[Place]:
    """The folders, from the home folder where they lie in there."""
    return [Place(title(each.source), home_path(str(each.path)), each.found) for each in folders]
