"""The import of real logs against an independent count."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import pytest

from observability.queries.report import ReportRow, report
from observability.services.imports import import_paths
from tests import plain_count
from tests.rows import all_rows

pytestmark = pytest.mark.django_db


def files(samples: Path) -> list[Path]:
    """Every real transcript."""
    return sorted((samples / "claude_code").rglob("*.jsonl"))


def sums(row: ReportRow) -> dict[str, int]:
    """The columns of a report's row that the plain count has too."""
    names = ("requests", "uncached", "cache_read", "cache_write_5m", "cache_write_1h", "output")
    return {name: getattr(row, name) for name in names}


def test_the_total_of_all_samples_equals_a_plain_count(samples: Path) -> None:
    import_paths([samples / "claude_code"])
    [total] = report("total")
    assert sums(total) == plain_count.totals(plain_count.requests(*files(samples)))
    assert total.cache_write_other == 0


def test_each_sample_alone_equals_a_plain_count(samples: Path, db_reset) -> None:
    for file in files(samples):
        db_reset()
        import_paths([file])
        [total] = report("total")
        assert sums(total) == plain_count.totals(plain_count.requests(file)), file.name


@pytest.mark.parametrize("by", ["day", "model", "conversation"])
def test_each_row_of_the_report_equals_a_plain_count(samples: Path, by: str) -> None:
    import_paths([samples / "claude_code"])
    groups: dict[str, dict] = defaultdict(dict)
    for key, request in plain_count.requests(*files(samples)).items():
        group = str(request["first"])[:10] if by == "day" else request[by]
        groups[str(group)][key] = request
    assert {row.key: sums(row) for row in report(by)} == {
        key: plain_count.totals(requests) for key, requests in groups.items()
    }


def test_importing_twice_changes_nothing(samples: Path) -> None:
    import_paths([samples / "claude_code"])
    before = all_rows()
    assert import_paths([samples / "claude_code"])["lines"] == 0
    assert all_rows() == before


def test_another_order_gives_the_same_rows(samples: Path, db_reset) -> None:
    import_paths([samples / "claude_code"])
    before = all_rows()
    for seed in range(3):
        db_reset()
        shuffled = files(samples)
        random.Random(seed).shuffle(shuffled)
        for file in shuffled:
            import_paths([file])
        assert all_rows() == before


def test_two_halves_give_the_same_rows(samples: Path, tmp_path: Path, db_reset) -> None:
    texts = {tmp_path / f"{number}-{file.name}": file.read_bytes() for number, file in enumerate(files(samples))}
    for copy, text in texts.items():
        copy.write_bytes(text)
    import_paths(texts)
    before = all_rows()
    db_reset()
    for copy, text in texts.items():
        copy.write_bytes(text[: len(text) // 2])
    import_paths(texts)
    for copy, text in texts.items():
        copy.write_bytes(text)
    import_paths(texts)
    assert all_rows() == before


def test_a_copy_of_a_file_elsewhere_counts_no_request_again(samples: Path, tmp_path: Path) -> None:
    original = files(samples)[3]
    import_paths([original])
    before = report("total")
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(original.read_bytes())
    counts = import_paths([copy])
    assert report("total") == before
    assert counts["requests"] == 0
    assert counts["duplicate_lines"] > 0
