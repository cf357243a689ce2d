"""The tables.

Rows are named by hashes of what they are (`observability.identity`), so that any order of
import gives the same rows. Every table carries `project` and a time, so that it can be
partitioned and distributed later. Links between large tables have no database constraint:
a fact may arrive before the row that it belongs to.
"""

from __future__ import annotations

from observability.models.context import Block, ContextItem, Rewrite
from observability.models.conversations import Conversation, Project, Run
from observability.models.imports import ImportedFile, ImportJob, QuarantinedLine, StoreState, UnknownRecord
from observability.models.requests import HourlyRollup, Request, Sighting
from observability.models.tools import (
    Activation,
    ListedTool,
    Search,
    ServerReport,
    SurfaceEntry,
    SurfaceUse,
    ToolCall,
    ToolDefinition,
    ToolList,
    ToolUse,
)

__all__ = [
    "Activation",
    "Block",
    "ContextItem",
    "Conversation",
    "HourlyRollup",
    "ImportJob",
    "ImportedFile",
    "ListedTool",
    "Project",
    "QuarantinedLine",
    "Request",
    "Rewrite",
    "Run",
    "Search",
    "ServerReport",
    "Sighting",
    "StoreState",
    "SurfaceEntry",
    "SurfaceUse",
    "ToolCall",
    "ToolDefinition",
    "ToolList",
    "ToolUse",
    "UnknownRecord",
]
