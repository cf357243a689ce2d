"""Our own run log as a source: which files it is, and what becomes of its lines."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import PurePath

import pytest

from harness import runlog
from harness.runlog import AnyEvent, ContextAppended, Item, RequestFinished, RunStarted
from observability.errors import BadLine
from observability.sources.base import Place
from observability.sources.registry import SOURCES, recognise
from observability.sources.runlog import RunLogReader

ANY = PurePath("logs/x.ndjson")
START = RunStarted(id="1", conversation="c", run="r", at=datetime(2026, 11, 30, tzinfo=UTC), agent="mine")


def _read(*lines: bytes) -> RunLogReader:
    reader = SOURCES["ccweb"].reader(Place(ANY), b"")
    for number, line in enumerate(lines, 1):
        reader.feed(line, number)
    assert isinstance(reader, RunLogReader)
    return reader


@pytest.mark.parametrize("path", [ANY, PurePath("/somewhere/else.jsonl")])
def test_a_run_log_is_recognised_wherever_it_lies(path: PurePath) -> None:
    assert recognise(path, runlog.encode(START) + b"\n") is SOURCES["ccweb"]


def test_one_good_line_among_bad_ones_is_enough() -> None:
    assert recognise(ANY, b'\x00\xff\n[1]\n{"v":1}\n' + runlog.encode(START)) is SOURCES["ccweb"]


def test_a_first_line_that_the_head_cuts_off_is_enough() -> None:
    long = ContextAppended(id="2", conversation="c", run="r", items=[Item(kind="user", text="x" * 5000)])
    assert recognise(ANY, runlog.encode(long)[:400]) is SOURCES["ccweb"]


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b'{"v":1,"type":"someone.else","id":"1","conversation":"c","run":"r"}\n',
        b'{"type":"run.started"}\n',
        b'{"type":"user","sessionId":"x"}\n',
        b"[" * 100_000,
    ],
)
def test_other_files_are_not(head: bytes) -> None:
    assert recognise(ANY, head) is not SOURCES["ccweb"]


def test_a_file_of_another_suffix_is_not_read() -> None:
    assert recognise(PurePath("x.json"), runlog.encode(START)) is None


def test_lines_are_events_as_they_are() -> None:
    events: list[AnyEvent] = [START, RequestFinished(id="2", conversation="c", run="r", request="q")]
    found = _read(*map(runlog.encode, events)).found
    assert (found.events, found.request_lines) == (events, 1)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "truncated"),
        (b'{"v":1,"type":"run.started","id":"1","conversation":"c"}', "`run`"),
        (b'{"v":2,"type":"run.started","id":"1","conversation":"c","run":"r"}', "version 2"),
        (
            b'{"v":1,"type":"request.finished","id":"1","conversation":"c","run":"r","request":"q",'
            b'"usage":{"input_tokens":-4}}',
            "input_tokens",
        ),
    ],
)
def test_a_line_that_is_no_event_says_what_is_wrong_with_it(line: bytes, reason: str) -> None:
    with pytest.raises(BadLine, match=reason):
        _read(line)


def test_a_byte_order_mark_is_passed_over() -> None:
    assert _read(b"\xef\xbb\xbf" + runlog.encode(START)).found.events == [START]


def test_reading_goes_on_from_nothing_remembered() -> None:
    assert _read(runlog.encode(START)).state() == b""
