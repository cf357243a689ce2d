"""Which requests of a run carried an item or a tool: from the first to the last, by their numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.db.models import Max, Min

from explorer.queries.items import DECLARED, PREFIX, rewrites
from explorer.queries.surface import Loading, state_after
from explorer.queries.tool_sizes import SizedTool
from observability.models import ContextItem, Request, Rewrite, Run, SurfaceEntry


@dataclass(frozen=True, kw_only=True, slots=True)
class Carried:
    """The first and the last request that carried something; None of both where no request of the run did."""

    first: int | None = None
    last: int | None = None

    @property
    def number(self) -> int:
        """How many requests these are."""
        return 0 if self.first is None or self.last is None else self.last - self.first + 1


NEVER: Final = Carried()


def item_carried(run: Run, item: ContextItem) -> Carried:
    """The requests that an item stands in: until it is replaced or, in the conversation, until the next rewrite.

    What is declared first in a run may be written after the request that was sent with it: it holds from the first.
    """
    same = ContextItem.objects.filter(run=run, kind=item.kind)
    ends = [same.filter(seq__gt=item.seq, replacing=True).aggregate(first=Min("seq"))["first"]]
    late = False
    if item.kind in PREFIX:
        late = (item.replacing or item.kind in DECLARED) and not same.filter(seq__lt=item.seq).exists()
    else:
        ends.append(rewrites(run).filter(seq__gt=item.seq).aggregate(first=Min("seq"))["first"])
    return _between(run, None if late else item.seq, min((end for end in ends if end is not None), default=None))


def tool_carried(run: Run, request: Request, sized: SizedTool) -> Carried:
    """The requests around this one that the schema of a tool was sent with."""
    if sized.tool.state == "loaded" and sized.tool.loading:
        return _while_loaded(run, sized.tool.name, sized.tool.loading)
    if sized.tool.state == "resident":
        return _while_resident(run, request, sized.tool.name)
    return NEVER


def first_request(run: Run, seq: int) -> int | None:
    """The number of the first request after a point of a run."""
    requests = Request.objects.filter(conversation_id=run.conversation_id, run=run, seq__gt=seq)
    return requests.order_by("seq").values_list("ordinal", flat=True).first()


def _while_loaded(run: Run, name: str, loading: Loading) -> Carried:
    later = Rewrite.objects.filter(run=run, seq__gte=loading.seq).order_by("seq")
    known = list(later.values_list("seq", "kind", "kept_tools"))
    ends = (
        seq for number, (seq, _, _) in enumerate(known, 1) if state_after(name, loading.seq, known[:number]) != "loaded"
    )
    return _between(run, loading.seq, next(ends, None))


def _while_resident(run: Run, request: Request, name: str) -> Carried:
    entries = SurfaceEntry.objects.filter(run=run)
    rows = entries.filter(tool__in=(name, "")).values_list("seq", "tool", "state")
    first = entries.filter(state="resident").aggregate(first=Min("seq"))["first"]
    for start, end in resident_spans(rows):
        since = None if start == first else start
        if (since is None or since < request.seq) and (end is None or request.seq <= end):
            return _between(run, since, end)
    return NEVER


def resident_spans(rows: Iterable[tuple[int, str, str]]) -> list[tuple[int, int | None]]:
    """From which point to which a tool was resident, from its entries and those that start a list anew (empty tool).

    The end is the point at which it left; None where it stayed.
    """
    spans: list[tuple[int, int | None]] = []
    for seq, tool, state in sorted(rows, key=lambda row: (row[0], row[1] != "")):
        stands = bool(spans) and spans[-1][1] is None
        named = tool != "" and state == "resident"
        if named and spans and spans[-1][1] == seq:
            spans[-1] = (spans[-1][0], None)
        elif named and not stands:
            spans.append((seq, None))
        elif stands and (state == "resident" if tool == "" else state != "resident"):
            spans[-1] = (spans[-1][0], seq)
    return spans


def _between(run: Run, after: int | None, until: int | None) -> Carried:
    requests = Request.objects.filter(conversation_id=run.conversation_id, run=run)
    if after is not None:
        requests = requests.filter(seq__gt=after)
    if until is not None:
        requests = requests.filter(seq__lte=until)
    found = requests.aggregate(first=Min("ordinal"), last=Max("ordinal"))
    return Carried(first=found["first"], last=found["last"])
