"""Real transcripts, beside a plain count that shares no code with the reader."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from harness.runlog import ContextRewritten, RequestFinished, ToolCalled
from observability.sources.base import Gathered, Place
from observability.sources.claude_code import ClaudeCode
from tests.observability.sources.claude_code.reading import events, items


@pytest.fixture(scope="module")
def transcripts(samples: Path) -> dict[Path, Gathered]:
    """What is found in each real transcript."""
    return {path: found_in(path) for path in sorted((samples / "claude_code").rglob("*.jsonl"))}


def found_in(path: Path) -> Gathered:
    """What a reader finds in a file."""
    reader = ClaudeCode().reader(Place(path), b"")
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        reader.feed(line, number)
    return reader.found


def records(path: Path) -> list[dict[str, Any]]:
    """The records of a file, read plainly."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def blocks(path: Path, kind: str) -> list[dict[str, Any]]:
    """All content blocks of a type in messages of a file."""
    contents = [r["message"]["content"] for r in records(path) if r["type"] in ("user", "assistant")]
    return [b for content in contents if isinstance(content, list) for b in content if b["type"] == kind]


def test_there_are_real_transcripts(transcripts: dict[Path, Gathered]) -> None:
    assert len(transcripts) >= 10


def test_every_sample_is_recognised(transcripts: dict[Path, Gathered]) -> None:
    assert all(ClaudeCode().recognises(path, path.read_bytes()[:4_096]) for path in transcripts)


def test_requests_are_those_of_a_plain_count(transcripts: dict[Path, Gathered]) -> None:
    for path, found in transcripts.items():
        plain = Counter(
            f"{r['message']['id']}:{r.get('requestId', '')}"
            for r in records(path)
            if r["type"] == "assistant" and r["message"]["model"] != "<synthetic>"
        )
        assert Counter(event.request for event in events(found, RequestFinished)) == plain, path.name
        assert found.request_lines == plain.total()


def test_usage_is_that_of_the_lines(transcripts: dict[Path, Gathered]) -> None:
    for path, found in transcripts.items():
        plain = [
            r["message"]["usage"]
            for r in records(path)
            if r["type"] == "assistant" and r["message"]["model"] != "<synthetic>"
        ]
        assert [event.usage for event in events(found, RequestFinished)] == plain, path.name


def test_calls_and_results_are_those_of_a_plain_count(transcripts: dict[Path, Gathered]) -> None:
    for path, found in transcripts.items():
        called = [event.call for event in events(found, ToolCalled) if event.tool is not None]
        answered = {event.call: event.ok for event in events(found, ToolCalled) if event.ok is not None}
        assert called == [block["id"] for block in blocks(path, "tool_use")], path.name
        assert answered == {b["tool_use_id"]: not b.get("is_error") for b in blocks(path, "tool_result")}, path.name


def test_compactions_are_those_of_a_plain_count(transcripts: dict[Path, Gathered]) -> None:
    for path, found in transcripts.items():
        plain = [r["compactMetadata"]["preTokens"] for r in records(path) if r.get("subtype") == "compact_boundary"]
        assert [event.tokens_before for event in events(found, ContextRewritten)] == plain, path.name


def test_every_thinking_and_text_block_is_an_item(transcripts: dict[Path, Gathered]) -> None:
    for path, found in transcripts.items():
        kinds = Counter(item.kind for item in items(found))
        assert kinds["thinking"] == len(blocks(path, "thinking")), path.name
        assert kinds["tool_result"] == len(blocks(path, "tool_result")), path.name


def test_nothing_in_them_is_unknown_or_odd(transcripts: dict[Path, Gathered]) -> None:
    assert {path.name: (found.unknown, found.flags) for path, found in transcripts.items()} == {
        path.name: ({}, []) for path in transcripts
    }


def test_ids_of_events_are_unique_in_each_file(transcripts: dict[Path, Gathered]) -> None:
    for path, found in transcripts.items():
        assert len({event.id for event in found.events}) == len(found.events), path.name


def test_progress_names_the_children_of_an_older_session(transcripts: dict[Path, Gathered]) -> None:
    (found,) = [found for path, found in transcripts.items() if "EXCERPT" in path.name]
    assert {event.child_run for event in events(found, ToolCalled) if event.child_run} == {"a7be2f0"}
