"""What changed since another request of the run: sentences, sums by category, and the pieces themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from explorer.queries.against import Against
from explorer.queries.listing import beginnings
from explorer.queries.sent import Sent
from explorer.ribbon.plan import ROLES
from harness.accounting import CATEGORIES, shape_of
from harness.tokens import Provenance
from observability.figures import counted, number, shown
from observability.models import Request

SORTS: Final = ("Added", "Replaced", "Removed")
"""What can have happened to a piece."""
SHOWN: Final = 20
"""Pieces of a category that are listed; the rest is one row."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Prefix:
    """How far two requests are the same. `tokens` stands between the sentences `lead` and `rest`."""

    lead: str
    tokens: int | None
    provenance: Provenance
    rest: str
    proven: bool
    """Whether the log holds all of it, so that it is the same byte for byte."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A piece that changed. `link` names it for reading, empty where this request does not have it."""

    title: str
    begins: str
    tokens: int
    link: str
    named: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """The changes of one sort in one category; `tokens` is signed. `rest` pieces are not listed."""

    sort: str
    kind: str
    title: str
    role: str
    number: int
    tokens: int
    rows: list[Row]
    rest: int
    rest_tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Since:
    """A request since another one. With `detail`, the groups list their pieces."""

    against: Against
    prefix: Prefix
    groups: list[Group]
    detail: bool

    @property
    def other(self) -> Request:
        """The other request."""
        return self.against.other

    @property
    def title(self) -> str:
        """The head of the section."""
        return f"{'Since' if self.against.later else 'Beside'} request {number(self.other.ordinal)}"

    @property
    def changes(self) -> str:
        """What happened to what stood before, in a sentence."""
        found = self.against.comparison
        told = [
            f"{counted(len(pieces), 'part')} {'was' if len(pieces) == 1 else 'were'} {done}"
            for pieces, done in ((found.removed, "removed"), (found.replaced, "replaced"))
            if pieces
        ]
        start = "The conversation was rewritten in between. " if self.against.rewritten else ""
        return start + (f"{', '.join(told)}." if told else "Nothing was removed or replaced.")


def since(found: Against, *, detail: bool) -> Since:
    """What the page says of a request against another one."""
    comparison = found.comparison
    changes = [
        ("Added", [(piece.tokens, piece) for piece in comparison.added], True),
        ("Replaced", [(new.tokens - old.tokens, new) for old, new in comparison.replaced], True),
        ("Removed", [(-piece.tokens, piece) for piece in comparison.removed], False),
    ]
    texts = _texts(changes) if detail else {}
    groups = [
        group for sort, pieces, here in changes for group in _groups(sort, pieces, texts, detail=detail, here=here)
    ]
    return Since(against=found, prefix=prefix(found), groups=groups, detail=detail)


Changed = tuple[int, Sent]


def _texts(changes: Iterable[tuple[str, list[Changed], bool]]) -> dict[bytes, str]:
    shown = [piece for _, pieces, _ in changes for some in _by_kind(pieces).values() for _, piece in some[:SHOWN]]
    return beginnings(piece.text for piece in shown if piece.text and not piece.kind.endswith("_tool"))


def _by_kind(pieces: Iterable[Changed]) -> dict[str, list[Changed]]:
    found: dict[str, list[Changed]] = {}
    for tokens, piece in pieces:
        found.setdefault(piece.kind, []).append((tokens, piece))
    return {shape.kind: found[shape.kind] for shape in CATEGORIES if shape.kind in found}


def _groups(sort: str, pieces: Iterable[Changed], texts: dict[bytes, str], *, detail: bool, here: bool) -> list[Group]:
    return [
        _group(sort, kind, some, texts, SHOWN if detail else 0, here=here) for kind, some in _by_kind(pieces).items()
    ]


def _group(sort: str, kind: str, some: list[Changed], texts: dict[bytes, str], shown: int, *, here: bool) -> Group:
    shape = shape_of(kind)
    return Group(
        sort=sort,
        kind=kind,
        title=shape.title if shape else kind,
        role=ROLES[kind],
        number=len(some),
        tokens=sum(tokens for tokens, _ in some),
        rows=[_row(tokens, piece, texts, here=here) for tokens, piece in some[:shown]],
        rest=len(some[shown:]),
        rest_tokens=sum(tokens for tokens, _ in some[shown:]),
    )


def _row(tokens: int, piece: Sent, texts: dict[bytes, str], *, here: bool) -> Row:
    shape = shape_of(piece.kind)
    return Row(
        title=piece.label or (shape.noun.capitalize() if shape else piece.kind),
        begins=texts.get(piece.text or b"", ""),
        tokens=tokens,
        # An item can be read at any request of its run; a tool only where it is on the surface.
        link=piece.ref if here or not piece.ref.startswith("tool:") else "",
        named=bool(piece.label),
    )


# How far the two are the same --------------------------------------------------


def prefix(found: Against) -> Prefix:
    """How far two requests are the same, and where they first differ."""
    comparison = found.comparison
    if not comparison.same:
        return Prefix(lead=_nothing(found), tokens=None, provenance="unknown", rest="", proven=False)
    proven = not comparison.unknown and found.snapshot
    all_of_it = comparison.whole and found.other_total is not None
    lead = f"All of request {number(found.other.ordinal)}, the first" if all_of_it else "The first"
    return Prefix(
        lead=lead,
        tokens=found.other_total if all_of_it else comparison.same_tokens,
        provenance="reported" if all_of_it else found.provenance,
        rest=" ".join(filter(None, (_missing(comparison.unknown, snapshot=found.snapshot), _differs(found)))),
        proven=proven,
    )


def _nothing(found: Against) -> str:
    if not found.comparison.differs and not found.comparison.instead:
        return "The log holds no part of either request."
    return f"Nothing at the start is the same. {_differs(found)}"


def _missing(unknown: Sequence[Sent], *, snapshot: bool) -> str:
    """What the log does not hold of what is taken to be the same."""
    lacks = [f"the text of {counted(len(unknown), 'part')} among them ({_kinds(unknown)})"] if unknown else []
    lacks += [] if snapshot else ["all of the system prompt and the resident tools"]
    return f"The log does not hold {' and '.join(lacks)}." if lacks else ""


def _kinds(pieces: Iterable[Sent]) -> str:
    shapes = (shape_of(kind) for kind in dict.fromkeys(piece.kind for piece in pieces))
    return ", ".join(shape.title.lower() for shape in shapes if shape)


def _differs(found: Against) -> str:
    comparison = found.comparison
    if comparison.instead is None:
        return ""
    was = f"{_named(comparison.instead)} of request {number(found.other.ordinal)}"
    if comparison.differs is None:
        return f"There this request ends; {was} would be next."
    return f"The first to differ is {_named(comparison.differs)}, where {was} stood."


def _named(piece: Sent) -> str:
    shape = shape_of(piece.kind)
    noun = shape.title.lower() if shape else piece.kind
    return f"“{noun}: {shown(piece.label[:80])}”" if piece.label else f"“{noun}”"
