from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from harness import factors, tokens
from harness.errors import FactorsError
from harness.factors import Kept, KeptFactor, KeptFrame
from harness.tokens import BUILT_IN

TEXT: dict[str, Any] = {
    "family": "claude-4.7",
    "content": "text",
    "percent": 150,
    "low": 145,
    "high": 158,
    "observations": 90,
    "runs": 4,
    "median": 31,
    "p90": 120,
}
FRAME: dict[str, Any] = {"family": "claude-4.7", "kind": "tool_call", "tokens": 40, "low": 30, "high": 50}
KEPT = Kept(
    fitted_at=datetime(2026, 11, 30, 12, tzinfo=UTC), factors=(KeptFactor(**TEXT),), frames=(KeptFrame(**FRAME),)
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "factors.json"


@pytest.fixture
def adopted() -> Iterator[None]:
    tokens.adopt(KEPT.table())
    yield
    tokens.adopt(BUILT_IN)


def written(file: Path, *entries: dict[str, Any], **more: Any) -> Path:
    head = {"version": 1, "fitted_at": "2026-11-30T12:00:00Z"}
    file.write_text(json.dumps(head | {"factors": entries} | more))
    return file


def test_what_is_kept_is_read_again(file: Path) -> None:
    factors.save(file, KEPT)
    assert factors.load(file) == KEPT


def test_where_there_is_no_file_nothing_is_kept(file: Path) -> None:
    assert factors.load(file) is None


def test_only_what_is_named_takes_the_place_of_what_is_built_in() -> None:
    table = KEPT.table()
    assert table.factors["claude-4.7", "text"].percent == 150
    assert "fitted on 2026-11-30" in table.factors["claude-4.7", "text"].basis
    assert table.frame("claude-4.7", "tool_call").tokens == 40
    changed = {key for key in BUILT_IN.factors if table.factors[key] != BUILT_IN.factors[key]}
    assert changed == {("claude-4.7", "text")}


def test_counts_follow_at_once_what_was_adopted(adopted: None) -> None:
    assert tokens.measured(1_000, tokens.factor("claude-opus-5-5", "text")).tokens == 1_500
    assert tokens.frame("claude-opus-5-5", "tool_call").tokens == 40


def test_nothing_is_adopted_by_reading(file: Path) -> None:
    factors.save(file, KEPT)
    factors.load(file)
    assert tokens.in_use() == BUILT_IN


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        ({"percent": 1_000}, "$.factors[0].percent"),
        ({"family": "claude-9"}, "$.factors[0].family"),
        ({"low": 155}, "$.factors[0]"),
        ({"observations": 0}, "$.factors[0].observations"),
        ({"percent": "150"}, "$.factors[0].percent"),
        ({"more": 1}, "$.factors[0]"),
    ],
)
def test_a_value_that_cannot_be_is_named_by_its_place(file: Path, entry: dict[str, Any], place: str) -> None:
    with pytest.raises(FactorsError) as refused:
        factors.load(written(file, TEXT | entry))
    assert str(file) in str(refused.value)
    assert f"`{place}`" in str(refused.value)


def test_a_factor_that_is_named_twice_is_refused(file: Path) -> None:
    with pytest.raises(FactorsError, match=r"claude-4\.7 text is named twice"):
        factors.load(written(file, TEXT, TEXT))


@pytest.mark.parametrize("data", [b"{", b"[]", b"\xff", b"", b'{"version": 2, "fitted_at": "2026-11-30T12:00:00Z"}'])
def test_a_file_that_is_none_of_ours_is_refused(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    with pytest.raises(FactorsError, match=r"^The factors in .*factors\.json cannot be read: "):
        factors.load(file)


def test_a_file_that_is_far_too_long_is_refused(file: Path) -> None:
    file.write_bytes(b" " * (factors.LONGEST + 1))
    with pytest.raises(FactorsError, match="too long"):
        factors.load(file)


def test_what_cannot_be_kept_is_told_of_and_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "factors.json").mkdir()
    with pytest.raises(FactorsError, match="cannot be kept"):
        factors.save(tmp_path / "factors.json", KEPT)
    assert [each.name for each in tmp_path.iterdir()] == ["factors.json"]
