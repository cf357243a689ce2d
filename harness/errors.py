"""The exception tree of this package.

HarnessError
├── CatalogueError  a tool, or a file of tools, cannot be taken into a catalogue
├── CommandError    a command cannot do what it was asked
├── RunLogError     a run-log line cannot be read
└── UsageError      a usage object cannot be normalised
"""

from __future__ import annotations


class HarnessError(Exception):
    """Base of everything that this package raises on purpose."""


class CatalogueError(HarnessError):
    """A tool, or a file of tools, cannot be taken into a catalogue; the message says why."""


class CommandError(HarnessError):
    """A command cannot do what it was asked; the message is one sentence for the person at the terminal."""


class RunLogError(HarnessError):
    """A run-log line is not a valid event; the message names the place."""


class UsageError(HarnessError):
    """A usage object has a field that is not a count; the message names the field."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field
