"""One run's part of the run log: its ids, its order, its times."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from harness.loop.clock import Clock
from harness.loop.sinks import Sink
from harness.runlog import Event


class Recorder:
    """Writes the events of one run.

    `part` counts how often the run was begun, from 1: a resumed run goes on under its old name,
    after the `seq` that its log ended with, and its events have ids of their own.
    """

    def __init__(
        self,
        sink: Sink,
        *,
        conversation: str,
        run: str,
        clock: Clock,
        project: str | None = None,
        part: int = 1,
        seq: int = 0,
    ) -> None:
        self.conversation, self.run, self.clock = conversation, run, clock
        self.part = part
        self._sink, self._project, self._seq = sink, project, seq

    def order(self) -> int:
        """The next place in the order of the run's events."""
        self._seq += 1
        return self._seq

    def head(self, seq: int | None = None, at: datetime | None = None) -> dict[str, Any]:
        """What every event carries: the next place and the time now, or those given."""
        seq = self.order() if seq is None else seq
        return {
            "id": f"{self.run}/{self.part}/{seq}",
            "conversation": self.conversation,
            "run": self.run,
            "project": self._project,
            "at": at or self.clock(),
            "seq": seq,
        }

    def write(self, event: Event) -> None:
        """Write one."""
        self._sink.write(event)
