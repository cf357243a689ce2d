"""Traps: what commonly goes wrong with the tools and the context of an agent, each found by evidence in its log."""

from __future__ import annotations

from explorer.traps.facts import Facts, Trap
from explorer.traps.finding import find

__all__ = ["Facts", "Trap", "find"]
