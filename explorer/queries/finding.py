"""Search in the texts of a context: in one request, in a whole run, or in all runs of a conversation.

Texts are stored as compressed blocks, so a search reads them one after the other, as they were sent, and
stops after so many finds or so many characters. It always says how far it came; the next one goes on there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeVar

from django.db.models import Min, OuterRef, Subquery

from explorer.queries.carried import first_request
from explorer.queries.composition import Composition
from explorer.queries.moment import Moment
from harness.accounting import shape_of
from observability.enums import Codec
from observability.models import Block, ContextItem, Request, Run, SurfaceEntry
from observability.queries.blocks import WHOLE, decoded

T = TypeVar("T")
Within = Literal["request", "run", "conversation"]
FINDS: Final = 40
"""Places that are shown at once."""
CHARS: Final = 40_000_000
"""Characters that one search reads at most; the text during which that is passed is read to its end."""
AROUND: Final = 70
"""Characters of a text that are shown on either side of a find."""
BATCH: Final = 100


class Snippet(NamedTuple):
    """A find and the text around it, on one line. `more` is how often it stands in the text besides."""

    before: str
    match: str
    after: str
    more: int = 0


class Place(NamedTuple):
    """Somewhere to look: an item by its id, or a tool by its name; `hash` is that of its text, where it has one."""

    run: int
    seq: int
    item: int
    kind: str
    label: str
    hash: bytes | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Find:
    """A place where it was found. `ordinal` is a request that carried it, None where none did."""

    title: str
    label: str
    ref: str
    run: Run
    ordinal: int | None
    snippet: Snippet
    in_label: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What a search came to. `looked` places from `skipped` on were looked through; `rest` says why it stopped, if so."""

    query: str
    within: Within
    finds: list[Find]
    looked: int
    skipped: int
    chars: int
    not_kept: int
    """Places whose text is not in the store, or only its beginning."""
    stopped: Literal["", "finds", "chars"]

    @property
    def most(self) -> int:
        """How many characters a search reads at most."""
        return CHARS

    @property
    def next(self) -> int:
        """How many places a search that goes on from here passes over."""
        return self.skipped + self.looked


@dataclass(slots=True)
class _Progress:
    """How far a search has come. `seen` holds what was found in each text: one that stands in several places is read once."""

    hits: list[tuple[Place, Snippet, bool]] = field(default_factory=list)
    seen: dict[bytes, Snippet | None] = field(default_factory=dict)
    looked: int = 0
    chars: int = 0
    not_kept: int = 0

    @property
    def full(self) -> Literal["", "finds", "chars"]:
        """Why it must stop; empty while it may go on."""
        if len(self.hits) >= FINDS:
            return "finds"
        return "chars" if self.chars >= CHARS else ""


def find(at: Moment, now: Composition, query: str, *, within: Within = "request", skip: int = 0) -> Found:
    """Where a text stands, capitals or not, in labels and in kept texts. The first `skip` places are passed over."""
    if within == "request":
        places = _of_request(at, now)
    else:
        places = _of_runs([at.run] if within == "run" else at.runs)
    progress = _Progress()
    stopped = _look(islice(places, skip, None), query, progress)
    return Found(
        query=query,
        within=within,
        finds=_finds(at, progress.hits, within),
        looked=progress.looked,
        skipped=skip,
        chars=progress.chars,
        not_kept=progress.not_kept,
        stopped=stopped,
    )


def _of_request(at: Moment, now: Composition) -> Iterator[Place]:
    """The tools of a request, then its items in the order sent."""
    for name, sized in now.tools.items():
        hash_ = sized.definition.hash if sized.definition else None
        yield Place(at.run.pk, at.request.seq - 1, 0, "tool", name, hash_)
    for some in _batches(now.standing.items):
        hashes = dict(ContextItem.objects.filter(pk__in=[item.id for item in some]).values_list("id", "text_hash"))
        for item in some:
            text = hashes.get(item.id)
            yield Place(at.run.pk, item.seq, item.id, item.kind, item.label, bytes(text) if text else None)


def _of_runs(runs: Sequence[Run]) -> Iterator[Place]:
    """The tools of some runs, each definition once, then their items."""
    for run in runs:
        tools = SurfaceEntry.objects.filter(run=run).exclude(tool="").values_list("tool", "definition")
        for name, definition, first in tools.annotate(first=Min("seq")).order_by("first", "tool"):
            yield Place(run.pk, first, 0, "tool", name, bytes(definition) if definition else None)
    for run in runs:
        rows = ContextItem.objects.filter(run=run).order_by("seq", "idx", "id")
        for seq, item, kind, label, hash_ in rows.values_list("seq", "id", "kind", "label", "text_hash").iterator():
            yield Place(run.pk, seq, item, kind, label, bytes(hash_) if hash_ else None)


def _look(places: Iterator[Place], query: str, progress: _Progress) -> Literal["", "finds", "chars"]:
    """Look through places; the answer is why it stopped before the last, if it did."""
    match = matcher(query)
    for some in _batches(places):
        texts = _stored({place.hash for place in some if place.hash} - progress.seen.keys())
        for place in some:
            if progress.full:
                return progress.full
            progress.looked += 1
            label, text = match(place.label), _in_text(place, texts, match, progress)
            if found := label or text:
                progress.hits.append((place, found, label is not None))
    return ""


def _in_text(
    place: Place, texts: dict[bytes, tuple[str, bytes]], match: Callable[[str], Snippet | None], progress: _Progress
) -> Snippet | None:
    if place.hash is None:
        return None
    if place.hash not in progress.seen:
        codec, data = texts.get(place.hash, (Codec.NONE, b""))
        text = decoded(codec, data)
        progress.not_kept += codec not in WHOLE
        progress.chars += len(text or "")
        progress.seen[place.hash] = match(text) if text else None
    return progress.seen[place.hash]


def _stored(hashes: set[bytes]) -> dict[bytes, tuple[str, bytes]]:
    """Texts as they are stored: they are unpacked one at a time."""
    rows = Block.objects.filter(hash__in=hashes).values_list("hash", "codec", "data")
    return {bytes(hash_): (codec, bytes(data)) for hash_, codec, data in rows}


def matcher(query: str) -> Callable[[str], Snippet | None]:
    """What finds a text in another, with what stands around its first place."""
    plain = query.lower()
    pattern = re.compile(re.escape(query), re.IGNORECASE)

    def match(text: str) -> Snippet | None:
        low = text.lower()
        if plain not in low:
            return None
        found = pattern.search(text)
        start, end = found.span() if found else (low.index(plain), low.index(plain) + len(plain))
        before = _line(text[max(0, start - AROUND) : start])
        after = _line(text[end : end + AROUND])
        return Snippet(
            before=("…" if start > AROUND else "") + before,
            match=_line(text[start:end]),
            after=after + ("…" if end + AROUND < len(text) else ""),
            more=low.count(plain) - 1,
        )

    return match


def _line(text: str) -> str:
    return re.sub(r"[\r\n\t ]+", " ", text)


def _finds(at: Moment, hits: list[tuple[Place, Snippet, bool]], within: Within) -> list[Find]:
    runs = {run.pk: run for run in at.runs}
    ordinals = {} if within == "request" else _ordinals(at, {place.item for place, _, _ in hits if place.item})
    return [
        Find(
            title=_title(place),
            label=place.label,
            ref=str(place.item) if place.item else f"tool:{place.label}",
            run=runs[place.run],
            ordinal=at.ordinal if within == "request" else _ordinal(runs[place.run], place, ordinals),
            snippet=snippet,
            in_label=in_label,
        )
        for place, snippet, in_label in hits
    ]


def _title(place: Place) -> str:
    shape = shape_of(place.kind)
    return shape.title if shape else place.kind.replace("_", " ").capitalize()


def _ordinals(at: Moment, items: set[int]) -> dict[int, int | None]:
    """For each item the number of the first request after it."""
    after = Request.objects.filter(
        conversation_id=at.conversation.pk, run_id=OuterRef("run_id"), seq__gt=OuterRef("seq")
    )
    first = Subquery(after.order_by("seq").values("ordinal")[:1])
    return dict(ContextItem.objects.filter(pk__in=items).annotate(ordinal=first).values_list("pk", "ordinal"))


def _ordinal(run: Run, place: Place, known: dict[int, int | None]) -> int | None:
    return known.get(place.item) if place.item else first_request(run, place.seq)


def _batches(values: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(values)
    while some := list(islice(rest, BATCH)):
        yield some
