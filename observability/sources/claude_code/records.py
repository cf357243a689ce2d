"""Records beside the conversation: titles, modes, session totals, progress of sub-agents."""

from __future__ import annotations

from typing import Final

from harness.runlog import RunFinished, ToolCalled
from observability.sources.claude_code import fields
from observability.sources.claude_code.line import Line
from observability.sources.claude_code.state import MOST_CALLS, remember
from observability.sources.claude_code.texts import MOST_TITLE

_TITLES: Final[dict[str, tuple[int, tuple[str, ...]]]] = {
    "custom-title": (30, ("customTitle", "title")),
    "ai-title": (20, ("aiTitle", "title")),
    "summary": (10, ("summary",)),
}
"""Record type → its rank among titles, and the keys that hold the title."""


def title(line: Line) -> None:
    """A title of the session. A summary names a leaf of any session, so it counts only beside a session id."""
    if not line.record.get("sessionId"):
        return
    rank, names = _TITLES[line.kind]
    found = next((text for name in names if (text := fields.text(line.record, name, name))), None)
    if found:
        line.facts["title"] = " ".join(found[: 4 * MOST_TITLE].split())[:MOST_TITLE]
        line.facts["title_rank"] = rank


def mode(line: Line) -> None:
    """The permission mode of the session changed."""
    field = "permissionMode" if line.kind == "permission-mode" else "mode"
    found = fields.name(line.record, field, field)
    if found and line.record.get("sessionId"):
        line.facts["mode"] = found


def totals(line: Line) -> None:
    """`cost-state`: the client's own sums. It is no end of the run; they serve as a cross-check."""
    found = fields.obj(line.record, "modelUsage", "modelUsage")
    if found:
        fields.sane(found, "modelUsage")
        line.found.events.append(RunFinished(**line.base("totals"), totals=found))


def progress(line: Line) -> None:
    """Older progress lines of a sub-agent tell whose child it is. They repeat its messages: those are not read."""
    data = fields.obj(line.record, "data", "data")
    if data is None or data.get("type") != "agent_progress":
        return
    call = fields.name(line.record, "parentToolUseID", "parentToolUseID")
    child = fields.name(data, "agentId", "data.agentId")
    if call and child and call not in line.state.children:
        remember(line.state.children, call, None, MOST_CALLS)
        line.found.events.append(ToolCalled(**line.base("child"), call=call, child_run=child))


def nothing(line: Line) -> None:
    """A known record that tells nothing of the run."""
