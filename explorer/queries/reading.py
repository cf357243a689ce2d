"""One item or one tool of a request, to be read: its text as kept, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import msgspec
from django.db.models import Min

from explorer.queries.composition import Composition
from explorer.queries.items import rewrites
from explorer.queries.pieces import Part
from explorer.queries.tool_sizes import SizedTool
from harness.accounting import shape_of
from harness.tokens import Count
from observability.models import ContextItem, Request, Run
from observability.queries import blocks

MOST: Final = 20_000
"""Characters that are shown; a longer text is cut, and the page says so."""
TOOL: Final = "tool:"


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What is read. `text` is None where none was kept; `cut` is how many characters are not shown."""

    ref: str
    title: str
    kind: str
    owner: str
    chars: int
    tokens: int | None
    provenance: str
    at: datetime | None
    first: int | None
    last: int | None
    text: str | None
    cut: int
    complete: bool
    hidden_chars: int = 0
    media_bytes: int | None = None
    where: str = ""


def reading(run: Run, now: Composition, ref: str) -> Reading | None:
    """What a reference names: a tool of this request, or a context item of its run; None where it names neither."""
    if ref.startswith(TOOL):
        sized = now.tools.get(ref.removeprefix(TOOL))
        return _tool(sized) if sized else None
    if not (ref.isascii() and ref.isdecimal() and len(ref) < 19):
        return None
    item = ContextItem.objects.filter(run=run, pk=int(ref)).first()
    return _item(run, item, next((part for part in now.parts if part.item == int(ref)), None)) if item else None


def _tool(sized: SizedTool) -> Reading:
    definition = sized.definition
    stored = blocks.texts([definition.hash]).get(definition.hash) if definition else None
    text, cut = _shown(stored.text if stored else None, as_json=True)
    count: Count | None = sized.schema
    return Reading(
        ref=TOOL + sized.tool.name,
        title=sized.tool.name,
        kind=f"{sized.tool.state} tool",
        owner=sized.tool.server or "built in",
        chars=sized.size.chars if sized.size else 0,
        tokens=count.tokens if count else None,
        provenance=count.provenance if count else "unknown",
        at=None,
        first=sized.tool.loading.request if sized.tool.loading else None,
        last=None,
        text=text,
        cut=cut,
        complete=stored.complete if stored else False,
        where=definition.where if definition else "",
    )


def _item(run: Run, item: ContextItem, part: Part | None) -> Reading:
    hash_ = bytes(item.text_hash) if item.text_hash else None
    stored = blocks.texts([hash_]).get(hash_) if hash_ else None
    text, cut = _shown(stored.text if stored else None, as_json=item.kind in ("tool_call", "tool_definition"))
    shape = shape_of(item.kind)
    first, last = _carried(run, item)
    return Reading(
        ref=str(item.pk),
        title=item.label or (part.label if part else "") or (shape.title if shape else item.kind),
        kind=shape.title if shape else item.kind.replace("_", " "),
        owner=item.owner,
        chars=item.chars,
        tokens=part.tokens if part else None,
        provenance=_provenance(item, stored),
        at=item.at,
        first=first,
        last=last,
        text=text,
        cut=cut,
        complete=stored.complete if stored else False,
        hidden_chars=item.hidden_chars,
        media_bytes=item.media_bytes,
    )


def _provenance(item: ContextItem, stored: blocks.StoredText | None) -> str:
    if item.tokens is not None:
        return "reported"
    if stored is not None and stored.complete:
        return "measured"
    return "estimated" if item.chars or item.media_bytes else "unknown"


def _carried(run: Run, item: ContextItem) -> tuple[int | None, int | None]:
    """The requests that carried an item of the conversation: from the next one to the end of its epoch."""
    requests = Request.objects.filter(conversation_id=run.conversation_id, run=run, seq__gt=item.seq)
    rewrite = rewrites(run).filter(seq__gt=item.seq).aggregate(first=Min("seq"))["first"]
    if rewrite is not None:
        requests = requests.filter(seq__lte=rewrite)
    ordinals = requests.order_by("seq").values_list("ordinal", flat=True)
    return ordinals.first(), ordinals.last()


def _shown(text: str | None, *, as_json: bool) -> tuple[str | None, int]:
    if text is None:
        return None, 0
    pretty = _pretty(text) if as_json else text
    return pretty[:MOST], max(0, len(pretty) - MOST)


def _pretty(text: str) -> str:
    """JSON with line breaks; any other text as it is."""
    try:
        value: Any = msgspec.json.decode(text)
        return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text
