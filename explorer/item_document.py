"""The items of a request as a document, and one item with its text: what the page shows of it, for a program to read.

Text of a log stands as it was logged: JSON escapes it. What is not known is null.
"""

from __future__ import annotations

from typing import Any

from explorer.page.build import ContextPage
from explorer.queries.carried import Carried
from explorer.queries.origin import Call, Origin
from explorer.queries.reading import Reading
from explorer.queries.tool_sizes import SizedTool
from explorer.queries.versions import Change


def items(page: ContextPage) -> list[dict[str, Any]]:
    """What was sent, piece by piece in the order sent.

    Tokens are rounded one by one here, and together in the categories: sums may differ by half a token a piece.
    """
    return [
        {"item": part.ref, "kind": part.kind, "label": part.label or None, "tokens": part.tokens}
        for part in page.now.parts
    ]


def item_document(page: ContextPage, reading: Reading) -> dict[str, Any]:
    """One item with its whole text, as far as it was kept."""
    return {
        "version": 1,
        "conversation": page.conversation.uid,
        "run": page.at.run.uid,
        "request": page.at.ordinal,
        "item": reading.ref,
        "title": reading.title,
        "kind": reading.kind,
        "owner": reading.owner or None,
        "tokens": reading.tokens,
        "provenance": reading.provenance,
        "chars": reading.chars,
        "hidden_chars": reading.hidden_chars,
        "media_bytes": reading.media_bytes,
        "at": reading.at.isoformat() if reading.at else None,
        "requests": _carried(reading.carried),
        "log": {"source": reading.log.source, "files": reading.log.files},
        "origin": _origin(reading.origin) if reading.origin else None,
        "tool": _tool(reading.sized) if reading.sized else None,
        "change": _change(reading.change) if reading.change else None,
        "hash": reading.hash.hex() if reading.hash else None,
        "complete": reading.complete,
        "text": reading.text,
    }


def _carried(carried: Carried) -> dict[str, Any]:
    return {"first": carried.first, "last": carried.last, "number": carried.number}


def _origin(origin: Origin) -> dict[str, Any]:
    return {"written_by": origin.written_by, "call": _call(origin.call) if origin.call else None}


def _call(call: Call) -> dict[str, Any]:
    return {
        "tool": call.tool,
        "result" if not call.answers else "call": call.ref,
        "ok": call.ok,
        "duration_ms": call.duration_ms,
        "error": call.error or None,
        "child_run": call.child or None,
    }


def _tool(sized: SizedTool) -> dict[str, Any]:
    found = sized.definition
    return {
        "state": sized.tool.state,
        "server": sized.tool.server or None,
        "group": sized.tool.group or None,
        "listing": sized.tool.listing or None,
        "definition_from": found.where if found else None,
        "conversation": found.conversation.uid if found and found.conversation else None,
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "request": change.request,
        "tokens": change.tokens,
        "cache_broke": change.broke,
        "before": change.before.hex(),
        "after": change.after.hex(),
    }
