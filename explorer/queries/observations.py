"""What factors can be fitted to: growths and whole prompts whose text is known, from what is stored.

What no log shows at all, such as an unlogged reminder, cannot be left out by any rule that does not
look at the error: it is part of the error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from django.db.models import Exists, OuterRef, Q

from explorer.queries.composition import compose
from explorer.queries.items import DECLARED, Item, written
from explorer.queries.pieces import pieces_of
from harness.accounting import Piece, shape_of
from harness.accounting.fit import Observation
from harness.tokens import Family, family
from observability.models import Activation, Request, Rewrite, Run, SurfaceEntry

FAMILIES: Final[tuple[Family, ...]] = ("claude-3", "claude-4.7", "openai")
"""Models of which nothing is known may each have a tokenizer of their own: they have no fit in common."""
MOST_RUNS: Final = 400
"""The newest runs that are looked at."""
OF_A_RUN: Final = 200
"""The newest requests of a run that are looked at."""
MOST: Final = 2_000
"""Observations of a family at most."""
OWN: Final = ("assistant", "thinking", "tool_call")
"""What the model wrote itself."""
LEAST_AROUND: Final = 30
"""Tokens of output that a call has at least beside its arguments. A count with less is a placeholder."""


def gather(runs: int = MOST_RUNS) -> dict[Family, list[Observation]]:
    """Observations by each family that has a tokenizer of its own, of the newest runs first, at most MOST of each.

    Left out are the demo, and runs of which no request has an id of the provider: their counts are not
    known to be a provider's. A scripted run's are made with the factors themselves.
    """
    answered = Request.objects.filter(conversation_id=OuterRef("conversation_id"), run=OuterRef("pk"))
    known = Run.objects.filter(Exists(answered.exclude(message_id="", request_id="")), conversation__demo=False)
    found: dict[Family, list[Observation]] = {name: [] for name in FAMILIES}
    for run in known.select_related("conversation").order_by("-last_at", "id")[:runs]:
        for model, seen in _observed(run):
            of_family = found.get(family(model))
            if of_family is not None and len(of_family) < MOST:
                of_family.append(seen)
    return found


def observations(run: Run) -> list[Observation]:
    """The growths and whole prompts of a run that can be used.

    Of a growth is left out: the context was rewritten, replaced or broken in between; the model or the
    tools changed; the request did not grow; thinking, a result or any other text is not in the log;
    media was added. A whole prompt is the first of a run or after a rewrite, with its system prompt,
    its tools and all other text in the log.
    """
    return [seen for _, seen in _observed(run)]


def _observed(run: Run) -> Iterator[tuple[str, Observation]]:
    rows = Request.objects.filter(conversation_id=run.conversation_id, run=run)
    requests = list(rows.order_by("-seq")[: OF_A_RUN + 1])[::-1]
    if not requests:
        return
    first, last = requests[0].seq, requests[-1].seq
    items, changes = written(run, first, last), _changes(run, first, last)
    for request in _beginnings(run, requests):
        if whole := _whole(run, request):
            yield request.model, whole
    place, change = 0, 0
    for before, now in pairwise(requests):
        added, place = _until(items, place, now.seq)
        changed = change < len(changes) and changes[change] < now.seq
        while change < len(changes) and changes[change] < now.seq:
            change += 1
        if not changed and _comparable(before, now) and (growth := _growth(run, before, now, added)):
            yield now.model, growth


def _until(items: Sequence[Item], place: int, seq: int) -> tuple[Sequence[Item], int]:
    end = place
    while end < len(items) and items[end].seq < seq:
        end += 1
    return items[place:end], end


def _changes(run: Run, start: int, end: int) -> list[int]:
    """Where the tools of a run changed, or its context was rewritten, trimmed or edited."""
    within = Q(run=run, seq__gte=start, seq__lt=end)
    found: set[int] = set()
    for model in (SurfaceEntry, Activation, Rewrite):
        found.update(model.objects.filter(within).values_list("seq", flat=True))
    return sorted(found)


def _comparable(before: Request, now: Request) -> bool:
    same = before.chain == now.chain and before.model == now.model and not now.break_reason
    return same and 0 < before.context_tokens < now.context_tokens


def _growth(run: Run, before: Request, now: Request, added: Sequence[Item]) -> Observation | None:
    own = [item for item in added if item.kind in OWN]
    if not own or not _known(added) or _hides(before, own):
        return None
    output = _output(before, own)
    counted = [item for item in added if not (output and item.kind in OWN)]
    calls = sum(item.kind == "tool_call" for item in own)
    return Observation(
        group=str(run.pk),
        reported=now.context_tokens - before.context_tokens,
        text=sum(item.o200k or 0 for item in counted if item.kind != "tool_call"),
        call=sum(item.o200k or 0 for item in counted if item.kind == "tool_call"),
        calls=0 if output else calls,
        answers=calls if output else 0,
        output=output,
    )


def _known(added: Sequence[Item]) -> bool:
    """Whether all of what was added is there to be counted, each call is answered, and nothing was replaced."""
    calls = sum(item.kind == "tool_call" for item in added)
    if calls != sum(item.kind == "tool_result" for item in added):
        return False
    if any(item.replacing or item.kind in DECLARED or item.hidden_chars for item in added):
        return False
    hidden = any(item.kind in ("thinking", "media") and not item.chars for item in added)
    return not hidden and all(item.o200k is not None or not item.chars for item in added)


def _output(before: Request, own: Sequence[Item]) -> int:
    """What the provider counted of the model's own part; 0 where that is a placeholder, or counts hidden reasoning."""
    calls = sum(item.kind == "tool_call" for item in own)
    least = sum(item.o200k or 0 for item in own) + LEAST_AROUND * calls
    real = before.output_recorded and before.output >= least and not before.reasoning
    return before.output if real else 0


def _hides(before: Request, own: Sequence[Item]) -> bool:
    """Whether much more was put out than the log has of it: hidden thinking, which may or may not be sent again."""
    most = 2 * sum(item.o200k or 0 for item in own) + 100 * (1 + len(own))
    return before.output - before.reasoning > most


def _beginnings(run: Run, requests: Sequence[Request]) -> list[Request]:
    """The first request of the run, unless it goes on with an older conversation, and the first after each rewrite."""
    starts = [] if run.conversation.resumed else [each for each in requests[:1] if each.ordinal == 1]
    return starts + [now for before, now in pairwise(requests) if now.chain != before.chain]


def _whole(run: Run, request: Request) -> Observation | None:
    """A prompt of which all is in the log; None where anything is missing, or was cut without leaving the rest whole."""
    cut = Rewrite.objects.filter(run=run, seq__lt=request.seq, kind__in=("trim", "edit"))
    if request.context_tokens <= 0 or cut.exists():
        return None
    now = compose(run, request)
    if not now.surface.resident_known or now.account.category("system") is None or now.of("unsure"):
        return None
    pieces = list(pieces_of(now.standing.items, now.tools))
    numbers = {kind: sum(each.number for each in pieces if each.kind == kind) for kind in ("tool_call", "tool_result")}
    if not all(map(_countable, pieces)) or numbers["tool_call"] != numbers["tool_result"]:
        return None
    sums = {"text": 0, "call": 0, "schema": 0}
    for piece in pieces:
        if shape := shape_of(piece.kind):
            sums[shape.content] += piece.o200k or 0
    return Observation(
        group=str(run.pk), reported=request.context_tokens, calls=numbers["tool_call"], whole=True, **sums
    )


def _countable(piece: Piece) -> bool:
    """Whether a piece was counted whole, or was not sent at all."""
    if shape_of(piece.kind) is None:
        return True
    return piece.o200k is not None and piece.reported is None and piece.media_bytes is None and not piece.hidden_chars
