from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.errors import DatasetError
from harness.search.bench import DataSet, Half, half_of, measure, read_sets, recall


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "office", ["mail", "plot"], [("send mail", ["mail"]), ("plot and mail", ["plot", "mail"])])
    return tmp_path


def write(folder: Path, names: list[str], queries: list[tuple[str, list[str]]]) -> None:
    folder.mkdir()
    (folder / "tools.jsonl").write_text("".join(json.dumps({"name": name}) + "\n" for name in names))
    lines = (json.dumps({"query": query, "expected": expected}) + "\n" for query, expected in queries)
    (folder / "queries.jsonl").write_text("".join(lines))


def test_both_rankers_are_measured_on_every_set(folder: Path) -> None:
    write(folder / "attic", ["box"], [("box", ["box"])])
    found = [(each.set, each.ranker, each.queries) for each in measure(read_sets(folder), "all")]
    assert found == [
        ("attic", "baseline", 1),
        ("attic", "harness", 1),
        ("office", "baseline", 2),
        ("office", "harness", 2),
    ]


def test_recall_is_the_mean_share_of_the_expected_tools(folder: Path) -> None:
    baseline = next(measure(read_sets(folder), "all"))
    assert (baseline.recall_at_1, baseline.recall_at_5) == (0.75, 1.0)


def test_time_is_that_of_the_clock_given(folder: Path) -> None:
    ticks = iter(range(100))
    assert next(measure(read_sets(folder), "all", lambda: next(ticks))).ms_p99 == 1000.0


def test_the_halves_are_apart_and_whole(folder: Path) -> None:
    sets = read_sets(folder)
    sizes = [sum(each.queries for each in measure(sets, half)) for half in ("tuned", "held_out", "all")]
    assert sizes[0] + sizes[1] == sizes[2] == 4


@pytest.mark.parametrize(
    ("query", "half"),
    [
        ("send a letter", "tuned"),
        ("plot a chart", "held_out"),
        ("mail", "held_out"),
        ("book 16 flights", "held_out"),
        ("book 399 flights", "tuned"),
    ],
)
def test_a_query_stays_in_its_half(query: str, half: str) -> None:
    assert half_of(query) == half


@pytest.mark.parametrize(
    ("expected", "found", "share"), [(["a", "b"], ["b", "c"], 0.5), (["a", "a"], ["a"], 1.0), ([], ["a"], 1.0)]
)
def test_recall(expected: list[str], found: list[str], share: float) -> None:
    assert recall(expected, found) == share


def test_a_folder_without_sets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="holds no set"):
        read_sets(tmp_path)


def test_a_broken_line_is_named(folder: Path) -> None:
    (folder / "office" / "queries.jsonl").write_text('\n{"query": 5}\n')
    with pytest.raises(DatasetError, match=r"queries\.jsonl, line 2"):
        read_sets(folder)


# The targets -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def sets(datasets: Path) -> list[DataSet]:
    return read_sets(datasets)


def test_no_more_than_half_of_any_set_is_tuned_on(sets: list[DataSet]) -> None:
    assert len(sets) == 4
    for each in sets:
        assert 0 < 2 * sum(half_of(query.query) == "tuned" for query in each.queries) <= len(each.queries)


@pytest.mark.slow
@pytest.mark.parametrize("half", ["tuned", "held_out", "all"])
def test_recall_at_5_is_well_above_the_baseline(sets: list[DataSet], half: Half) -> None:
    reached = {(each.set, each.ranker): each.recall_at_5 for each in measure(sets, half)}
    gains = [reached[name, "harness"] - reached[name, "baseline"] for name, ranker in reached if ranker == "harness"]
    assert len(gains) == 4
    assert sum(gains) / 4 >= 0.05
    assert min(gains) >= -0.01
