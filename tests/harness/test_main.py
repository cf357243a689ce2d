from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.__main__ import COMMANDS, main
from harness.cli import bench_search

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


def test_the_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    listed = capsys.readouterr().out.split()
    assert all(module.__name__.rpartition(".")[2].replace("_", "-") in listed for module in COMMANDS)


def test_a_command_that_is_not_there_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["scheme"])
    assert capsys.readouterr().err.startswith("python -m harness: argument COMMAND: invalid choice: 'scheme'")


def test_nothing_to_compare_with_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--check"]) == 2
    assert capsys.readouterr().err == "python -m harness: --check needs the file to compare with\n"


def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "none" / "schema.json"
    assert main(["schema", str(file)]) == 2
    assert capsys.readouterr().err == f"python -m harness: {file}: No such file or directory\n"


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    words = f"{sys.executable} -m harness schema | head -c 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", words], cwd=PAGE.parents[1], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{", b"")


def test_ctrl_c_ends_any_command_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(folder: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bench_search, "read_sets", stopped)
    assert main(["bench-search", str(tmp_path)]) == 130
    assert capsys.readouterr().err == "Stopped.\n"
