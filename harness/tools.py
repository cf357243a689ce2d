"""A tool as the harness knows it: what is sent of it, and what it is grouped by."""

from __future__ import annotations

from typing import Any

import msgspec


class ToolSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One tool of a catalogue. Two specs that are equal give the same bytes in a request.

    `group` is the title that the tool stands under in the index of deferred tools. `server` is
    the tool server that it comes from, empty for what is built in. `annotations` are hints of
    its server (such as `readOnlyHint`); they are never sent to a model. `original_name` is what
    the server itself calls the tool, where no provider would take that name; empty otherwise.
    """

    name: str
    description: str = ""
    input_schema: dict[str, Any] = msgspec.field(default_factory=lambda: {"type": "object", "properties": {}})
    group: str = ""
    server: str = ""
    annotations: dict[str, Any] = msgspec.field(default_factory=dict)
    original_name: str = ""

    def definition(self) -> dict[str, Any]:
        """The definition as it is sent, in Anthropic's form. Other providers' forms are made from it."""
        return {"name": self.name, "description": self.description, "input_schema": self.input_schema}


def server_of(name: str) -> str:
    """The server in a tool's name of the form mcp__server__tool; empty for what is built in."""
    parts = name.split("__", 2)
    return parts[1] if len(parts) == 3 and parts[0] == "mcp" else ""
