"""A request's fragments and its stored row become one row: buckets, flags, price."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import msgspec

from harness import usage
from harness.runlog import Buckets
from observability import identity, pricing
from observability.services.store.drafts import (
    REQUEST_TEXTS,
    RequestDraft,
    differ,
    earliest,
    latest,
    prompt_in,
    prompt_of,
)
from observability.services.store.request_rows import RequestRow

PLACEHOLDER_MOST: Final = 8
"""Some client versions write an output count of at most this, whatever the length of the answer."""
LONG_OUTPUT: Final = 48
"""Characters that cannot be so few tokens."""


def merge(draft: RequestDraft, old: RequestRow | None) -> RequestRow:
    """The row of a request. Fields of the chain and the owner are set elsewhere."""
    row = RequestRow(draft.id) if old is None else replace(old)
    for name in REQUEST_TEXTS:
        told = draft.texts.get(name, "")
        if told > getattr(row, name):
            setattr(row, name, told)
    row.started_at, row.ended_at = earliest(row.started_at, draft.first), latest(row.ended_at, draft.last)
    row.output_chars = max(row.output_chars, draft.output_chars)
    row.markers = max(row.markers, draft.markers)
    if draft.diagnosis_tokens is not None:
        row.diagnosis_tokens = max(row.diagnosis_tokens or 0, draft.diagnosis_tokens)
    _count(row, draft, old)
    _price(row)
    return row


def _count(row: RequestRow, draft: RequestDraft, old: RequestRow | None) -> None:
    raw = draft.usage
    prompts = set(draft.prompts)
    if old is not None and old.usage != "{}":
        stored = msgspec.json.decode(old.usage)
        prompts |= prompt_of(stored)
        raw = usage.merge_raw(stored, raw)
    row.usage = identity.canonical_json(raw) if raw else "{}"
    row.convention = max(old.convention if old else "", draft.convention)
    given = _given(draft, old, prompts)
    if given is not None:
        _take(row, usage.Normalised(buckets=given, context_tokens=given.prompt, flags=(usage.GIVEN,)))
    elif raw:
        _take(row, usage.normalise(raw, "inclusive" if row.convention == "inclusive" else "exclusive"))
    if differ(prompts) or (old is not None and usage.DIFFERING in old.flags):
        row.flags = f"{row.flags} {usage.DIFFERING}".strip()
    row.output_recorded = not (row.output <= PLACEHOLDER_MOST and row.output_chars >= LONG_OUTPUT)


def _given(draft: RequestDraft, old: RequestRow | None, prompts: set[tuple[Any, ...]]) -> Buckets | None:
    """The buckets that senders gave, now or before: they stand over the usage object, whichever came first."""
    if old is None or usage.GIVEN not in old.flags:
        return draft.buckets
    prompts |= prompt_in(old.buckets)
    return old.buckets if draft.buckets is None else usage.most(old.buckets, draft.buckets)


def _take(row: RequestRow, told: usage.Normalised) -> None:
    buckets = told.buckets
    row.uncached, row.read = buckets.uncached, buckets.read
    row.write_5m, row.write_1h, row.write_other = buckets.write_5m, buckets.write_1h, buckets.write_other
    row.output, row.reasoning = buckets.output, buckets.reasoning
    row.context_tokens = told.context_tokens
    row.flags = " ".join(told.flags)


def _price(row: RequestRow) -> None:
    """Of a request that nothing was reported of, the price is unknown, not 0."""
    reported = row.usage != "{}" or usage.GIVEN in row.flags
    cost = pricing.cost(row.model, row.provider, row.started_at, row.buckets) if reported else None
    row.cost_pusd = None if cost is None else cost.total
    row.prompt_pusd = None if cost is None else cost.prompt
