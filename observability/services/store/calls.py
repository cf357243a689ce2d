"""Tool calls and searches: a start and a result, told apart or together, make one row."""

from __future__ import annotations

from typing import Any

import msgspec

from harness.runlog import Match, ServerFailure
from observability import identity, models
from observability.services.store import bulk, cleaning
from observability.services.store.batch import Batch
from observability.services.store.bulk import db_time
from observability.services.store.drafts import CallDraft, SearchDraft, earliest, first_known, larger, more_matches

CALLS = bulk.Table(
    models.ToolCall,
    (
        *("project_id", "conversation_id", "run_id", "call_key", "call", "tool", "at", "seq", "ok"),
        *("duration_ms", "result_chars", "request_id", "error", "child_run"),
    ),
    ("run_id", "call_key"),
    replace=True,
)
SEARCHES = bulk.Table(
    models.Search,
    (
        *("project_id", "conversation_id", "run_id", "call_key", "call", "at", "seq", "tool", "query", "form"),
        *("limit", "matches", "searchable", "pending", "failed", "error", "note", "outcome", "missing"),
    ),
    ("run_id", "call_key"),
    replace=True,
)


def store_calls(batch: Batch, old_runs: set[int]) -> None:
    """Store the batch's tool calls, merged with what is stored."""
    for place, call in _stored(models.ToolCall, set(batch.calls), old_runs).items():
        batch.calls_before[place] = (call.tool, call.at, call.ok)
        _merge_call(batch.calls[place], call)
    bulk.write(CALLS, [_call_row(key, draft) for (_, key), draft in batch.calls.items()])


def store_searches(batch: Batch, old_runs: set[int]) -> None:
    """Store the batch's searches, merged with what is stored. Outcomes are derived later."""
    stored = _stored(models.Search, set(batch.searches), old_runs)
    batch.new_searches = set(batch.searches) - set(stored)
    for place, search in stored.items():
        _merge_search(batch.searches[place], search)
    bulk.write(SEARCHES, [_search_row(key, draft) for (_, key), draft in batch.searches.items()])


def _stored(model: Any, places: set[tuple[int, int]], old_runs: set[int]) -> dict[tuple[int, int], Any]:
    found = {}
    for chunk in bulk.chunks(place for place in places if place[0] in old_runs):
        rows = model.objects.filter(run__in={run for run, _ in chunk}, call_key__in=[key for _, key in chunk])
        found.update({(row.run_id, row.call_key): row for row in rows if (row.run_id, row.call_key) in places})
    return found


def _merge_call(draft: CallDraft, row: models.ToolCall) -> None:
    draft.tool = first_known(draft.tool, row.tool)
    draft.at, draft.seq = earliest(draft.at, row.at), min(draft.seq, row.seq)
    if row.ok is not None:
        draft.ok = row.ok if draft.ok is None else draft.ok and row.ok
    draft.duration_ms = larger(draft.duration_ms, row.duration_ms)
    draft.result_chars = larger(draft.result_chars, row.result_chars)
    draft.request_id = larger(draft.request_id, row.request_id)
    draft.error = first_known(draft.error, row.error)
    draft.child_run = first_known(draft.child_run, row.child_run)


def _call_row(key: int, draft: CallDraft) -> bulk.Row:
    conversation = draft.run.conversation
    return (
        *(conversation.project_id, conversation.id, draft.run.id, key, draft.call, draft.tool, db_time(draft.at)),
        *(draft.seq, draft.ok, draft.duration_ms, draft.result_chars, draft.request_id, draft.error, draft.child_run),
    )


def _merge_search(draft: SearchDraft, row: models.Search) -> None:
    for name in ("query", "form", "tool", "error", "note"):
        draft.texts[name] = first_known(draft.texts.get(name, ""), getattr(row, name))
    draft.at, draft.seq = earliest(draft.at, row.at), min(draft.seq, row.seq)
    draft.limit = larger(draft.limit, row.limit)
    draft.searchable = larger(draft.searchable, row.searchable)
    if row.matches is not None:
        draft.matches = more_matches(draft.matches, msgspec.convert(row.matches, list[Match]))
    draft.pending.update(row.pending)
    draft.blame(msgspec.convert(row.failed, list[ServerFailure]))


def _search_row(key: int, draft: SearchDraft) -> bulk.Row:
    conversation, texts = draft.run.conversation, draft.texts
    matches = None if draft.matches is None else _json([_clean(m) for m in draft.matches])
    failed = [_clean_failure(draft.failed[name]) for name in sorted(draft.failed)]
    return (
        *(conversation.project_id, conversation.id, draft.run.id, key, draft.call, db_time(draft.at), draft.seq),
        *(texts.get("tool", ""), texts.get("query", ""), texts.get("form", ""), draft.limit, matches),
        *(draft.searchable, _json(sorted(draft.pending)), _json(failed)),
        *(texts.get("error", ""), texts.get("note", ""), "open", "[]"),
    )


def _clean(match: Match) -> Match:
    return Match(tool=cleaning.name(match.tool), score=match.score)


def _clean_failure(failure: ServerFailure) -> ServerFailure:
    code, error = cleaning.text(failure.code, 100) or None, cleaning.text(failure.error, 500) or None
    return ServerFailure(name=cleaning.name(failure.name), code=code, error=error)


def _json(value: object) -> str:
    return identity.canonical_json(value)
