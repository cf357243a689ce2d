from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import tokens, wire
from harness.__main__ import main
from harness.catalogue import read_catalogue
from harness.errors import CommandError
from harness.mcp.recorder import record
from tests.harness.mcp.conftest import WriteConfig


def test_what_is_recorded_is_read_back_as_it_was(
    written: WriteConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = written("good", "odd_names")
    assert main(["catalogue", "--mcp-config", str(config)]) == 0
    (tmp_path / "catalogue.json").write_text(capsys.readouterr().out)
    catalogue, whole = record(config)
    assert whole
    assert dict(read_catalogue(tmp_path / "catalogue.json")) == dict(catalogue)


def test_each_tool_has_its_size(written: WriteConfig, capsys: pytest.CaptureFixture[str]) -> None:
    main(["catalogue", "--mcp-config", str(written("good"))])
    (tool,) = json.loads(capsys.readouterr().out)["tools"]
    definition = wire.dumps({key: tool[key] for key in ("name", "description", "input_schema")})
    assert tool["size"] == {"bytes": len(definition), "o200k": tokens.count(definition.decode())}
    assert tool["server"] == "good"


def test_what_was_wrong_is_printed_and_recorded(written: WriteConfig, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["catalogue", "--mcp-config", str(written("no_schema", "dies_at_once"))]) == 1
    printed = capsys.readouterr()
    problems = json.loads(printed.out)["problems"]
    assert printed.err.splitlines() == [f"{each['place']}: {each['reason']}" for each in problems]
    assert problems[-1]["place"] == "server dies_at_once"
    assert "no licence found" in problems[-1]["reason"]


def test_a_configuration_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        record(tmp_path / "none")
