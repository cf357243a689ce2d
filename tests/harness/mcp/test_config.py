from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.errors import CommandError
from harness.mcp import Http, Stdio, config_of, read_config


def of(**servers: Any) -> Any:
    return config_of({"mcpServers": servers}, {"HOME": "/home/me", "KEY": "secret"})


def test_programs_and_addresses_are_read() -> None:
    found = of(a={"command": "run", "args": ["x"]}, b={"type": "http", "url": "https://x.test/mcp"})
    assert found.servers == (Stdio(name="a", command="run", args=("x",)), Http(name="b", url="https://x.test/mcp"))


def test_an_address_alone_means_http() -> None:
    assert of(a={"url": "http://127.0.0.1:1/"}).servers == (Http(name="a", url="http://127.0.0.1:1/"),)


def test_variables_are_replaced_wherever_they_stand() -> None:
    (server,) = of(
        a={"command": "${HOME}/run", "args": ["--key=${KEY}", "${NONE:-else}"], "env": {"K": "${KEY}"}}
    ).servers
    assert server == Stdio(name="a", command="/home/me/run", args=("--key=secret", "else"), env={"K": "secret"})


def test_what_a_variable_holds_is_not_replaced_again() -> None:
    found = config_of({"mcpServers": {"a": {"command": "${A}"}}}, {"A": "${B}", "B": "no"})
    assert found.servers == (Stdio(name="a", command="${B}"),)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"command": "${NONE}"}, "command: the variable NONE is not set"),
        ({"args": []}, "command: it is missing"),
        ({"command": 3}, "command: it is no text, or empty"),
        ({"command": "x", "args": "y"}, "args: it is no list"),
        ({"command": "x", "args": [1]}, "args[0]: it is no text"),
        ({"command": "x", "env": {"A": 1}}, "env.A: it is no text"),
        ({"type": "sse", "url": "http://x"}, "type: 'sse' is not spoken here; the types are stdio and http"),
        ({"type": "http", "url": "ftp://x"}, "url: it does not begin with http:// or https://"),
        ("text", "it is described by no object"),
    ],
)
def test_a_server_that_cannot_be_started_is_told_with_the_field(entry: Any, reason: str) -> None:
    found = of(bad=entry, good={"command": "x"})
    assert dict(found.unusable) == {"bad": reason}
    assert [each.name for each in found.servers] == ["good"]


def test_keys_that_are_not_known_are_reported() -> None:
    found = config_of({"mcpServers": {"a": {"command": "x", "colour": "red"}}, "version": 3}, {})
    assert [str(each) for each in found.problems] == [
        "the file: the key 'version' is not known here and does nothing",
        "server a: the key 'colour' is not known here and does nothing",
    ]


def test_a_server_that_is_switched_off_is_left_out() -> None:
    assert of(a={"command": "x", "disabled": True}).servers == ()


@pytest.mark.parametrize("text", ["", "[]", '{"servers": {}}', '{"mcpServers": []}', "[" * 100_000])
def test_a_file_that_is_no_configuration_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(CommandError, match=r"x\.json"):
        read_config(tmp_path / "x.json")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        read_config(tmp_path / "none.json")
