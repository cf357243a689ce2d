"""The counts that a conversation carries, from its rows."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from observability import models
from observability.models import Conversation, Request
from observability.services.store import bulk

BUCKETS = ("uncached", "read", "write_5m", "write_1h", "write_other", "output")
UPDATED = (
    *("requests", "inherited", "sub_agents", *BUCKETS, "output_not_recorded", "prompt", "rate_ppm", "cost_pusd"),
    *("unpriced", "breaks", "rebuilt", "rebuilt_pusd", "searches", "misses", "activations", "idle_raw"),
    *("idle_user_chars", "model", "resumed"),
)


def refresh(conversations: set[int]) -> None:
    """Count anew for these conversations."""
    for chunk in bulk.chunks(conversations, 200):
        rows = list(Conversation.objects.filter(id__in=chunk))
        _requests(rows, chunk)
        _counts(rows, chunk)
        _idle(rows, chunk)
        bulk.update(Conversation, UPDATED, [(*(getattr(row, name) for name in UPDATED), row.id) for row in rows])


def _requests(rows: list[Conversation], ids: list[int]) -> None:
    sums = {name: Coalesce(Sum(name), 0) for name in BUCKETS}
    found = _by_id(
        Request.objects.filter(conversation__in=ids)
        .values("conversation_id")
        .annotate(
            requests=Count("id"),
            **{f"sum_{name}": value for name, value in sums.items()},
            sum_cost=Sum("cost_pusd"),
            unpriced=Count("id", filter=Q(cost_pusd=None)),
            unrecorded=Count("id", filter=Q(output_recorded=False)),
            breaks=Count("lost"),
            sum_rebuilt=Coalesce(Sum("rebuilt"), 0),
            sum_premium=Sum("rebuilt_pusd"),
        )
    )
    for row in rows:
        sums_of = found.get(row.id, {})
        row.requests, row.unpriced = sums_of.get("requests", 0), sums_of.get("unpriced", 0)
        for name in BUCKETS:
            setattr(row, name, sums_of.get(f"sum_{name}", 0))
        row.prompt = row.uncached + row.read + row.write_5m + row.write_1h + row.write_other
        row.rate_ppm = row.read * 1_000_000 // row.prompt if row.prompt else None
        row.cost_pusd, row.output_not_recorded = sums_of.get("sum_cost"), sums_of.get("unrecorded", 0)
        row.breaks, row.rebuilt = sums_of.get("breaks", 0), sums_of.get("sum_rebuilt", 0)
        row.rebuilt_pusd = sums_of.get("sum_premium")


def _counts(rows: list[Conversation], ids: list[int]) -> None:
    models_used = (
        Request.objects.filter(conversation__in=ids)
        .values("conversation_id", "model")
        .annotate(tokens=Sum(F("uncached") + F("read") + F("write_5m") + F("write_1h") + F("write_other")))
    )
    most: dict[int, tuple[int, str]] = {}
    for used in models_used:
        place = used["conversation_id"]
        most[place] = max(most.get(place, (-1, "")), (used["tokens"], used["model"]))
    misses = Count("id", filter=Q(outcome="miss"))
    searches = _by_id(_of(models.Search, ids).annotate(n=Count("id"), misses=misses))
    activations = _by_id(_of(models.Activation, ids).annotate(n=Count("id")))
    runs = _by_id(_of(models.Run, ids).filter(kind="sub_agent").annotate(n=Count("id")))
    inherited = _by_id(
        _of(models.Sighting, ids)
        .exclude(request__conversation_id=F("conversation_id"))
        .annotate(n=Count("request", distinct=True))
    )
    for row in rows:
        row.model = most.get(row.id, (0, ""))[1]
        row.searches, row.misses = searches.get(row.id, {}).get("n", 0), searches.get(row.id, {}).get("misses", 0)
        row.activations, row.sub_agents = activations.get(row.id, {}).get("n", 0), runs.get(row.id, {}).get("n", 0)
        row.inherited = inherited.get(row.id, {}).get("n", 0)
        row.resumed = row.inherited > 0


def _idle(rows: list[Conversation], ids: list[int]) -> None:
    first = {
        conversation: (run, tokens)
        for conversation, run, tokens in Request.objects.filter(
            conversation__in=ids, ordinal=1, run__kind="main"
        ).values_list("conversation_id", "run_id", "context_tokens")
    }
    starts = Request.objects.filter(run=OuterRef("run"), conversation=OuterRef("conversation"), ordinal=1)
    said = models.ContextItem.objects.filter(
        run__in=[run for run, _ in first.values()], kind="user", seq__lt=Subquery(starts.values("seq")[:1])
    )
    chars = dict(said.values_list("run_id").annotate(n=Sum("chars")))
    for row in rows:
        run, row.idle_raw = first.get(row.id, (0, None))
        row.idle_user_chars = chars.get(run, 0)


def _of(model: Any, ids: list[int]) -> QuerySet[Any, dict[str, Any]]:
    return model.objects.filter(conversation__in=ids).values("conversation_id")  # type: ignore[no-any-return]


def _by_id(rows: Any) -> dict[int, dict[str, Any]]:
    return {row["conversation_id"]: row for row in rows}
