from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

from harness import runlog, usage

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "run-log.md").read_text()


def _lines() -> list[str]:
    return "".join(re.findall(r"```json\n(.*?)```", PAGE, re.S)).splitlines()


@pytest.fixture(scope="module")
def validator() -> Iterator[Draft202012Validator]:
    yield Draft202012Validator(json.loads((DOCS / "run-log.schema.json").read_text()))


def test_the_example_can_be_read() -> None:
    assert len(list(runlog.read(line.encode() for line in _lines()))) == 12


def test_the_example_fits_the_schema(validator: Draft202012Validator) -> None:
    assert [list(validator.iter_errors(json.loads(line))) for line in _lines()] == [[]] * 12


def test_the_example_counts_its_characters() -> None:
    items: list[dict[str, Any]] = [item for line in _lines() for item in json.loads(line).get("items", [])]
    assert [len(item["text"]) for item in items] == [item["chars"] for item in items]


def test_the_second_request_reads_what_the_first_one_wrote() -> None:
    events = [event for event in map(runlog.decode, _lines()) if isinstance(event, runlog.RequestFinished)]
    first, second = (usage.anthropic(event.usage or {}).buckets for event in events)
    assert second.read == first.written


def test_every_type_is_described() -> None:
    tags = {kind.__struct_config__.tag for kind in get_args(runlog.AnyEvent)}
    assert tags == set(re.findall(r"^\| `(\w+\.\w+)` \|", PAGE, re.M))


def test_every_kind_of_item_is_named() -> None:
    assert all(f"`{kind}`" in PAGE for kind in get_args(runlog.ItemKind))


def test_a_line_that_is_no_event_does_not_fit_the_schema(validator: Draft202012Validator) -> None:
    assert not validator.is_valid({"v": 1, "type": "run.started", "id": "x"})
