from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.__main__ import main


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "tracker_tools.json"
    schema = {"type": "object", "properties": {"title": {"type": "string", "description": "Title of the issue"}}}
    good = {"name": "add_issue", "description": "Add an issue to the tracker.", "inputSchema": schema}
    file.write_text(json.dumps([good, {**good, "name": "list_issues"}, {"name": "bad", "inputSchema": 5}]))
    return file


def test_json_holds_what_is_measured(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["resident"], found["deferred"], found["mode"], found["encoding"]) == (22, 2, "build", "o200k_base")
    assert found["saved_share"] == round(1 - found["after_tokens"] / found["before_tokens"], 4)
    assert [each["name"] for each in found["held_back"]] == ["add_issue", "list_issues"]


def test_the_table_has_the_same_figures(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["measure", str(file), "--json"])
    found = json.loads(capsys.readouterr().out)
    main(["measure", str(file)])
    table = capsys.readouterr().out
    assert f"before_tokens  {found['before_tokens']:>7,}  " in table
    assert f"after_tokens   {found['after_tokens']:>7,}  " in table
    assert f"index_tokens   {found['index_tokens']:>7,}\n" in table
    assert table.endswith(f"{found['held_back'][-1]['held_back_tokens']}  list_issues\n")


def test_a_mode_may_be_chosen(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", str(file), "--json", "--mode", "plan"]) == 0
    assert [each["name"] for each in json.loads(capsys.readouterr().out)["held_back"]] == ["list_issues"]


def test_a_bad_tool_is_said_apart_and_does_not_lose_the_others(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", str(file)]) == 0
    assert capsys.readouterr().err == "server tracker, tool bad: its input schema is no JSON Schema object\n"


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "none.json"
    assert main(["measure", str(file)]) == 2
    assert capsys.readouterr().err == f"python -m harness: {file} cannot be read: No such file or directory\n"


def test_without_a_file_the_help_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["measure"])
    assert capsys.readouterr().err.endswith("Help: python -m harness measure --help\n")


def test_where_nothing_is_held_back_there_is_no_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.json").write_text("[]")
    assert main(["measure", str(tmp_path / "empty.json")]) == 0
    assert capsys.readouterr().out.endswith("Tokens of o200k_base.\n")
