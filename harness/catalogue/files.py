"""Catalogues in files: what a tool server answered, or what was recorded with sizes.

A file is read in any of these forms, whatever it is called:

* the answer to `tools/list`: a list of tools, `{"tools": [...]}`, or the whole JSON-RPC answer
* a recorded catalogue, as `recording` makes it
* one tool a line

A tool is `{"name", "description", "inputSchema"}`; `input_schema` is taken too, and `server`,
`group` and `annotations` where they are given. Where a tool names no server, the file's name
does: `github_tools.json` is the server "github".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

from harness import tokens, wire
from harness.catalogue.catalogue import Catalogue
from harness.catalogue.names import shown
from harness.catalogue.problems import Problem
from harness.errors import CatalogueError, UnfitTool
from harness.tools import ToolSpec

FORMAT: Final = "harness-catalogue"
VERSION: Final = 1
LARGEST: Final = 64 * 1024 * 1024
"""Bytes of a file. A larger one is no catalogue."""


def read_catalogue(path: Path, *, server: str = "") -> Catalogue:
    """The catalogue in a file. `server` names the server of tools that name none.

    Raises CatalogueError where the file as a whole cannot be read; what is wrong with single
    tools is in the catalogue's `problems`.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise CatalogueError(f"{path} is larger than {LARGEST:,} bytes")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CatalogueError(f"{path} cannot be read: {_reason(error)}") from error
    try:
        raw = _raw_tools(text)
    except CatalogueError as error:
        raise CatalogueError(f"{path}: {error}") from error
    return catalogue_of(raw, server=server or path.stem.removesuffix("_tools"))


def catalogue_of(raw: Iterable[object], *, server: str = "") -> Catalogue:
    """A catalogue from tools as a server's answer has them. One bad tool does not lose the others."""
    tools: list[ToolSpec] = []
    problems: list[Problem] = []
    for number, each in enumerate(raw, 1):
        try:
            tools.append(tool_of(each, server=server))
        except UnfitTool as refusal:
            whence = f"server {shown(server)}, " if server else ""
            problems.append(Problem(place=f"{whence}tool {_name_in(each) or number}", reason=str(refusal)))
    return Catalogue(tools, problems=problems)


def tool_of(raw: object, *, server: str = "") -> ToolSpec:
    """One tool as a server's answer has it. Its schema is checked by the catalogue. Raises UnfitTool."""
    if not isinstance(raw, dict):
        raise UnfitTool("it is no object")
    schema = raw.get("inputSchema", raw.get("input_schema"))
    if not isinstance(schema, dict):
        raise UnfitTool("it has no input schema" if schema is None else "its input schema is no JSON Schema object")
    return ToolSpec(
        name=_text(raw, "name"),
        description=_text(raw, "description"),
        input_schema=schema,
        group=_text(raw, "group"),
        server=_text(raw, "server") or server,
        annotations=_hints(raw.get("annotations")),
        original_name=_text(raw, "original_name"),
    )


def _hints(annotations: object) -> dict[str, Any]:
    """The annotations that are plain values, as all known ones are; the rest is nothing that we could use."""
    if not isinstance(annotations, dict):
        return {}
    texts = {key: shown(value, 200) if isinstance(value, str) else value for key, value in annotations.items()}
    return {shown(key): texts[key] for key in sorted(texts) if isinstance(texts[key], bool | int | str)}


def recording(catalogue: Catalogue) -> dict[str, Any]:
    """A catalogue with the size of each tool's definition, for a file. The same catalogue gives the same bytes.

    Sizes are those of the definition as JSON: `bytes`, and `o200k` for tokens of that encoding.
    """
    return {
        "format": FORMAT,
        "version": VERSION,
        "tools": [_recorded(tool) for tool in catalogue.values()],
        "problems": [{"place": each.place, "reason": each.reason, "kept": each.kept} for each in catalogue.problems],
    }


def _recorded(tool: ToolSpec) -> dict[str, Any]:
    definition = wire.dumps(tool.definition())
    extras = {"group": tool.group, "server": tool.server, "original_name": tool.original_name}
    return {
        **tool.definition(),
        **{key: value for key, value in extras.items() if value},
        **({"annotations": tool.annotations} if tool.annotations else {}),
        "size": {"bytes": len(definition), "o200k": tokens.count(definition.decode())},
    }


def _raw_tools(text: str) -> list[object]:
    try:
        return _listed(_json(text))
    except json.JSONDecodeError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2 or error.msg != "Extra data":
            raise CatalogueError(f"it is no JSON: {error}") from error
    return list(_lines(lines))


def _lines(lines: list[str]) -> Iterator[object]:
    for number, line in enumerate(lines, 1):
        try:
            yield _json(line)
        except json.JSONDecodeError as error:
            raise CatalogueError(f"line {number} is no JSON: {error}") from error


def _json(text: str) -> object:
    try:
        found: object = json.loads(text, parse_constant=_no_constant)
    except RecursionError as error:
        raise CatalogueError("it is nested too deep") from error
    return found


def _no_constant(word: str) -> NoReturn:
    raise CatalogueError(f"it is no JSON: {word} is no number")


def _listed(found: object) -> list[object]:
    """The tools of a decoded file, in whatever form."""
    if isinstance(found, dict):
        if "name" in found:
            return [found]
        if found.get("format") == FORMAT and found.get("version") != VERSION:
            raise CatalogueError(f"version {shown(str(found.get('version')))} of the format is not known here")
        inner = found.get("tools", found.get("result"))
        found = inner.get("tools") if isinstance(inner, dict) else inner
    if not isinstance(found, list):
        raise CatalogueError("it holds no list of tools")
    return found


def _text(raw: Mapping[str, object], key: str) -> str:
    value = raw.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UnfitTool(f"its {key} is no text")
    return value


def _name_in(raw: object) -> str:
    name = raw.get("name") if isinstance(raw, dict) else None
    return shown(name) if isinstance(name, str) else ""


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return "it is not in UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror or str(error)
