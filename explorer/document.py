"""One request as a document: the same figures as the page, for a program to read.

Tokens are whole numbers; a count also has its band and its provenance (reported, measured, estimated,
unknown). Money is a string of US dollars, exact; shares and rates are strings of 0 to 1. What is not
known is null. Text of a log stands as it was logged: JSON escapes it.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from explorer.page.build import ContextPage
from explorer.page.held_whole import Whole
from explorer.page.holding import Cost, Holding
from explorer.page.since import SORTS, Group, Prefix, Since
from explorer.page.through_time import of_page
from explorer.queries.epochs import Epoch
from explorer.queries.kin import Child
from explorer.queries.surface import Loading
from explorer.queries.tool_sizes import SizedTool
from explorer.ribbon.marks import Mark
from explorer.ribbon.stretches import Stretch
from explorer.traps import Trap
from harness.accounting import Account, Category, Row
from harness.accounting.holding import Held
from harness.tokens import Count
from harness.usage import rate_of
from observability.pricing import dollars

VERSION: Final = 1
"""Raised when a field changes its meaning; new fields may appear at any time."""


def document(page: ContextPage) -> dict[str, Any]:
    """All figures of a request that its page shows. It can be sent as JSON as it is."""
    time = of_page(page)
    return {
        "version": VERSION,
        "conversation": _conversation(page),
        "run": {"uid": page.at.run.uid, "kind": page.at.run.kind, "name": page.run_name},
        "request": _request(page),
        "prompt": _prompt(page),
        "cost": {"usd": _usd(page.request.cost_pusd), "prompt_usd": _usd(page.request.prompt_pusd)},
        **_account(page.now.account),
        "surface": {"resident_known": page.now.surface.resident_known},
        "tools": [_tool(each, page.holding) for each in page.now.tools.values()],
        "deferral": _deferral(page),
        "since": _since(time.since) if time.since else None,
        "same": _same(time.since.prefix) if time.since else None,
        "markers": [_marker(mark) for mark in page.plan.marks],
        "markers_would_stand": [_place(mark) for mark in page.plan.would],
        "between_markers": [_stretch(each) for each in time.stretches],
        "epochs": [_epoch(each) for each in time.epochs],
        "sub_agents": [_child(each) for each in time.children.listed],
        "headline": _headline(page),
        "traps": [_trap(trap) for trap in page.headline.traps],
        "notices": [f"{say.point} {say.rest}" for say in (page.warning, page.shrink, page.notice) if say],
    }


def _conversation(page: ContextPage) -> dict[str, Any]:
    found = page.conversation
    return {
        "uid": found.uid,
        "title": found.title,
        "project": found.project.name,
        "agent": found.agent,
        "demo": found.demo,
    }


def _request(page: ContextPage) -> dict[str, Any]:
    request = page.request
    return {
        "ordinal": request.ordinal,
        "requests": page.at.requests,
        "turn": page.turn,
        "at": request.started_at.isoformat() if request.started_at else None,
        "model": request.model,
        "provider": request.provider,
        "message_id": request.message_id,
        "idle_seconds": page.at.idle_seconds,
        "cold": request.cold,
        "break": request.break_reason or None,
        "flags": [flag.value for flag in page.flags],
    }


def _prompt(page: ContextPage) -> dict[str, Any]:
    """The buckets as billed. `total` is what stood in the context; null where the provider did not report it."""
    request = page.request
    return {
        "total": page.now.account.total,
        "billed": page.billed,
        "read": request.read,
        "write_5m": request.write_5m,
        "write_1h": request.write_1h,
        "write_other": request.write_other,
        "uncached": request.uncached,
        "cache_rate": _share(rate_of(read=request.read, prompt=page.billed)),
        "rebuilt": request.rebuilt,
        "output": request.output,
        "output_recorded": request.output_recorded,
    }


def _account(account: Account) -> dict[str, Any]:
    excess = account.excess
    return {
        "categories": [_category(account, each) for each in account.categories],
        "parts": _count(account.parts),
        "residual": account.residual,
        "within_band": account.within_band,
        "excess": {"by": excess.by, "category": excess.title, "label": excess.label} if excess else None,
    }


def _category(account: Account, category: Category) -> dict[str, Any]:
    return {
        "kind": category.shape.kind,
        "title": category.shape.title,
        "prefix": category.shape.prefix,
        "number": category.number,
        "unknown": category.unknown,
        **_count(category.count),
        "share": _share(account.share(category.count.tokens)),
        "rows": [_row(row) for row in category.rows],
    }


def _row(row: Row) -> dict[str, Any]:
    return {"label": row.label, "owner": row.owner, "number": row.number, **_count(row.count)}


def _count(count: Count) -> dict[str, Any]:
    return {"tokens": count.tokens, "low": count.low, "high": count.high, "provenance": count.provenance}


def _tool(each: SizedTool, holding: Holding | None) -> dict[str, Any]:
    tool = each.tool
    over = holding.back.tools.get(tool.name) if holding else None
    return {
        "name": tool.name,
        "state": tool.state,
        "server": tool.server or None,
        "group": tool.group or None,
        "reason": tool.reason or None,
        "schema": _count(each.schema) if each.schema else None,
        "index": _count(each.index),
        "held_back": each.held_back if tool.state == "deferred" else None,
        "over_run": {"requests": over.requests, **_cost(over.held)} if over else None,
        "calls": tool.calls,
        "last_used": tool.last_used,
        "loading": _loading(tool.loading) if tool.loading else None,
        "definition": {"hash": each.definition.hash.hex(), "where": each.definition.where} if each.definition else None,
    }


def _loading(loading: Loading) -> dict[str, Any]:
    return {
        "trigger": loading.trigger,
        "request": loading.request,
        "query": loading.query or None,
        "derived": loading.derived,
    }


def _deferral(page: ContextPage) -> dict[str, Any] | None:
    """What holding schemas back saves in this request; null where the log names no tool."""
    tools = page.tools
    if tools is None:
        return None
    return {
        "saved": tools.saved,
        "resident": tools.resident_tokens,
        "index": tools.index_tokens,
        "loaded": tools.loaded_tokens,
        "schemas": tools.schema_tokens,
        "unknown_schemas": tools.unknown,
        "over_run": _over_run(page.holding) if page.holding else None,
        "over_conversation": _over_conversation(page.whole) if page.whole else None,
    }


def _over_run(holding: Holding) -> dict[str, Any]:
    """What holding back saved and cost over the run; `net_usd` is signed."""
    back = holding.back
    return {
        "requests": back.requests,
        "unpriced": back.unpriced,
        "saved": _cost(holding.total),
        "searches": back.searching.searches,
        "searching_usd": _usd(back.searching.pusd),
        "net_usd": _usd(back.net_pusd),
    }


def _over_conversation(whole: Whole) -> dict[str, Any]:
    """The same over all runs that held something back; null where no other run than this one did."""
    sums = whole.total
    return {
        "runs": whole.runs,
        "requests": sums.requests,
        "saved": {"tokens": sums.tokens, "usd": _usd(sums.saved)},
        "searches": sums.searches,
        "searching_usd": _usd(sums.searching),
        "net_usd": _usd(sums.net),
    }


def _cost(cost: Cost | Held | None) -> dict[str, Any]:
    """Tokens and money; null where the schema is in no log."""
    return {"tokens": cost.tokens if cost else None, "usd": _usd(cost.pusd) if cost else None}


def _since(since: Since) -> dict[str, Any]:
    """What changed against the request before, by kind. Tokens are signed; those of `replaced` are the difference."""
    found = since.against
    sorts = {name: [_change(each) for each in since.groups if each.sort == name] for name in SORTS}
    return {
        **{name.lower(): changes for name, changes in sorts.items()},
        "tokens": found.comparison.change,
        "reported": found.grown,
        "unexplained": found.unexplained,
        "rewritten": found.rewritten,
    }


def _change(group: Group) -> dict[str, Any]:
    return {"kind": group.kind, "number": group.number, "tokens": group.tokens}


def _marker(mark: Mark) -> dict[str, Any]:
    return {"place": mark.place, "lifetime": mark.lifetime, "at": mark.at, "fate": mark.fate or None}


def _place(mark: Mark) -> dict[str, Any]:
    """Where the harness would set a marker; the log names none. `why` says why it has no place."""
    placed = {"at": mark.at, "provenance": "estimated" if mark.at is not None else None}
    return {"place": mark.place, "lifetime": mark.lifetime, **placed, "why": mark.why or None}


def _same(prefix: Prefix) -> dict[str, Any]:
    """How far the prompt is that of the request before. `proven`: byte for byte; `says` is where it first differs."""
    return {
        "tokens": prefix.tokens,
        "provenance": prefix.provenance,
        "proven": prefix.proven,
        "says": (prefix.rest if prefix.tokens is not None else f"{prefix.lead} {prefix.rest}".strip()) or None,
    }


def _stretch(each: Stretch) -> dict[str, Any]:
    """From one marker to another by number; null for the ends of the request."""
    return {
        "from": each.start or None,
        "to": each.end or None,
        "tokens": each.tokens,
        "read": each.read,
        "written": each.written,
        "uncached": each.uncached,
    }


def _epoch(each: Epoch) -> dict[str, Any]:
    ended = each.ended
    return {
        "number": each.number,
        "first": each.first,
        "last": each.last,
        "tokens": each.tokens or None,
        "ended": {"kind": ended.kind, "trigger": ended.trigger or None, "won": ended.won} if ended else None,
    }


def _child(each: Child) -> dict[str, Any]:
    """A sub-agent that the run started, with its surface at its first request."""
    found = each.figures
    return {
        "run": each.run.uid,
        "profile": each.run.profile or None,
        "asked_by": each.asked_by,
        "requests": each.requests,
        "first_prompt": each.prompt,
        "resident": found.resident if found.known else None,
        "schemas": found.resident_tokens if found.known else None,
        "deferred": found.names if found.known else None,
    }


def _headline(page: ContextPage) -> dict[str, Any] | None:
    """What the conversation's main run sent before any work; null where its first request is not in the log."""
    found = page.headline.figures
    if found is None:
        return None
    turn = found.outweighed
    return {
        "resumed": found.resumed,
        "first_prompt": found.raw,
        "own_text": found.own,
        "idle": found.idle,
        "prefix": found.prefix,
        "residual": found.residual,
        "outweighed": {"turn": turn.turn, "request": turn.request} if turn else None,
        "resident": found.unused.resident,
        "never_called": [{"name": each.name, "schema": each.schema, **_cost(each.held)} for each in found.unused.tools],
    }


def _trap(trap: Trap) -> dict[str, Any]:
    return {"kind": trap.kind, "title": trap.title, "figure": trap.figure, "tokens": trap.tokens, "why": trap.why}


def _usd(pusd: int | None) -> str | None:
    return None if pusd is None else f"{dollars(pusd):f}"


def _share(share: Decimal | None) -> str | None:
    return None if share is None else f"{share:.6f}"
