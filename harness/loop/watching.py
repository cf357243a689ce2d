"""What a run shows while it goes: to a terminal, or to nobody."""

from __future__ import annotations

from typing import Any

from harness.errors import ProviderError
from harness.loop.toolbox import ToolOutput
from harness.providers.base import ProviderEvent


class Watcher:
    """Sees what happens. This one looks away; others override what they are interested in. `run` is the run's name."""

    def event(self, run: str, event: ProviderEvent) -> None:
        """A part of a reply."""

    def trying_again(self, run: str, error: ProviderError, wait: float) -> None:
        """A request failed and is sent again."""

    def calling(self, run: str, tool: str, arguments: dict[str, Any]) -> None:
        """A tool begins."""

    def called(self, run: str, tool: str, output: ToolOutput) -> None:
        """A tool has answered, or was refused."""

    def loaded(self, run: str, names: tuple[str, ...], trigger: str) -> None:
        """Deferred tools were loaded."""

    def joined(self, run: str, names: tuple[str, ...], failed: tuple[str, ...]) -> None:
        """Tools have come, or servers have failed, each with its reason, since the run began."""

    def trimmed(self, run: str, won: int) -> None:
        """Stale output was cut."""

    def compacted(self, run: str, before: int, after: int) -> None:
        """A summary stands for the conversation now. Its tokens before and after."""

    def say(self, run: str, text: str) -> None:
        """Something that the user should know."""
