"""The surface of a run: which tools it has, and which of them it sees at once."""

from __future__ import annotations

from harness.surface.index import grouped, index_entry, index_text
from harness.surface.late import can_join, grown, joining, late_text
from harness.surface.policy import Policy
from harness.surface.resolving import resolve
from harness.surface.surface import State, Surface, SurfaceTool

__all__ = [
    "Policy",
    "State",
    "Surface",
    "SurfaceTool",
    "can_join",
    "grouped",
    "grown",
    "index_entry",
    "index_text",
    "joining",
    "late_text",
    "resolve",
]
