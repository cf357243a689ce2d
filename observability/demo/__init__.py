"""Six conversations of an invented project, for a machine that has no logs yet.

They go through the run log and the store like any other, marked as demo, and can be removed
without a trace.
"""

from __future__ import annotations

from observability.demo.rows import Removed, load_demo, remove_demo
from observability.demo.stories import demo_events

__all__ = ["Removed", "demo_events", "load_demo", "remove_demo"]
