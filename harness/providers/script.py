"""A script: what a model says, turn by turn, for runs without one.

turns:
  - text: I look for a tool.
    calls: [{tool: search_tools, arguments: {query: assign a ticket to someone}}]
  - error: {kind: overloaded}
  - calls: [{tool: assign_ticket, arguments: {ticket: 7, person: ada}}]
    first_event_after: 0.8
  - text: Done.
    usage: {input_tokens: 12, cache_read_input_tokens: 9000, output_tokens: 5}
agents:
  general: [{text: The sub-agent's answer.}]
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from harness.errors import CommandError

Kind = Literal["refused", "not_admitted", "overloaded", "faulty", "unreachable", "cut"]


class Call(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tool call. A text as `arguments` is what the model wrote, which may be no JSON."""

    tool: str
    arguments: dict[str, Any] | str = msgspec.field(default_factory=dict)
    id: str | None = None


class Error(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a request fails. `cut`: after the turn's text has come. `wait`: seconds that the provider asks for."""

    kind: Kind
    message: str = "scripted"
    wait: float | None = None


class Turn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One reply, or one failure: the next try is the next turn.

    `first_event_after` and `takes` are seconds: until the reply begins, and from then to its end.
    `usage` is reported as it stands; where there is none, the simulator makes it.
    """

    text: str = ""
    thinking: str = ""
    calls: tuple[Call, ...] = ()
    first_event_after: float = 0.0
    takes: float = 0.0
    usage: dict[str, Any] | None = None
    output_tokens: int | None = None
    stop_reason: str | None = None
    error: Error | None = None


class Script(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The turns of a main run, and those of its sub-agents.

    `agents`: turns by a profile's name, by a text that occurs in the task, or by `*` for any other.
    """

    turns: tuple[Turn, ...]
    agents: Mapping[str, tuple[Turn, ...]] = msgspec.field(default_factory=dict)

    def of_agent(self, profile: str, task: str) -> tuple[Turn, ...]:
        """The turns of one sub-agent. What its task holds goes before its profile."""
        for key, turns in self.agents.items():
            if key != "*" and key in task:
                return turns
        return self.agents.get(profile) or self.agents.get("*") or ()


def read_script(path: Path) -> Script:
    """A script from a file of YAML or JSON. Raises CommandError that names the place at fault."""
    data = path.read_bytes()
    try:
        decode = msgspec.json.decode if path.suffix == ".json" else msgspec.yaml.decode
        return decode(data, type=Script)
    except ImportError as error:
        raise CommandError(f"{path}: reading YAML needs PyYAML, JSON does not: {error}") from error
    except msgspec.DecodeError as error:
        raise CommandError(f"{path} is no script: {error}") from error
