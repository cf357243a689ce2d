from __future__ import annotations

import argparse
import json
from pathlib import Path, PurePath

from benchmarks import corpus
from benchmarks.transcripts import Session
from harness.runlog import RequestFinished
from observability.sources.base import Place
from observability.sources.registry import recognise


def _ask(**more: object) -> argparse.Namespace:
    return argparse.Namespace(**{"mb": 1, "same_text": False, "files": 3, "big_mb": 1, **more})


def test_a_made_up_session_is_understood_whole() -> None:
    lines = list(Session("one", 20).lines())
    path = PurePath("projects/-x/one.jsonl")
    source = recognise(path, b"\n".join(lines))
    assert source is not None
    reader = source.reader(Place(path), b"")
    for number, line in enumerate(lines, 1):
        reader.feed(line, number)
    assert not reader.found.unknown
    assert not reader.found.flags
    assert len({e.request for e in reader.found.events if isinstance(e, RequestFinished)}) == 20


def test_a_corpus_has_the_size_that_was_asked_for(tmp_path: Path) -> None:
    corpus.sessions(tmp_path, _ask(mb=2))
    assert 2_000_000 <= sum(path.stat().st_size for path in tmp_path.rglob("*.jsonl")) < 4_000_000


def test_every_line_of_a_corpus_is_compact_json(tmp_path: Path) -> None:
    corpus.sessions(tmp_path, _ask())
    for path in tmp_path.rglob("*.jsonl"):
        assert all(json.loads(line) and b'": ' not in line[:40] for line in path.read_bytes().splitlines())


def test_a_replica_has_other_ids_of_the_same_form() -> None:
    data = b'{"uuid":"0f8fad5b-d9cb-469f-a165-70867728950e","id":"msg_01CqZ26vRVbZjQbyTfhk","text":"a b"}'
    fresh = corpus._fresh_data(data, 1, same_text=False)
    assert len(json.loads(fresh)["uuid"]) == 36
    assert not set(json.loads(fresh).values()) & set(json.loads(data).values())


def test_the_same_replica_is_made_each_time() -> None:
    data = b'{"requestId":"req_011CXv3tx3tY8SQUWdkYGU8T"}'
    assert corpus._fresh_data(data, 2, same_text=True) == corpus._fresh_data(data, 2, same_text=True)


def test_the_big_file_is_one_session(tmp_path: Path) -> None:
    corpus.big_file(tmp_path, _ask())
    [path] = tmp_path.rglob("*.jsonl")
    assert {json.loads(line)["sessionId"] for line in path.read_bytes().splitlines()} == {path.stem}
