"""The exception tree of this package.

HarnessError
├── AssemblyError      a request cannot be built from what was given
├── CatalogueError     a tool, or a file of tools, cannot be taken into a catalogue
├── CommandError       a command cannot do what it was asked
├── NotOnSurfaceError  a tool that a run does not have was asked for
├── RefusedRequest     a provider would answer a request with an error
├── RunLogError        a run-log line cannot be read
└── UsageError         a usage object cannot be normalised
"""

from __future__ import annotations


class HarnessError(Exception):
    """Base of everything that this package raises on purpose."""


class AssemblyError(HarnessError):
    """A request cannot be built from what was given; the message says what is wrong with it."""


class CatalogueError(HarnessError):
    """A tool, or a file of tools, cannot be taken into a catalogue; the message says why."""


class CommandError(HarnessError):
    """A command cannot do what it was asked; the message is one sentence for the person at the terminal."""


class RefusedRequest(HarnessError):
    """A provider would answer this request with an error; the message says what it objects to."""


class RunLogError(HarnessError):
    """A run-log line is not a valid event; the message names the place."""


class UsageError(HarnessError):
    """A usage object has a field that is not a count; the message names the field."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


class NotOnSurfaceError(HarnessError):
    """A tool was asked for that cannot be loaded. `standing` is withheld, denied or unknown.

    The message is for the model: it does not tell these apart, and it names no other tool.
    """

    def __init__(self, name: str, standing: str) -> None:
        super().__init__(f"There is no tool {name!r} here. search_tools finds the tools that there are.")
        self.name = name
        self.standing = standing
