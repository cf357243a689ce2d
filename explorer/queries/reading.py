"""One item or one tool of a request, to be read: its text as kept, where it came from, and which requests carried it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import msgspec

from explorer.queries.carried import NEVER, Carried, item_carried, tool_carried
from explorer.queries.composition import Composition
from explorer.queries.origin import Known, Log, Origin, item_origin, known_in, log_of
from explorer.queries.pieces import Part
from explorer.queries.tool_sizes import SizedTool
from explorer.queries.versions import Change, item_change, tool_versions
from harness.accounting import shape_of
from observability.models import ContextItem, Run
from observability.queries import blocks

MOST: Final = 20_000
"""Characters that are shown at first; a longer text is cut, and the page says so."""
TOOL: Final = "tool:"
JSON_KINDS: Final = ("tool_call", "tool_definition")


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What is read. `text` is None where none was kept, and only the beginning of it where not `complete`.

    `pretty` is the text with the line breaks of JSON, where it is JSON. Of a tool, `sized` says the rest;
    of an item, `origin`. `versions` is how many definitions of it the run has, `change` one that took the
    place of another.
    """

    ref: str
    title: str
    kind: str
    owner: str
    chars: int
    tokens: int | None
    provenance: str
    at: datetime | None
    carried: Carried
    text: str | None
    complete: bool
    log: Log
    hash: bytes | None = None
    is_json: bool = False
    hidden_chars: int = 0
    media_bytes: int | None = None
    origin: Origin | None = None
    sized: SizedTool | None = None
    known: Known | None = None
    versions: int = 1
    change: Change | None = None

    @property
    def pretty(self) -> str:
        """The text for the eye; empty where none was kept."""
        return pretty(self.text or "") if self.is_json else self.text or ""

    @property
    def beginning(self) -> str:
        """What is shown at first."""
        return self.pretty[:MOST]

    @property
    def cut(self) -> int:
        """How many characters are not shown at first."""
        return max(0, len(self.pretty) - MOST)


def reading(run: Run, now: Composition, ref: str) -> Reading | None:
    """What a reference names: a tool of this request, or a context item of its run; None where it names neither."""
    if ref.startswith(TOOL):
        sized = now.tools.get(ref.removeprefix(TOOL))
        return _tool(run, now, sized) if sized else None
    if not (ref.isascii() and ref.isdecimal() and len(ref) < 19):
        return None
    item = ContextItem.objects.filter(run=run, pk=int(ref)).first()
    return _item(run, now, item, next((part for part in now.parts if part.item == int(ref)), None)) if item else None


def _tool(run: Run, now: Composition, sized: SizedTool) -> Reading:
    hash_ = sized.definition.hash if sized.definition else None
    stored = blocks.texts([hash_]).get(hash_) if hash_ else None
    versions = tool_versions(run, now.request, sized.tool.name)
    return Reading(
        ref=TOOL + sized.tool.name,
        title=sized.tool.name,
        kind=f"{sized.tool.state} tool",
        owner=sized.tool.server or "built in",
        chars=sized.size.chars if sized.size else 0,
        tokens=sized.schema.tokens if sized.schema else None,
        provenance=sized.schema.provenance if sized.schema else "unknown",
        at=None,
        carried=tool_carried(run, now.request, sized) if sized.kind else NEVER,
        text=stored.text if stored else None,
        complete=stored.complete if stored else False,
        log=log_of(run),
        hash=hash_,
        is_json=True,
        sized=sized,
        known=known_in(sized),
        versions=versions.number if versions else 1,
        change=versions.shown if versions else None,
    )


def _item(run: Run, now: Composition, item: ContextItem, part: Part | None) -> Reading:
    hash_ = bytes(item.text_hash) if item.text_hash else None
    stored = blocks.texts([hash_]).get(hash_) if hash_ else None
    shape = shape_of(item.kind)
    origin = item_origin(run, now, item)
    return Reading(
        ref=str(item.pk),
        title=item.label or (part.label if part else "") or (shape.title if shape else item.kind),
        kind=shape.title if shape else item.kind.replace("_", " "),
        owner=item.owner,
        chars=item.chars,
        tokens=part.tokens if part else None,
        provenance=_provenance(item, stored),
        at=item.at,
        carried=item_carried(run, item),
        text=stored.text if stored else None,
        complete=stored.complete if stored else False,
        log=origin.log,
        hash=hash_,
        is_json=item.kind in JSON_KINDS,
        hidden_chars=item.hidden_chars,
        media_bytes=item.media_bytes,
        origin=origin,
        change=item_change(run, now.request, item),
    )


def _provenance(item: ContextItem, stored: blocks.StoredText | None) -> str:
    if item.tokens is not None:
        return "reported"
    if stored is not None and stored.complete:
        return "measured"
    return "estimated" if item.chars or item.media_bytes else "unknown"


def pretty(text: str) -> str:
    """JSON with line breaks; any other text as it is."""
    try:
        value: Any = msgspec.json.decode(text)
        return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text
