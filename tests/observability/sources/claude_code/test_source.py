"""Which files are transcripts of Claude Code."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from observability.sources.claude_code import ClaudeCode
from observability.sources.registry import SOURCES, recognise
from tests.claude_code_lines import Log, dump

ANY = PurePath("logs/x.jsonl")


def test_a_transcript_is_recognised_wherever_it_lies() -> None:
    found = recognise(ANY, dump([Log().user("hi")]))
    assert found is SOURCES["claude_code"]


def test_a_first_line_that_the_head_cuts_off_is_enough() -> None:
    assert recognise(ANY, dump([Log().user("x" * 5000)])[:400]) is not None


def test_one_good_line_among_bad_ones_is_enough() -> None:
    assert recognise(ANY, b"\x00\xff\n[1]\n" + dump([Log().user("hi")])) is not None


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"\x00\x01\x02",
        b'{"type":"session_meta","payload":{}}\n',
        b'{"type":"user","session_id":"x","message":{}}\n',
        b'{"type":"user","sessionId":"x","uuid":"u","message":{"role":"user","parts":[{"text":"hi"}]}}\n',
        b"[" * 100_000,
    ],
)
def test_other_files_are_not(head: bytes) -> None:
    assert recognise(ANY, head) is None


def test_any_log_in_the_clients_own_folder_is_read_even_if_damaged() -> None:
    assert recognise(PurePath("/home/dev/.claude/projects/-home-dev-shop/x.jsonl"), b"\x00") is not None


def test_other_kinds_of_file_are_not_read() -> None:
    assert recognise(PurePath("/home/dev/.claude/projects/a/agent-a1.meta.json"), b"{}") is None


def test_only_a_sub_agents_transcript_has_a_side_file() -> None:
    source = ClaudeCode()
    assert source.side_files(PurePath("s/subagents/agent-a1.jsonl")) == ["agent-a1.meta.json"]
    assert source.side_files(PurePath("s.jsonl")) == []
