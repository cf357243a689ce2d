from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness import wire
from harness.catalogue import catalogue_of, read_catalogue, recording
from harness.errors import CatalogueError

LOOK = {"name": "look", "description": "Look.", "inputSchema": {"type": "object"}}
GO = {**LOOK, "name": "go"}


def written(folder: Path, content: object, name: str = "desk_tools.json") -> Path:
    file = folder / name
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


@pytest.mark.parametrize(
    "content",
    [
        [LOOK, GO],
        {"tools": [LOOK, GO]},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [LOOK, GO]}},
        json.dumps(LOOK) + "\n\n" + json.dumps(GO) + "\n",
    ],
)
def test_a_file_is_read_in_any_form(tmp_path: Path, content: object) -> None:
    catalogue = read_catalogue(written(tmp_path, content))
    assert list(catalogue) == ["go", "look"]
    assert {tool.server for tool in catalogue.values()} == {"desk"}


def test_a_file_of_one_line_is_one_tool(tmp_path: Path) -> None:
    assert list(read_catalogue(written(tmp_path, LOOK))) == ["look"]


def test_what_a_tool_says_of_itself_goes_before_the_file_name(tmp_path: Path) -> None:
    said = {**LOOK, "server": "shelf", "group": "Books", "annotations": {"readOnlyHint": True}}
    tool = read_catalogue(written(tmp_path, [said]))["look"]
    assert (tool.server, tool.group, tool.annotations) == ("shelf", "Books", {"readOnlyHint": True})


def test_of_annotations_only_plain_values_are_kept() -> None:
    said = {"readOnlyHint": True, "title": "Look\naround", "odd": {"a": [1]}, "none": None}
    assert catalogue_of([{**LOOK, "annotations": said}])["look"].annotations == {
        "readOnlyHint": True,
        "title": "Look around",
    }


@pytest.mark.parametrize(
    ("bad", "place", "reason"),
    [
        (5, "tool 1", "it is no object"),
        ({"name": "a"}, "tool a", "it has no input schema"),
        ({**LOOK, "inputSchema": [1]}, "tool look", "its input schema is no JSON Schema object"),
        ({**LOOK, "name": 7}, "tool 1", "its name is no text"),
        ({**LOOK, "description": []}, "tool look", "its description is no text"),
        ({**LOOK, "inputSchema": {"type": "list"}}, "tool look", 'its input schema is of type list, not "object" - at'),
        ({**LOOK, "name": ""}, "tool 1", "it has no name"),
    ],
)
def test_a_bad_tool_is_said_and_does_not_lose_the_others(tmp_path: Path, bad: Any, place: str, reason: str) -> None:
    catalogue = read_catalogue(written(tmp_path, [bad, GO]))
    assert list(catalogue) == ["go"]
    assert catalogue.problems[0].place == f"server desk, {place}"
    assert catalogue.problems[0].reason.startswith(reason)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "it is no JSON"),
        ("{", "it is no JSON"),
        ('{"a": 1}\n{"b": ', "line 2 is no JSON"),
        ("[NaN]", "NaN is no number"),
        ("[" * 100_000, "it is nested too deep"),
        ("5", "it holds no list of tools"),
        ({"tools": {"a": 1}}, "it holds no list of tools"),
        ({"result": 5}, "it holds no list of tools"),
        ({"format": "harness-catalogue", "version": 2, "tools": []}, "version 2 of the format is not known here"),
    ],
)
def test_a_file_that_is_no_catalogue_is_refused_by_its_name(tmp_path: Path, content: object, why: str) -> None:
    file = written(tmp_path, content)
    with pytest.raises(CatalogueError) as caught:
        read_catalogue(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert why in str(caught.value)


def test_a_file_that_cannot_be_read_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="cannot be read: No such file"):
        read_catalogue(tmp_path / "none.json")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(CatalogueError, match="it is not in UTF-8"):
        read_catalogue(tmp_path / "bytes.json")


def test_a_file_that_is_far_too_large_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "huge.json"
    with file.open("wb") as opened:
        opened.truncate(65 * 1024 * 1024)
    with pytest.raises(CatalogueError, match="is larger than 67,108,864 bytes"):
        read_catalogue(file)


def test_a_recording_is_read_as_what_was_recorded(tmp_path: Path, datasets: Path) -> None:
    catalogue = read_catalogue(datasets / "mcp_catalogues" / "playwright_tools.json")
    again = read_catalogue(written(tmp_path, recording(catalogue), "whatever.json"))
    assert dict(again) == dict(catalogue)


def test_a_recording_has_the_size_of_each_definition() -> None:
    recorded = recording(catalogue_of([LOOK]))["tools"][0]
    definition = b'{"name":"look","description":"Look.","input_schema":{"properties":{},"type":"object"}}'
    assert recorded["size"] == {"bytes": len(definition), "o200k": 20}


def test_a_recording_of_a_mapped_name_keeps_the_original(tmp_path: Path) -> None:
    recorded = recording(catalogue_of([{**LOOK, "name": "files.look"}], server="desk"))
    assert recorded["tools"][0]["original_name"] == "files.look"
    assert recorded["problems"][0]["kept"] is True
    assert wire.dumps(recording(read_catalogue(written(tmp_path, recorded)))["tools"]) == wire.dumps(recorded["tools"])
