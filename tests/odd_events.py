"""Random run-log events whose ids, calls and requests collide, as they do in copies, forks and replays.

What an event says of its own is fixed by its id: a copy differs in its time and place only. What
many events tell of one thing (a run, a request, a call, a search) differs freely.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from harness import runlog

START = datetime(2026, 11, 20, 12, tzinfo=UTC)
TOOLS = "ABCD"


def odd_events(seed: int, count: int = 150) -> list[runlog.AnyEvent]:
    """So many events; the same for the same seed."""
    chance = Random(seed)
    return [chance.choice(MAKERS)(chance, *_head(chance)) for _ in range(count)]


def _head(chance: Random) -> tuple[dict[str, Any], Random]:
    """The envelope, and what decides the content of an event of that id."""
    conversation, number = chance.choice("ab"), chance.randint(0, 25)
    head = {
        "id": f"{conversation}{number}",
        "conversation": conversation,
        "run": chance.choice(["main", "k1", "k2"]),
        "at": chance.choice([None, START + timedelta(seconds=chance.randint(0, 40))]),
        "project": chance.choice([None, None, "p", "zz", "aaa"]),
    }
    return head, Random(head["id"])


def _started(chance: Random, head: dict[str, Any], own: Random) -> runlog.AnyEvent:
    return runlog.RunStarted(
        **head,
        kind=chance.choice(["main", "sub_agent", "compaction"]),
        parent_run=chance.choice([None, "main", "k1"]),
        agent=chance.choice([None, "x", "y"]),
        agent_version=chance.choice(["1.2", "1.10"]),
        title=chance.choice([None, "t", "u"]),
        title_rank=chance.choice([0, 0, 5]),
        cwd=chance.choice([None, "/", "/r/a", "/r/.claude/worktrees/x", "/rr"]),
        deferral=chance.choice([None, True, False]),
        reports_activations=chance.random() < 0.1,
    )


def _declared(chance: Random, head: dict[str, Any], own: Random) -> runlog.AnyEvent:
    tools = [
        runlog.Tool(
            name=name,
            state=own.choice(["resident", "deferred"]),
            definition=own.choice([None, {"name": name, "description": str(own.randint(0, 2))}]),
            server=own.choice([None, "s", "q"]),
        )
        for name in own.sample(TOOLS, 2)
    ]
    return runlog.SurfaceDeclared(**head, tools=tools, complete=own.random() < 0.5, states=["resident"])


def _changed(chance: Random, head: dict[str, Any], own: Random) -> runlog.AnyEvent:
    tools = [runlog.Tool(name=own.choice(TOOLS), state=own.choice(["removed", "deferred"]))]
    failed = [runlog.ServerFailure(name="f", code=own.choice([None, "X", "Y"]))]
    return runlog.SurfaceChanged(**head, tools=tools, pending_servers=["s"], failed_servers=failed)


def _appended(chance: Random, head: dict[str, Any], own: Random) -> runlog.AnyEvent:
    text = own.choice(["hello", "world", None])
    item = runlog.Item(kind=own.choice(["user", "tool_result", "system"]), text=text, chars=5)
    return runlog.ContextAppended(**head, items=[item], replaces=own.choice([[], ["system"]]))


def _rewritten(chance: Random, head: dict[str, Any], own: Random) -> runlog.AnyEvent:
    kept = own.choice([None, ["A"], []])
    return runlog.ContextRewritten(**head, kind=own.choice(["compaction", "trim"]), kept_tools=kept)


def _request(chance: Random, head: dict[str, Any], own: Random) -> runlog.AnyEvent:
    usage = {
        "input_tokens": chance.randint(0, 1000),
        "cache_read_input_tokens": chance.choice([0, 5000, 300_000]),
        "cache_creation_input_tokens": chance.choice([0, 3000]),
        "output_tokens": chance.randint(0, 20),
    }
    read, written = chance.randint(0, 9000), chance.randint(0, 3000)
    buckets = runlog.Buckets(uncached=chance.randint(0, 2000), read=read, write_5m=written)
    return runlog.RequestFinished(
        **head,
        request=f"q{chance.randint(0, 12)}",
        model=chance.choice([None, "claude-sonnet-4-5", "gpt-5"]),
        usage=chance.choice([None, usage, usage]),
        buckets=chance.choice([None, None, buckets]),
        output_chars=chance.randint(0, 100),
        diagnosis=chance.choice([None, runlog.CacheDiagnosis(reason="tools_changed", missed_tokens=read)]),
        markers=chance.choice([[], [runlog.Marker(place="a")], [runlog.Marker(place="b")]]),
        agent_version=chance.choice([None, "1.9", "1.10"]),
    )


def _searched(chance: Random, head: dict[str, Any], own: Random) -> runlog.AnyEvent:
    failed = [runlog.ServerFailure(name="f", code=code) for code in chance.choice(["", "X", "Z"])]
    return runlog.ToolSearched(
        **head,
        call=f"s{chance.randint(0, 6)}",
        query=chance.choice([None, "select:A,Q", "foo"]),
        form=chance.choice([None, "select"]),
        matches=chance.choice([None, [], [runlog.Match(tool="A")], [runlog.Match(tool="B", score=1.0)]]),
        failed_servers=failed,
        error=chance.choice([None, None, "bad"]),
    )


def _activated(chance: Random, head: dict[str, Any], own: Random) -> runlog.AnyEvent:
    trigger, search = own.choice(["search", "preload"]), own.choice([None, "s1", "s2"])
    return runlog.ToolActivated(**head, names=own.sample(TOOLS, 2), trigger=trigger, search=search)


def _called(chance: Random, head: dict[str, Any], own: Random) -> runlog.AnyEvent:
    return runlog.ToolCalled(
        **head,
        call=f"c{chance.randint(0, 9)}",
        tool=chance.choice([None, "A", "B", "C"]),
        ok=chance.choice([None, True, False]),
        duration_ms=chance.choice([None, 5, 9]),
        request=chance.choice([None, "q1", "q2"]),
        error=chance.choice([None, "e"]),
        child_run=chance.choice([None, "k1", "k2"]),
    )


def _finished(chance: Random, head: dict[str, Any], own: Random) -> runlog.AnyEvent:
    totals = chance.choice([None, {"m": {"inputTokens": chance.randint(0, 99)}}])
    return runlog.RunFinished(**head, outcome=chance.choice(["unknown", "failed", "completed"]), totals=totals)


MAKERS = (
    *(_started, _declared, _changed, _appended, _rewritten),
    *(_request, _request, _request, _searched, _activated, _called, _finished),
)
