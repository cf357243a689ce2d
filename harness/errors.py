"""The exception tree of this package.

HarnessError
├── AssemblyError      a request cannot be built from what was given
├── CatalogueError     a tool, or a file of tools, cannot be taken into a catalogue
│   └── UnfitTool      one tool cannot be sent to any provider
├── CommandError       a command cannot do what it was asked
├── ModeError          there is no such mode
├── DatasetError       a set of tools and queries cannot be read
├── FactorsError       a file of fitted factors cannot be read or kept
├── NotOnSurfaceError  a tool that a run does not have was asked for
├── ProviderError   a provider did not answer a request, or not to its end
│   ├── Refused       it will never take this request
│   ├── NotAdmitted   the key, the account or the model is not admitted
│   ├── Overloaded    it has too much to do, or the account has asked for too much
│   ├── Faulty        it failed, or answered what cannot be understood
│   ├── Unreachable   no answer came
│   └── CutStream     the answer broke off
├── RefusedRequest     a provider would answer a request with an error
├── RunLogError        a run-log line cannot be read
└── UsageError         a usage object cannot be normalised
"""

from __future__ import annotations

from typing import Any


class HarnessError(Exception):
    """Base of everything that this package raises on purpose."""


class AssemblyError(HarnessError):
    """A request cannot be built from what was given; the message says what is wrong with it."""


class CatalogueError(HarnessError):
    """A tool, or a file of tools, cannot be taken into a catalogue; the message says why."""


class UnfitTool(CatalogueError):
    """One tool cannot be taken in; the message is the reason, and says where."""


class CommandError(HarnessError):
    """A command cannot do what it was asked; the message is one sentence for the person at the terminal."""


class DatasetError(HarnessError):
    """A set of tools and queries cannot be read; the message names the place."""


class FactorsError(HarnessError):
    """A file of fitted factors cannot be read or kept; the message names the file, and the place in it."""


class RefusedRequest(HarnessError):
    """A provider would answer this request with an error; the message says what it objects to."""


class RunLogError(HarnessError):
    """A run-log line is not a valid event; the message names the place."""


class UsageError(HarnessError):
    """A usage object has a field that is not a count; the message names the field."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


class ModeError(HarnessError):
    """There is no such mode; the message names those that are."""


class NotOnSurfaceError(HarnessError):
    """A tool was asked for that cannot be loaded. `standing` is withheld, denied or unknown.

    The message is for the model: it does not tell these apart, and it names no other tool.
    """

    def __init__(self, name: str, standing: str) -> None:
        super().__init__(f"There is no tool {name!r} here. search_tools finds the tools that there are.")
        self.name = name
        self.standing = standing


class ProviderError(HarnessError):
    """A provider did not answer a request, or not to its end. The message is the provider's own where it gave one.

    `again`: another try may help, after `wait` seconds where the provider names a time. `usage` is
    what it reported before it broke off, which is billed all the same.
    """

    again = False

    def __init__(
        self,
        message: str,
        *,
        wait: float | None = None,
        usage: dict[str, Any] | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.wait, self.usage, self.request_id = wait, usage, request_id


class Refused(ProviderError):
    """The provider will never take this request."""


class NotAdmitted(ProviderError):
    """The key, the account or the model is not admitted."""


class Overloaded(ProviderError):
    """The provider has too much to do, or the account has asked for too much."""

    again = True


class Faulty(ProviderError):
    """The provider failed, or answered what cannot be understood."""

    again = True


class Unreachable(ProviderError):
    """No answer came: no connection, or none in time."""

    again = True


class CutStream(ProviderError):
    """The answer broke off. What had come of it is dropped."""

    again = True
