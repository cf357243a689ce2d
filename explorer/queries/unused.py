"""Resident tools that a run never called, and what the requests that carried them paid for that."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from explorer.queries.held_facts import Facts, facts_of
from explorer.queries.holding import HeldBack
from explorer.queries.surface import Entry
from explorer.queries.tool_sizes import SizedTool
from explorer.traps.names import CALLERS, SEARCHERS
from harness.accounting.holding import Held, Ledger, Span, of_tools
from observability.models import Run, SurfaceEntry, ToolCall


@dataclass(frozen=True, kw_only=True, slots=True)
class UnusedTool:
    """A tool that is resident at the end of a run and that the run never called. `schema` is in tokens."""

    name: str
    schema: int
    held: Held
    """Its tokens in all requests that carried it, and what they paid."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Unused:
    """`resident` counts all tools that are resident at the end; None where the log does not hold them."""

    resident: int | None
    tools: list[UnusedTool]


def unused(run: Run, back: HeldBack | None = None) -> Unused:
    """The resident tools of a run that it never called, the dearest first. The search for tools is left out.

    `back` saves reading the run's requests once more, where it is of the same run.
    """
    if not SurfaceEntry.objects.filter(run=run, state="resident").exclude(tool="").exists():
        return Unused(resident=None, tools=[])
    facts, ledger = (back.facts, back.ledger) if back and back.run.pk == run.pk else _read(run)
    resident = [each for each in facts.tools.values() if each.tool.state == "resident"]
    called = set(ToolCall.objects.filter(run=run).values_list("tool", flat=True).distinct())
    known = called | SEARCHERS | CALLERS
    idle = [each for each in resident if each.schema and each.tool.name not in known]
    return Unused(resident=len(resident), tools=_priced(facts, ledger, idle))


def _read(run: Run) -> tuple[Facts, Ledger]:
    facts = facts_of([run])[0]
    return facts, of_tools([asked.paid for asked in facts.asked], facts.resident)


def _priced(facts: Facts, ledger: Ledger, idle: Sequence[SizedTool]) -> list[UnusedTool]:
    families = facts.models.keys()
    starts = first_places(facts.entries, facts.seqs)
    found = []
    for each in idle:
        size = each.schema.tokens if each.schema else 0
        span = Span(starts.get(each.tool.name, 0), len(facts.asked))
        held = ledger.held([span], dict.fromkeys(families, size))
        found.append(UnusedTool(name=each.tool.name, schema=size, held=held))
    return sorted(found, key=lambda tool: (-tool.held.tokens, tool.name))


def first_places(entries: Sequence[Entry], seqs: Sequence[int]) -> dict[str, int]:
    """The request from which each tool is resident, by its place. The first list of a log holds from the first request on."""
    firsts: dict[str, int] = {}
    for entry in entries:
        if entry.state == "resident" and entry.tool:
            firsts.setdefault(entry.tool, entry.seq)
    earliest = min(firsts.values(), default=0)
    return {tool: 0 if seq == earliest else bisect_left(seqs, seq) for tool, seq in firsts.items()}
