"""A database of a million requests: rows that agree with one another, as an import would leave them."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from django.db import transaction
from django.utils import timezone

from benchmarks import filling_tools, made_up
from benchmarks.filling_tools import DEFERRED, HASHES, RESIDENT
from benchmarks.tables import insert, run, when
from harness.runlog import Buckets
from observability import identity, models, pricing
from observability.demo import texts
from observability.enums import Codec
from observability.identity import key

PROJECTS = 25
TEXTS = 2_000
DAYS = 90
MODELS = ("claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5", "acme-coder-2")
AGENTS = ("Claude Code", "my-agent")
REASONS = ("lifetime", "tools_changed", "unexplained", "model_changed")
AT_ONCE = 200
"""Conversations in one transaction."""

REQUEST = (
    "id", "project_id", "conversation_id", "run_id", "provider", "model", "agent", "started_at", "ended_at", "seq",
    "uncached", "read", "write_5m", "output", "context_tokens", "output_chars", "cost_pusd", "prompt_pusd", "ordinal",
    "cold", "lost", "rebuilt", "rebuilt_pusd", "break_reason", "break_evidence", "usage", "surface_id", "loaded_id",
)  # fmt: skip


def fill(folder: Path, asked: argparse.Namespace) -> dict[str, int]:
    """Fill the database with `--requests` requests in `--conversations` conversations."""
    if models.Conversation.objects.exists():
        return {"requests": models.Request.objects.count()}
    run("PRAGMA synchronous=OFF")
    rng, now = Random(1), timezone.now()
    _shared()
    filling_tools.store_lists()
    sizes = _sizes(rng, asked.requests, asked.conversations)
    for start in range(0, len(sizes), AT_ONCE):
        with transaction.atomic():
            _store([_Made(rng, now, number, size) for number, size in enumerate(sizes[start : start + AT_ONCE], start)])
    with transaction.atomic():
        _sums()
    filling_tools.store_loaded_lists()
    insert(models.StoreState, ("id", "written"), [(models.StoreState.THE_ONE, 1)])
    run("ANALYZE")
    tables = (models.Request, models.ContextItem, models.SurfaceEntry, models.ToolCall, models.Search)
    tables += (models.SurfaceUse, models.ToolUse, models.ToolList)
    return {table.__name__: table.objects.count() for table in tables}


def _sizes(rng: Random, requests: int, conversations: int) -> list[int]:
    """Requests of each conversation: many short ones, few long ones."""
    raw = [rng.lognormvariate(0, 1.1) for _ in range(conversations)]
    return [max(1, math.floor(size * requests / sum(raw))) for size in raw]


def _shared() -> None:
    """Projects, texts and tool definitions."""
    rng = Random(2)
    insert(
        models.Project,
        ("id", "key", "name"),
        [(identity.project_id(f"bench-{n}"), f"bench-{n}", f"bench {n}") for n in range(PROJECTS)],
    )
    bodies = [texts.code(rng, rng.choice(texts.FILES), rng.randrange(1, 9)) for _ in range(TEXTS)]
    tools = [*RESIDENT, *DEFERRED]
    bodies += [identity.canonical_json(tool.definition()) for tool in tools]
    rows = {identity.text_hash(text): text for text in bodies}
    insert(
        models.Block,
        ("hash", "codec", "data", "chars"),
        [(name, Codec.PLAIN.value, text.encode(), len(text)) for name, text in rows.items()],
    )
    insert(
        models.ToolDefinition,
        ("project_id", "hash", "name", "server", "chars"),
        [
            (
                identity.project_id(f"bench-{n}"),
                HASHES[tool.name],
                tool.name,
                tool.server or "",
                len(identity.canonical_json(tool.definition())),
            )
            for n in range(PROJECTS)
            for tool in tools
        ],
    )
    TEXT_HASHES.extend(name for name in list(rows)[:TEXTS])


TEXT_HASHES: list[bytes] = []


class _Made:
    """One conversation: a main run, and a sub-agent's where it is long enough."""

    def __init__(self, rng: Random, now: datetime, number: int, size: int) -> None:
        self.rng, self.number, self.size = rng, number, size
        self.uid = f"bench-{number:06}"
        self.id = identity.conversation_id(self.uid)
        self.project = identity.project_id(f"bench-{number % PROJECTS}")
        self.model = MODELS[min(number % 11, 3) if number % 29 else 3]
        self.agent = AGENTS[number % 7 == 0]
        self.start = now - timedelta(seconds=rng.randrange(3600, DAYS * 86400))
        runs = 1 if size < 40 else 3
        self.runs = [(identity.run_id(self.uid, f"{self.uid}-{n}"), f"{self.uid}-{n}") for n in range(runs)]
        self.requests = filling_tools.with_lists(self, list(self._requests()))

    def _requests(self) -> Iterator[tuple[Any, ...]]:
        moment, read, ordinal, previous = self.start, 0, 0, -1
        for number in range(self.size):
            run_number = 0 if len(self.runs) == 1 else min(2, max(0, number - self.size * 8 // 10) * 30 // self.size)
            if run_number != previous:
                read, ordinal, previous = 0, 0, run_number
            ordinal += 1
            moment += timedelta(seconds=self.rng.randrange(4, 60))
            yield self._request(number, self.runs[run_number][0], moment, read, ordinal)
            read = 9_000 if read > 160_000 else read + self.rng.randrange(200, 3_000)

    def _request(self, number: int, run_id: int, moment: datetime, read: int, ordinal: int) -> tuple[Any, ...]:
        broken = ordinal > 1 and self.rng.random() < 0.012
        buckets = Buckets(
            uncached=self.rng.randrange(2, 12),
            read=0 if broken else read,
            write_5m=self.rng.randrange(200, 3_000) + (read if broken else 0),
            output=self.rng.randrange(20, 1_200),
        )
        cost = pricing.cost(self.model, "", moment, buckets)
        reason = REASONS[number % 4] if broken else ""
        return (
            key("request", self.uid, str(number)), self.project, self.id, run_id, "anthropic", self.model, self.agent,
            when(moment), when(moment + timedelta(seconds=6)), int(moment.timestamp() * 1000) << 21,
            buckets.uncached, buckets.read, buckets.write_5m, buckets.output, buckets.prompt, buckets.output * 4,
            cost and cost.total, cost and cost.prompt, ordinal, ordinal == 1,
            read if broken else None, read if broken else None, read * 5_000_000 if broken and cost else None,
            reason, "rule" if broken else "", '{"input_tokens":3}', 0, 0,
        )  # fmt: skip


def _store(made: list[_Made]) -> None:
    insert(models.Request, REQUEST, [row for one in made for row in one.requests])
    seen = [(r[0], one.project, one.id, r[3], r[7], r[9]) for one in made for r in one.requests]
    insert(models.Sighting, ("request_id", "project_id", "conversation_id", "run_id", "at", "seq"), seen)
    insert(
        models.Conversation,
        ("id", "project_id", "uid", "title", "source", "agent", "model", "started_at", "last_at", "cwd"),
        [
            (
                o.id,
                o.project,
                o.uid,
                _title(o),
                "claude_code",
                o.agent,
                o.model,
                when(o.start),
                o.requests[-1][7],
                "/home/dev/lantern",
            )
            for o in made
        ],
    )
    insert(
        models.Run,
        (
            "id",
            "project_id",
            "conversation_id",
            "uid",
            "kind",
            "parent_uid",
            "agent",
            "model",
            "started_at",
            "deferral",
        ),
        [
            (
                run_id,
                o.project,
                o.id,
                uid,
                "sub_agent" if n else "main",
                o.runs[0][1] if n else "",
                o.agent,
                o.model,
                when(o.start),
                True,
            )
            for o in made
            for n, (run_id, uid) in enumerate(o.runs)
        ],
    )
    _store_context(made)
    filling_tools.store(made)


def _title(one: _Made) -> str:
    return f"{made_up.COMMITS[one.number % len(made_up.COMMITS)]} ({one.number})"


def _store_context(made: list[_Made]) -> None:
    """An answer and a tool result for each request."""
    names = (
        "project_id",
        "conversation_id",
        "run_id",
        "key",
        "variant",
        "at",
        "seq",
        "idx",
        "kind",
        "label",
        "text_hash",
        "chars",
        "call",
    )
    rows = []
    for one in made:
        for request in one.requests:
            for idx, kind in enumerate(("tool_call", "tool_result")):
                text = TEXT_HASHES[(request[0] + idx) % TEXTS]
                name = key(str(request[0]), kind)
                rows.append(
                    (
                        one.project,
                        one.id,
                        request[3],
                        name,
                        0,
                        request[7],
                        request[9] + idx + 1,
                        idx,
                        kind,
                        "read_file",
                        text,
                        900,
                        request[0],
                    )
                )
    insert(models.ContextItem, names, rows)


def _sums() -> None:
    """Counters of conversations and hourly sums, from the rows themselves."""
    run("""UPDATE observability_conversation AS c SET
        (requests, uncached, read, write_5m, output, prompt, rate_ppm, cost_pusd, unpriced, breaks, rebuilt, rebuilt_pusd) =
        (SELECT count(*), sum(uncached), sum(read), sum(write_5m), sum(output), sum(uncached + read + write_5m),
            sum(read) * 1000000 / sum(uncached + read + write_5m), sum(cost_pusd), sum(cost_pusd IS NULL),
            sum(lost IS NOT NULL), coalesce(sum(rebuilt), 0), sum(rebuilt_pusd)
         FROM observability_request r WHERE r.conversation_id = c.id),
        sub_agents = (SELECT count(*) - 1 FROM observability_run r WHERE r.conversation_id = c.id),
        searches = (SELECT count(*) FROM observability_search s WHERE s.conversation_id = c.id),
        misses = (SELECT count(*) FROM observability_search s WHERE s.conversation_id = c.id AND s.outcome = 'miss'),
        activations = (SELECT count(*) FROM observability_activation a WHERE a.conversation_id = c.id)""")
    run("""UPDATE observability_conversation AS c SET idle_user_chars = 120, idle_raw =
        (SELECT uncached + read + write_5m FROM observability_request r WHERE r.conversation_id = c.id ORDER BY seq LIMIT 1)""")
    run(
        """INSERT INTO observability_hourlyrollup (project_id, hour, agent, model, run_kind, demo, requests, hits, uncached,
            read, write_5m, write_1h, write_other, output, output_not_recorded, cost_pusd, unpriced, breaks, rebuilt, rebuilt_pusd)
        SELECT r.project_id, strftime('%%Y-%%m-%%d %%H:00:00', r.started_at), r.agent, r.model, n.kind, 0, count(*),
            sum(r.read > 0), sum(uncached), sum(read), sum(write_5m), 0, 0, sum(output), 0, coalesce(sum(cost_pusd), 0),
            sum(cost_pusd IS NULL), sum(lost IS NOT NULL), coalesce(sum(rebuilt), 0), coalesce(sum(rebuilt_pusd), 0)
        FROM observability_request r JOIN observability_run n ON n.id = r.run_id GROUP BY 1, 2, 3, 4, 5""".replace(
            "%%", "%"
        )
    )
