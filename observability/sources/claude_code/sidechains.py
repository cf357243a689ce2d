"""Sub-agents of older versions, whose lines stand between those of the main run."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from harness.runlog import ToolCalled
from observability.sources.claude_code.line import MAIN, Line
from observability.sources.claude_code.state import MOST_CALLS, MOST_SIDECHAIN_LINES, remember

AGENT_TOOLS: Final = frozenset(("Task", "Agent"))


def run_of(line: Line, parent: str | None) -> str:
    """The run of a sidechain line without an agent id: the uuid of the sidechain's first line."""
    memory = line.state.sidechains
    run = memory.get(parent, line.name) if parent else line.name
    remember(memory, line.name, run, MOST_SIDECHAIN_LINES)
    return run


def given(line: Line, call: str, prompt: str) -> None:
    """A call gave this prompt to a sub-agent."""
    remember(line.state.tasks, _hash(prompt), call, MOST_CALLS)


def prompt(line: Line, text: str) -> None:
    """The first line of a sidechain: an equal prompt names the call that began it."""
    if line.run != line.name or line.run == MAIN:
        return
    call = line.state.tasks.get(_hash(text))
    if call is not None:
        line.facts["parent_call"] = call
        base = line.base(f"child:{call}")
        base["run"] = MAIN
        line.found.events.append(ToolCalled(**base, call=call, child_run=line.run))


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()
