"""What a run is told once, at its start."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from harness.modes import BUILD, Mode
from harness.providers.faults import Retrying
from harness.request import Strategy, Trimming


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run stops by itself, and what it cuts.

    `turns`: requests of one run. `output_chars`: of a tool's answer. `tool_seconds`: of one call.
    `gate_seconds`: how long a sub-agent waits for the first of its shape. `trim_from`: prompt
    tokens below which no stale output is looked for. `compact_from`: prompt tokens from which on
    a summary takes the place of the conversation; None: never. The request for it is no turn.
    """

    turns: int = 200
    output_chars: int = 40_000
    tool_seconds: float = 300.0
    gate_seconds: float = 8.0
    trim_from: int = 30_000
    compact_from: int | None = None
    agents: int = 16
    """Sub-agents at the same time."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How a run works. `agent_model` is that of its sub-agents, the run's own where it is None."""

    folder: Path
    model: str
    agent_model: str | None = None
    mode: Mode = BUILD
    strategy: Strategy | None = None
    max_tokens: int = 16_000
    parameters: Mapping[str, Any] = msgspec.field(default_factory=dict)
    limits: Limits = Limits()
    retrying: Retrying = Retrying()
    trimming: Trimming = Trimming()
    gate: bool = True
    project: str | None = None
    demo: bool = False
