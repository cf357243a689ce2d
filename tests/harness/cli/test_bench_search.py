from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.__main__ import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools.jsonl").write_text('{"name": "send_mail"}\n{"name": "plot"}\n')
    (tmp_path / "queries.jsonl").write_text('{"query": "mailing", "expected": ["send_mail"]}\n')
    return tmp_path


def test_json_is_a_list_of_measurements(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench-search", str(folder), "--json"]) == 0
    baseline, harness = json.loads(capsys.readouterr().out)
    assert list(harness) == ["set", "ranker", "queries", "recall_at_1", "recall_at_5", "recall_at_10", "ms_p99"]
    assert (baseline["ranker"], baseline["queries"], baseline["recall_at_5"]) == ("baseline", 1, 0.0)
    assert (harness["ranker"], harness["set"], harness["recall_at_5"]) == ("harness", folder.name, 1.0)


def test_the_table_ends_with_the_means(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench-search", str(folder)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == [
        "mean",
        "over",
        "sets",
        "harness",
        "1.000",
        "1.000",
        "1.000",
    ]


def test_a_half_may_be_chosen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts = []
    for half in ("tuned", "held_out"):
        assert main(["bench-search", str(folder), "--json", "--half", half]) == 0
        counts.append(len(json.loads(capsys.readouterr().out)))
    assert sorted(counts) == [0, 2]


def test_a_folder_without_sets_is_refused_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench-search", str(tmp_path)]) == 2
    assert "holds no set" in capsys.readouterr().err
