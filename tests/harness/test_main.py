from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.__main__ import main

PAGE = Path(__file__).parents[2] / "docs" / "run-log.schema.json"


def test_the_schema_in_docs_is_up_to_date() -> None:
    assert main(["schema", "--check", str(PAGE)]) == 0


def test_a_schema_that_differs_is_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "schema.json"
    file.write_text(PAGE.read_text() + " ")
    assert main(["schema", "--check", str(file)]) == 1
    assert capsys.readouterr().err.startswith(f"{file} is not up to date.")


def test_a_missing_schema_is_said_so(tmp_path: Path) -> None:
    assert main(["schema", "--check", str(tmp_path / "none.json")]) == 1


def test_the_schema_is_written_to_a_file(tmp_path: Path) -> None:
    assert main(["schema", str(tmp_path / "schema.json")]) == 0
    assert (tmp_path / "schema.json").read_text() == PAGE.read_text()


def test_the_schema_is_shown_where_no_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "ccweb run log, version 1"


def test_a_command_is_needed() -> None:
    with pytest.raises(SystemExit):
        main([])
