"""Planted cache breaks: conversations spoilt in known ways, sent through the simulator, stored, and asked for their reasons.

The truth comes from how a conversation was spoilt. Each cause is planted with its evidence in the log, and again in a
log that holds counts, times and text only, as most clients write it. A reason counts as right where it names the
cause, or where, by what was still read, it names the part that the cause is in; "unexplained" is never right and
never wrong: it is counted as not found.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from benchmarks.planting import MINUTE, OTHER, Talk
from harness.runlog import ContextRewritten
from observability.models import Request
from observability.services.events import store_events

NONE: Final = "none"
BY_SIZE: Final = frozenset({"messages_changed", "lookback"})
"""Reasons that rest on where the read ended."""
TURNS: Final = 4
"""Requests before what is planted, and after it."""

Plant = Callable[[Talk], float]
"""Spoils a conversation before its next request; gives the seconds until then."""


@dataclass(frozen=True)
class Cause:
    """What is planted: what a telling log should give as its reason, and what a thin one may."""

    name: str
    plant: Plant
    told: frozenset[str]
    thin: frozenset[str]


def _tool_text(talk: Talk) -> float:
    place = talk.rng.randrange(len(talk.tools))
    talk.tools[place] = talk.tool(talk.tools[place]["name"])
    talk.tell_tools()
    return 20


def _tool_added(talk: Talk) -> float:
    talk.tools.append(talk.tool(f"tool_{len(talk.tools)}"))
    talk.tell_tools()
    return 20


def _tool_removed(talk: Talk) -> float:
    talk.tools.pop(talk.rng.randrange(len(talk.tools) - 1))
    talk.tell_tools()
    return 20


def _system(talk: Talk) -> float:
    talk.system[talk.rng.randrange(2)] = talk.words(400)
    talk.tell_system()
    return 20


def _updated(talk: Talk) -> float:
    talk.version = "1.1"
    talk.system[0] = talk.words(700)
    return 20


def _model(talk: Talk) -> float:
    talk.model = OTHER
    return 20


def _thinking(talk: Talk) -> float:
    talk.thinking = not talk.thinking
    return 20


def _edited(talk: Talk) -> float:
    talk.messages[2] = {"role": "user", "content": [{"type": "text", "text": talk.words(300)}]}
    return 20


def _rewritten(talk: Talk) -> float:
    """History replaced by a summary, which the log does not tell."""
    talk.messages = [{"role": "user", "content": [{"type": "text", "text": talk.words(60)}]}]
    talk.old_tail = -1
    return 20


def _compacted(talk: Talk) -> float:
    """The same, and the log tells it: a cold start."""
    talk.events.append(ContextRewritten(**talk.head(), kind="compaction"))
    return _rewritten(talk)


def _far(talk: Talk) -> float:
    talk.say(blocks=24)
    talk.follows = False
    return 20


def _pause(seconds: float) -> Plant:
    return lambda _: seconds


def _hour_tail(seconds: float) -> Plant:
    def plant(talk: Talk) -> float:
        talk.hour_tail = True
        talk.say()
        talk.ask()
        talk.say()
        return seconds

    return plant


def _said(reason: str, plant: Plant) -> Plant:
    def both(talk: Talk) -> float:
        talk.diagnosis = reason
        return plant(talk)

    return both


def _both(one: Plant, other: Plant) -> Plant:
    return lambda talk: max(one(talk), other(talk))


def _cause(name: str, plant: Plant, told: str, thin: str = "") -> Cause:
    return Cause(name, plant, frozenset(told.split()), frozenset((thin or told).split()))


CAUSES: Final = (
    _cause("nothing", _pause(20), NONE),
    _cause("pause of 4 min 50 s", _pause(290), NONE),
    _cause("tail of an hour, pause of 59 min", _hour_tail(59 * MINUTE), NONE),
    _cause("compaction in the log", _compacted, NONE),
    _cause("pause of 6 min", _pause(6 * MINUTE), "lifetime"),
    _cause("pause of 59 min", _pause(59 * MINUTE), "lifetime"),
    _cause("pause of 61 min", _pause(61 * MINUTE), "lifetime"),
    _cause("tail of an hour, pause of 61 min", _hour_tail(61 * MINUTE), "lifetime"),
    _cause("definition of a tool", _tool_text, "tools_changed", "unexplained prefix_changed"),
    _cause("tool added", _tool_added, "tools_changed", "unexplained prefix_changed"),
    _cause("tool removed", _tool_removed, "tools_changed", "unexplained prefix_changed"),
    _cause("system prompt", _system, "system_changed", "unexplained system_changed prefix_changed"),
    _cause("client updated", _updated, "client_updated"),
    _cause("model", _model, "model_changed"),
    _cause("thinking switched", _thinking, "messages_changed"),
    _cause("history edited", _edited, "messages_changed"),
    _cause("history replaced, not in the log", _rewritten, "messages_changed"),
    _cause("24 blocks, no marker on the old tail", _far, "lookback"),
    _cause("provider: tools changed", _said("tools_changed", _tool_text), "tools_changed"),
    _cause("provider: messages changed", _said("messages_changed", _edited), "messages_changed"),
    _cause(
        "provider cannot say, a tool", _said("unavailable", _tool_text), "tools_changed", "unexplained prefix_changed"
    ),
    _cause("a tool, and a pause of 6 min", _both(_tool_text, _pause(360)), "tools_changed", "unexplained lifetime"),
    _cause("a tool, and another model", _both(_tool_text, _model), "tools_changed model_changed", "model_changed"),
    _cause("history edited, and a pause of 6 min", _both(_edited, _pause(360)), "lifetime messages_changed"),
    _cause(
        "system prompt, and a pause of 61 min", _both(_system, _pause(3_660)), "system_changed lifetime", "lifetime"
    ),
)


@dataclass(frozen=True)
class Result:
    """One conversation: what was planted, and what was found at that request."""

    cause: Cause
    telling: bool
    blind: bool
    found: str
    detail: str

    @property
    def wanted(self) -> frozenset[str]:
        """What the log can give. Where all was written at one lifetime, no count shows where the system prompt ends."""
        wanted = self.cause.told if self.telling else self.cause.thin
        return wanted | {"unexplained"} if self.blind and wanted & BY_SIZE else wanted

    @property
    def right(self) -> bool:
        """Whether the reason is one that the log can give."""
        return self.found in self.wanted


def results(seeds: range) -> Iterator[Result]:
    """Plant each cause once a seed, in a telling log and in a thin one; the database must be empty."""
    for seed in seeds:
        for number, cause in enumerate(CAUSES):
            for telling in (True, False):
                name = f"planted-{seed}-{number}-{telling}"
                rng = Random(name)
                head = seed % 3
                yield _result(cause, Talk(name=name, rng=rng, telling=telling, hour_head=head != 1, warm=head == 2))


def _result(cause: Cause, talk: Talk) -> Result:
    talk.begin()
    for _ in range(TURNS):
        talk.say()
        talk.ask()
    talk.say()
    talk.ask(cause.plant(talk))
    planted = talk.asked
    for _ in range(TURNS):
        talk.say()
        talk.ask()
    store_events(talk.events, source="planted")
    requests = Request.objects.filter(conversation__uid=talk.name)
    found = requests.get(ordinal=planted)
    later = requests.filter(ordinal__gt=planted, lost__isnull=False).first()
    if later is not None:
        return Result(cause, talk.telling, not talk.hour_head, f"later: {later.break_reason}", later.break_detail)
    return Result(cause, talk.telling, not talk.hour_head, found.break_reason or NONE, found.break_detail)


def table(found: list[Result]) -> dict[str, dict[str, Any]]:
    """By reason, over both kinds of logs: planted with evidence, precision, recall; then what was not right."""
    planted, named, said, right = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    wrong: dict[str, Counter[str]] = defaultdict(Counter)
    for each in found:
        wanted = each.wanted
        said[each.found] += 1
        right[each.found] += each.right
        if "unexplained" not in wanted:
            name = each.found if each.right else min(wanted)
            planted[name] += 1
            named[name] += each.right
        if not each.right:
            log = f"{'telling' if each.telling else 'thin'}{', one lifetime' if each.blind else ''}"
            wrong[f"{each.cause.name}, {log}"][each.found] += 1
    rows: dict[str, dict[str, Any]] = {}
    for name in sorted({*planted, *said}):
        rows[name] = {
            "planted": planted[name],
            "found": said[name],
            "precision": _share(right[name], said[name]),
            "recall": _share(named[name], planted[name]),
        }
    return {"by reason": rows, "not right": {name: dict(counts) for name, counts in wrong.items()}}


def _share(part: int, whole: int) -> float | str:
    return part / whole if whole else "–"


def measure(_folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """Plant, store, and compare."""
    return table(list(results(range(asked.seeds))))
