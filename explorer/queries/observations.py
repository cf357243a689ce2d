"""Growths from which the factors of a model can be fitted: pairs of requests with all text between them known."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.queries.items import Item, standing
from harness.accounting.fit import Observation
from observability.models import Request, Run


def observations(run: Run) -> list[Observation]:
    """The growths of a run that can be used.

    Left out: the context was rewritten, replaced or broken in between; the model changed; the request
    did not grow; thinking, a result or any other text is not in the log; media was added. What no log
    shows at all, such as an unlogged reminder, cannot be left out: it is part of the error.
    """
    requests = list(Request.objects.filter(conversation_id=run.conversation_id, run=run).order_by("seq"))
    found = []
    for before, now in zip(requests, requests[1:], strict=False):
        if _comparable(before, now):
            here = standing(run, now.seq)
            added = [item for item in here.items if before.seq <= item.seq < now.seq]
            replaced = any(here.replaced_at[kind] >= before.seq for kind in here.replaced)
            if not replaced and _known(added):
                found.append(_observation(run, before, now, added))
    return found


def _comparable(before: Request, now: Request) -> bool:
    same = before.chain == now.chain and before.model == now.model and not now.break_reason
    return same and 0 < before.context_tokens < now.context_tokens


def _known(added: Sequence[Item]) -> bool:
    """Whether all of what was added is there to be counted, and each call is answered."""
    calls = sum(item.kind == "tool_call" for item in added)
    if calls != sum(item.kind == "tool_result" for item in added):
        return False
    hidden = any(item.kind in ("thinking", "media") and not item.chars for item in added)
    return not hidden and all(item.o200k is not None or not item.chars for item in added)


def _observation(run: Run, before: Request, now: Request, added: Sequence[Item]) -> Observation:
    return Observation(
        group=str(run.pk),
        reported=now.context_tokens - before.context_tokens,
        text=sum(item.o200k or 0 for item in added if item.kind != "tool_call"),
        call=sum(item.o200k or 0 for item in added if item.kind == "tool_call"),
        calls=sum(item.kind == "tool_call" for item in added),
    )
