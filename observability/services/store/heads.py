"""Conversations, runs and projects: what a batch says of them, merged with what is stored."""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.usage import merge_raw
from observability import identity, models
from observability.services.store import bulk, moving, projects
from observability.services.store.batch import Batch
from observability.services.store.bulk import db_time
from observability.services.store.drafts import (
    KINDS,
    ConversationDraft,
    RunDraft,
    earliest,
    first_known,
    latest,
    shortest,
    version_order,
)

PROJECTS = bulk.Table(models.Project, ("id", "key", "name"), ("id",))
CONVERSATIONS = bulk.Table(
    models.Conversation,
    (
        *("id", "project_id", "project_rank", "uid", "title", "title_rank", "source", "agent", "agent_version"),
        *("model", "cwd", "branch", "demo", "resumed", "started_at", "last_at", "requests", "inherited", "sub_agents"),
        *("uncached", "read", "write_5m", "write_1h", "write_other", "output", "output_not_recorded", "prompt"),
        *("unpriced", "breaks", "rebuilt", "searches", "misses", "activations", "idle_user_chars"),
    ),
    ("id",),
)
HEAD = (
    *("project_id", "project_rank", "title", "title_rank", "agent", "agent_version", "cwd", "branch", "demo"),
    *("started_at", "last_at"),
)
RUNS = bulk.Table(
    models.Run,
    (
        *("id", "project_id", "conversation_id", "uid", "kind", *RunDraft.TEXTS, "title", "title_rank"),
        *("deferral", "reports_activations", "outcome", "totals", "started_at", "last_at"),
    ),
    ("id",),
    replace=True,
)


@dataclass
class Known:
    """Ids that a batch touches."""

    conversations: set[int] = field(default_factory=set)
    runs: set[int] = field(default_factory=set)
    """Those of its runs that were stored before."""
    all_runs: set[int] = field(default_factory=set)
    kinds: dict[int, str] = field(default_factory=dict)
    """Kind of each of `runs`, as it is now."""
    regrouped: set[int] = field(default_factory=set)
    """Conversations of which a stored run turned out to be of another kind."""
    agents: dict[int, str] = field(default_factory=dict)
    """Conversation → agent."""


def store(batch: Batch) -> Known:
    """Store conversations, their projects, and runs. Sets `project_id` on the conversation drafts."""
    known = Known(conversations={draft.id for draft in batch.conversations.values()})
    known.all_runs = {draft.id for draft in batch.runs.values()}
    runs = _merged_runs(list(batch.runs.values()), known)
    _store_conversations(list(batch.conversations.values()), batch, known)
    bulk.write(RUNS, [_run_row(draft) for draft in runs])
    return known


def _store_conversations(drafts: list[ConversationDraft], batch: Batch, known: Known) -> None:
    for run in batch.runs.values():
        draft = run.conversation
        draft.first, draft.last = earliest(draft.first, run.first), latest(draft.last, run.last)
    stored = models.Conversation.objects.in_bulk([draft.id for draft in drafts])
    keys = dict(models.Project.objects.filter(id__in={c.project_id for c in stored.values()}).values_list("id", "key"))
    named: dict[int, bulk.Row] = {}
    new = []
    for draft in drafts:
        row = stored.get(draft.id)
        said = _project_said(draft)
        rank, key = said if row is None else projects.better(said, (row.project_rank, keys.get(row.project_id, "")))
        draft.project_id = identity.project_id(key)
        named[draft.project_id] = (draft.project_id, key, projects.name_of(key))
        if row is None:
            new.append(_conversation_row(draft, rank))
        else:
            _merge_conversation(row, draft, rank, known)
        known.agents[draft.id] = draft.agent
    bulk.write(PROJECTS, list(named.values()))
    bulk.write(CONVERSATIONS, new)


def _project_said(draft: ConversationDraft) -> tuple[int, str]:
    if draft.project:
        return 2, draft.project
    return (1, draft.folder) if draft.folder else (0, projects.UNKNOWN)


def _conversation_row(draft: ConversationDraft, rank: int) -> bulk.Row:
    head = (draft.id, draft.project_id, rank, draft.uid, draft.title.title, draft.title.rank, draft.source)
    agent = (draft.agent, draft.agent_version, "", draft.cwd, draft.branch, draft.demo, False)
    return (*head, *agent, db_time(draft.first), db_time(draft.last), *([0] * 18))


def _merge_conversation(row: models.Conversation, draft: ConversationDraft, rank: int, known: Known) -> None:
    was = moving.Group(row.project_id, row.agent, row.demo)
    draft.title.offer(row.title, row.title_rank)
    draft.agent = first_known(row.agent, draft.agent)
    draft.demo = draft.demo or row.demo
    row.project_id, row.project_rank = draft.project_id, rank
    row.title, row.title_rank, row.agent, row.demo = draft.title.title, draft.title.rank, draft.agent, draft.demo
    row.agent_version = max(row.agent_version, draft.agent_version, key=version_order)
    row.cwd, row.branch = shortest(row.cwd, draft.cwd), first_known(row.branch, draft.branch)
    row.started_at, row.last_at = earliest(row.started_at, draft.first), latest(row.last_at, draft.last)
    row.save(update_fields=HEAD)
    now = moving.Group(row.project_id, row.agent, row.demo)
    if was != now or draft.id in known.regrouped:
        moving.regroup(draft.id, was=was, now=now, kinds=known.kinds)


def _merged_runs(drafts: list[RunDraft], known: Known) -> list[RunDraft]:
    """The batch's runs, with what is stored of them. They are written after the sums that depend on them moved."""
    stored = models.Run.objects.in_bulk([draft.id for draft in drafts])
    for draft in drafts:
        row = stored.get(draft.id)
        if row is not None:
            known.runs.add(draft.id)
            _take_stored(draft, row)
            known.kinds[draft.id] = draft.kind or "main"
            if known.kinds[draft.id] != row.kind:
                known.regrouped.add(draft.conversation.id)
    return drafts


def _take_stored(draft: RunDraft, row: models.Run) -> None:
    draft.kind = max(draft.kind, row.kind, key=KINDS.index)
    for name in RunDraft.TEXTS:
        order = version_order if name == "agent_version" else None
        draft.texts[name] = max(draft.texts.get(name, ""), getattr(row, name), key=order)
    draft.title.offer(row.title, row.title_rank)
    if row.deferral is not None:
        draft.deferral = bool(draft.deferral) or row.deferral
    draft.reports_activations = draft.reports_activations or row.reports_activations
    draft.outcome = max(row.outcome, draft.outcome, key=("unknown", "cancelled", "failed", "completed").index)
    draft.totals = merge_raw(row.totals, draft.totals)
    draft.first, draft.last = earliest(draft.first, row.started_at), latest(draft.last, row.last_at)


def _run_row(draft: RunDraft) -> bulk.Row:
    texts = (draft.texts.get(name, "") for name in RunDraft.TEXTS)
    totals = None if draft.totals is None else identity.canonical_json(draft.totals)
    return (
        *(draft.id, draft.conversation.project_id, draft.conversation.id, draft.uid, draft.kind or "main", *texts),
        *(draft.title.title, draft.title.rank, draft.deferral, draft.reports_activations, draft.outcome, totals),
        *(db_time(draft.first), db_time(draft.last)),
    )
