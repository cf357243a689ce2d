"""The exception tree of this package.

ObservabilityError
├── BadLine          a line of a log cannot be read; it goes to quarantine
├── SourceError      a file or folder cannot be read at all
├── RejectedEvents   events sent to the API are not valid; nothing of the body was stored
└── PricesUnreadable the overlay file of prices is not valid
"""

from __future__ import annotations


class ObservabilityError(Exception):
    """Base of everything that this package raises on purpose."""


class BadLine(ObservabilityError):
    """A line that cannot be read. The message is the reason shown to people."""


class SourceError(ObservabilityError):
    """A file or folder that cannot be read. The message is a whole sentence."""


class RejectedEvents(ObservabilityError):
    """A body of events that was refused. `line` is the number of the line at fault, from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


class PricesUnreadable(ObservabilityError):
    """The overlay file of prices cannot be used. The message is a whole sentence."""
