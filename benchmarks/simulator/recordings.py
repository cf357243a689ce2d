"""Recorded HTTP exchanges replayed through the simulator: predicted against reported.

A prediction knows the request's text, its reported total, and what earlier responses reported;
never the read or the write of its own response.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from harness.runlog import Buckets
from harness.simulator import ANTHROPIC, OPENAI, Rules, Simulator, prefix_of
from harness.usage import normalise

FILES: Mapping[str, Rules] = {
    "test_anthropic_cache_real_api": ANTHROPIC,
    "test_bedrock_cache_usage_includes_cache_tokens": ANTHROPIC,
    "test_openai_chat_prompt_cache_e2e": OPENAI,
    "test_openai_responses_prompt_cache_e2e": OPENAI,
}
WARM = {"test_anthropic_cache_real_api", "test_bedrock_cache_usage_includes_cache_tokens"}
"""Recordings whose first request read what an earlier run of the same test had written."""
START = datetime(2026, 1, 1, tzinfo=UTC)
BETWEEN = timedelta(seconds=5)
"""Taken between two requests; the recordings of OpenAI show as much, the others show no time."""
MARKER = {"type": "ephemeral"}
FOR_HALF_AN_HOUR = {"type": "ephemeral", "ttl": "30m"}


@dataclass(frozen=True)
class Exchange:
    """One request of a recording: (read, written, uncached) as predicted, by text alone, and as reported."""

    file: str
    number: int
    warm: bool
    predicted: tuple[int, int, int]
    from_text: tuple[int, int, int]
    reported: tuple[int, int, int]


def exchanges(folder: Path) -> list[Exchange]:
    """Every request of the four recordings that report cache usage."""
    return [each for name, rules in FILES.items() for each in _replayed(folder / f"{name}.yaml", rules)]


def _replayed(path: Path, rules: Rules) -> list[Exchange]:
    recording = yaml.safe_load(path.read_text(encoding="utf-8"))
    pinned, free, tail, found = Simulator(rules), Simulator(rules), 0, list[Exchange]()
    for number, interaction in enumerate(recording["interactions"]):
        body, at = _body(interaction["request"]), START + number * BETWEEN
        buckets = _usage(interaction["response"]["parsed_body"]["usage"])
        warm = number == 0 and path.stem in WARM
        if warm:
            for simulator in (pinned, free):
                simulator.warm(body, at=at - BETWEEN, prompt=buckets.prompt if simulator is pinned else None)
        outcome = pinned.send(body, at=at, prompt=buckets.prompt, tail=tail)
        text = free.send(body, at=at)
        found.append(
            Exchange(
                file=path.stem,
                number=number + 1,
                warm=warm,
                predicted=(outcome.read, outcome.written, outcome.uncached),
                from_text=(text.read, text.written, text.uncached),
                reported=(buckets.read, buckets.written, buckets.uncached),
            )
        )
        marked = [block for block in prefix_of(body, rules).blocks if block.marked]
        last = marked[-1] if marked else prefix_of(body, rules).blocks[-1]
        pinned.pin(body["model"], last.key, buckets.read + buckets.written)
        tail = 0 if marked else buckets.uncached
    return found


def _usage(usage: Mapping[str, Any]) -> Buckets:
    """Bedrock names the fields of Anthropic otherwise; OpenAI's count holds what was cached."""
    if "inputTokens" in usage:
        usage = {
            "input_tokens": usage["inputTokens"],
            "cache_read_input_tokens": usage["cacheReadInputTokens"],
            "cache_creation_input_tokens": usage["cacheWriteInputTokens"],
        }
    inclusive = "prompt_tokens_details" in usage or "input_tokens_details" in usage
    return normalise(usage, "inclusive" if inclusive else "exclusive").buckets


def _body(request: Mapping[str, Any]) -> dict[str, Any]:
    """A request in Anthropic's form, whatever it was in."""
    body = request.get("parsed_body") or request["body"]
    body = json.loads(body) if isinstance(body, str) else body
    if "inferenceConfig" in body:
        messages = [{**each, "content": _cache_points(each["content"])} for each in body["messages"]]
        model = request["uri"].rsplit("/model/", 1)[1].split("/")[0]
        return {"model": model, "system": _cache_points(body["system"]), "messages": messages}
    if "input" in body or "prompt_cache_key" in body:
        given = body.get("input") or body["messages"]
        return {"model": body["model"], "messages": [{**each, "content": _breakpoints(each)} for each in given]}
    return dict(body)


def _cache_points(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = list[dict[str, Any]]()
    for block in blocks:
        if "cachePoint" in block:
            found[-1]["cache_control"] = MARKER
        else:
            found.append({"type": "text", **block})
    return found


def _breakpoints(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "type": "text",
            "text": part["text"],
            **({"cache_control": FOR_HALF_AN_HOUR} if "prompt_cache_breakpoint" in part else {}),
        }
        for part in message["content"]
    ]
