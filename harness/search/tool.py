"""The search that outside MCP clients get. That of a run, `search_tools`, stands with the harness's own tools."""

from __future__ import annotations

from typing import Final

from harness.tools import ToolSpec

USUAL: Final = 5
"""Matches where a search names no limit."""
MOST: Final = 25
"""The highest limit."""

SEARCH_TOOL_BM25: Final = ToolSpec(
    name="search_tool_bm25",
    description=(
        "Find tools for a task and describe them. Describe the task in plain words, such as 'assign a ticket to"
        " someone'. Nothing is loaded or changed: call the tool that fits by its name, which tools/list has."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What you want to do"},
            "limit": {
                "type": "integer",
                "description": f"Most tools to describe, {USUAL} if left out",
                "minimum": 1,
                "maximum": MOST,
            },
        },
        "additionalProperties": False,
        "required": ["query"],
    },
    group="Tools",
    annotations={"readOnlyHint": True},
)
