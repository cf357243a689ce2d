"""Configurations of tool servers that really run: the plain one, as it is told to behave."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PLAIN = Path(__file__).with_name("plain_server.py")


def plain(behaviour: str) -> dict[str, Any]:
    """The entry of a server that behaves so."""
    return {"command": sys.executable, "args": ["-S", str(PLAIN), behaviour]}


def many(*behaviours: str) -> dict[str, Any]:
    """A configuration of servers, each named as it behaves."""
    return {"mcpServers": {each: plain(each) for each in behaviours}}


WriteConfig = Callable[..., Path]


@pytest.fixture
def written(tmp_path: Path) -> WriteConfig:
    """Writes a .mcp.json of such servers."""

    def write(*behaviours: str) -> Path:
        file = tmp_path / ".mcp.json"
        file.write_text(json.dumps(many(*behaviours)))
        return file

    return write
