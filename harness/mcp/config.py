"""Which tool servers there are, from a file `.mcp.json`.

    {"mcpServers": {
        "github": {"command": "github-mcp-server", "args": ["stdio"], "env": {"TOKEN": "${GITHUB_TOKEN}"}},
        "docs": {"type": "http", "url": "https://example.org/mcp", "headers": {"X-Key": "${KEY:-none}"}}
    }}

`${NAME}` and `${NAME:-instead}` stand for variables of the environment, in any text. A server with
`"disabled": true` is left out. Keys that are not known here are reported and do nothing.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from harness.catalogue import Problem, shown
from harness.errors import CommandError

KNOWN: Final = frozenset(("args", "command", "cwd", "disabled", "env", "headers", "type", "url"))
HTTP: Final = frozenset(("http", "streamable-http", "streamable_http", "streamableHttp"))
"""Words by which a file names the streamable HTTP transport."""
STDIO: Final = frozenset(("", "stdio"))

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_LARGEST = 4 * 1024 * 1024


class Stdio(msgspec.Struct, frozen=True, kw_only=True):
    """A server that is a program, which is started and spoken to through its standard input and output."""

    name: str
    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = msgspec.field(default_factory=dict)
    cwd: str | None = None


class Http(msgspec.Struct, frozen=True, kw_only=True):
    """A server at an address that speaks streamable HTTP."""

    name: str
    url: str
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)


ServerConfig = Stdio | Http


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """The servers of a file, in its order. `unusable`: servers that cannot be started as they are described, and why."""

    servers: tuple[ServerConfig, ...] = ()
    unusable: Mapping[str, str] = msgspec.field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    """What was passed over: keys that are not known."""


class _Unusable(Exception):
    """A server cannot be started as it is described; the message is the reason."""


def read_config(path: Path, environment: Mapping[str, str] = os.environ) -> Config:
    """The servers in a file. Raises CommandError where it cannot be read as a whole."""
    try:
        if path.stat().st_size > _LARGEST:
            raise CommandError(f"{path} is larger than {_LARGEST:,} bytes")
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{path} is no JSON: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("mcpServers"), dict):
        raise CommandError(f'{path} has no object "mcpServers"')
    return config_of(found, environment)


def config_of(found: Mapping[str, Any], environment: Mapping[str, str]) -> Config:
    """The servers of a decoded file."""
    servers: list[ServerConfig] = []
    unusable: dict[str, str] = {}
    problems = [_unknown("the file", key) for key in found if key != "mcpServers"]
    for name, entry in found["mcpServers"].items():
        if isinstance(entry, dict):
            problems += [_unknown(f"server {shown(name)}", key) for key in entry if key not in KNOWN]
        try:
            if server := _server(name, entry, environment):
                if any(shown(each.name) == shown(name) for each in servers):
                    raise _Unusable("another server has the same name, as far as it can be shown")
                servers.append(server)
        except _Unusable as reason:
            unusable[name] = str(reason)
    return Config(servers=tuple(servers), unusable=unusable, problems=tuple(problems))


def _unknown(place: str, key: str) -> Problem:
    return Problem(place=place, reason=f"the key {shown(key)!r} is not known here and does nothing", kept=True)


def _server(name: str, entry: object, environment: Mapping[str, str]) -> ServerConfig | None:
    """One server; None where it is switched off."""
    if not isinstance(entry, dict):
        raise _Unusable("it is described by no object")
    if not shown(name):
        raise _Unusable("it has no name")
    if entry.get("disabled") is True:
        return None
    kind = entry.get("type", "")
    if kind in HTTP or (kind == "" and "url" in entry):
        return Http(
            name=name,
            url=_address(_text(entry, "url", environment)),
            headers=_texts(entry, "headers", environment),
        )
    if kind not in STDIO:
        raise _Unusable(f"type: {shown(str(kind))!r} is not spoken here; the types are stdio and http")
    cwd = _text(entry, "cwd", environment) if entry.get("cwd") is not None else None
    args = tuple(_list(entry, "args", environment))
    command = _text(entry, "command", environment)
    return Stdio(name=name, command=command, args=args, env=_texts(entry, "env", environment), cwd=cwd)


def _address(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise _Unusable("url: it does not begin with http:// or https://")
    return url


def _text(entry: Mapping[str, Any], key: str, environment: Mapping[str, str]) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value:
        raise _Unusable(f"{key}: it is missing" if value is None else f"{key}: it is no text, or empty")
    return expanded(value, key, environment)


def _list(entry: Mapping[str, Any], key: str, environment: Mapping[str, str]) -> Iterator[str]:
    value = entry.get(key) or []
    if not isinstance(value, list):
        raise _Unusable(f"{key}: it is no list")
    for index, each in enumerate(value):
        if not isinstance(each, str):
            raise _Unusable(f"{key}[{index}]: it is no text")
        yield expanded(each, f"{key}[{index}]", environment)


def _texts(entry: Mapping[str, Any], key: str, environment: Mapping[str, str]) -> dict[str, str]:
    value = entry.get(key) or {}
    if not isinstance(value, dict):
        raise _Unusable(f"{key}: it is no object")
    for name, each in value.items():
        if not isinstance(each, str):
            raise _Unusable(f"{key}.{name}: it is no text")
    return {name: expanded(each, f"{key}.{name}", environment) for name, each in value.items()}


def expanded(text: str, field: str, environment: Mapping[str, str]) -> str:
    """A text with the variables in it replaced. One that is not set, and has nothing instead, is at fault."""

    def value(found: re.Match[str]) -> str:
        instead = found[2]
        known = environment.get(found[1], "") if instead is not None else environment.get(found[1])
        if known is None:
            raise _Unusable(f"{field}: the variable {found[1]} is not set")
        return known or instead or ""

    whole = _VARIABLE.sub(value, text)
    if "\0" in whole:
        raise _Unusable(f"{field}: a NUL character is in it")
    return whole
