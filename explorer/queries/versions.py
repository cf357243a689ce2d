"""What an item or a tool's definition said before, where it changed within a run."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.queries.items import PREFIX
from harness.accounting import Kind, Piece, count_of, shape_of
from harness.tokens import Count, Provenance
from observability.models import ContextItem, Request, Run, SurfaceEntry
from observability.queries import blocks
from observability.queries.blocks import Size


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A text that took the place of another. `request` is the first one with the new text, None where none followed.

    `tokens` is by how much it grew; None where one of the two cannot be counted. `broke` says whether the cache broke at
    that request.
    """

    before: bytes
    after: bytes
    request: int | None
    tokens: int | None
    provenance: Provenance
    broke: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Versions:
    """How often a definition changed in a run, and the change that is shown: the last one before the request, or the next."""

    number: int
    shown: Change


def tool_versions(run: Run, request: Request, name: str) -> Versions | None:
    """The definitions of a tool over a run; None where there is one at most."""
    rows = SurfaceEntry.objects.filter(run=run, tool=name, definition__isnull=False).order_by("seq", "id")
    found: list[tuple[int, bytes]] = []
    for seq, definition in rows.values_list("seq", "definition"):
        if definition and (not found or found[-1][1] != bytes(definition)):
            found.append((seq, bytes(definition)))
    if len(found) < 2:
        return None
    at = max(1, sum(seq < request.seq for seq, _ in found) - 1)
    (_, before), (seq, after) = found[at - 1], found[at]
    return Versions(number=len(found), shown=_change(run, request, "builtin_tool", before, after, seq))


def item_change(run: Run, request: Request, item: ContextItem) -> Change | None:
    """What a piece of the prefix took the place of; None where it is the first of its name, or says the same."""
    shape = shape_of(item.kind)
    if not item.replacing or item.kind not in PREFIX or item.text_hash is None or shape is None:
        return None
    same = ContextItem.objects.filter(run=run, kind=item.kind, label=item.label, owner=item.owner, idx=item.idx)
    before = same.filter(seq__lt=item.seq, text_hash__isnull=False).order_by("-seq").first()
    old = bytes(before.text_hash) if before and before.text_hash else None
    if old is None or old == bytes(item.text_hash):
        return None
    return _change(run, request, shape.kind, old, bytes(item.text_hash), item.seq)


def _change(run: Run, request: Request, kind: Kind, before: bytes, after: bytes, seq: int) -> Change:
    sizes = blocks.sizes([before, after])
    old, new = (_count(kind, sizes.get(hash_), request.model) for hash_ in (before, after))
    requests = Request.objects.filter(conversation_id=run.conversation_id, run=run, seq__gt=seq).order_by("seq")
    ordinal, reason = requests.values_list("ordinal", "break_reason").first() or (None, "")
    return Change(
        before=before,
        after=after,
        request=ordinal,
        broke=bool(reason),
        tokens=new.tokens - old.tokens if old and new else None,
        provenance=new.provenance if old and new else "unknown",
    )


def _count(kind: Kind, size: Size | None, model: str) -> Count | None:
    return None if size is None else count_of(Piece(kind=kind, o200k=size.tokens, chars=size.chars), model)
