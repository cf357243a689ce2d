"""The counts that a conversation carries, from its rows."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum

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
    """One pass over the requests, by model: the model with the most prompt tokens names the conversation."""
    by_model = (
        Request.objects.filter(conversation__in=ids)
        .values("conversation_id", "model")
        .annotate(
            requests=Count("id"),
            unpriced=Count("id", filter=Q(cost_pusd=None)),
            output_not_recorded=Count("id", filter=Q(output_recorded=False)),
            breaks=Count("lost"),
            **{f"sum_{name}": Sum(name) for name in (*BUCKETS, "cost_pusd", "rebuilt", "rebuilt_pusd")},
        )
    )
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for of_model in by_model:
        found[of_model["conversation_id"]].append(dict(of_model))
    for row in rows:
        _take_sums(row, found[row.id])


def _take_sums(row: Conversation, parts: list[dict[str, Any]]) -> None:
    for name in ("requests", "unpriced", "output_not_recorded", "breaks"):
        setattr(row, name, sum(part[name] for part in parts))
    for name in (*BUCKETS, "rebuilt"):
        setattr(row, name, sum(part[f"sum_{name}"] or 0 for part in parts))
    for name in ("cost_pusd", "rebuilt_pusd"):
        known = [part[f"sum_{name}"] for part in parts if part[f"sum_{name}"] is not None]
        setattr(row, name, sum(known) if known else None)
    row.prompt = row.uncached + row.read + row.write_5m + row.write_1h + row.write_other
    row.rate_ppm = row.read * 1_000_000 // row.prompt if row.prompt else None
    row.model = max(((_prompt(part), part["model"]) for part in parts), default=(0, ""))[1]


def _prompt(part: dict[str, Any]) -> int:
    return sum(int(part[f"sum_{name}"] or 0) for name in BUCKETS if name != "output")


def _counts(rows: list[Conversation], ids: list[int]) -> None:
    misses = Count("id", filter=Q(outcome="miss"))
    searches = _by_id(_of(models.Search, ids).annotate(n=Count("id"), misses=misses))
    activations = _by_id(_of(models.Activation, ids).annotate(n=Count("id")))
    runs = _by_id(_of(models.Run, ids).filter(kind="sub_agent").annotate(n=Count("id")))
    seen = _by_id(_of(models.Sighting, ids).annotate(n=Count("request", distinct=True)))
    for row in rows:
        row.searches, row.misses = searches.get(row.id, {}).get("n", 0), searches.get(row.id, {}).get("misses", 0)
        row.activations, row.sub_agents = activations.get(row.id, {}).get("n", 0), runs.get(row.id, {}).get("n", 0)
        # Its own requests were all seen in it: what else was seen in it belongs to others.
        row.inherited = seen.get(row.id, {}).get("n", 0) - row.requests
        row.resumed = row.inherited > 0


def _idle(rows: list[Conversation], ids: list[int]) -> None:
    first = {
        conversation: (run, tokens)
        for conversation, run, tokens in Request.objects.filter(
            conversation__in=ids, ordinal=1, run__kind="main"
        ).values_list("conversation_id", "run_id", "context_tokens")
    }
    starts = Request.objects.filter(run=OuterRef("run"), conversation=OuterRef("conversation"), ordinal=1)
    before = models.ContextItem.objects.filter(
        run__in=[run for run, _ in first.values()], seq__lt=Subquery(starts.values("seq")[:1])
    )
    chars = dict(before.filter(kind="user").values_list("run_id").annotate(n=Sum("chars")))
    # A log that starts at the result of a tool goes on with what an earlier one began.
    midway = set(before.filter(kind="tool_result").values_list("run_id", flat=True).distinct())
    for row in rows:
        run, row.idle_raw = first.get(row.id, (0, None))
        row.idle_user_chars = chars.get(run, 0)
        row.resumed = row.resumed or run in midway


def _of(model: Any, ids: list[int]) -> QuerySet[Any, dict[str, Any]]:
    return model.objects.filter(conversation__in=ids).values("conversation_id")  # type: ignore[no-any-return]


def _by_id(rows: Any) -> dict[int, dict[str, Any]]:
    return {row["conversation_id"]: row for row in rows}
