"""What a transcript tells of the tool surface: snapshots, the deferred index, loaded definitions."""

from __future__ import annotations

from typing import Any, Final

from harness.runlog import (
    ContextAppended,
    Item,
    ServerFailure,
    SurfaceChanged,
    SurfaceDeclared,
    Tool,
    ToolActivated,
    ToolState,
)
from observability.sources.claude_code import fields, texts
from observability.sources.claude_code.line import Line

HIDDEN: Final = "hidden on the wire"
ELSEWHERE: Final = "definition stands in record "


def server_of(name: str) -> str | None:
    """The server in a name of the form mcp__server__tool."""
    if not name.startswith("mcp__"):
        return None
    server, found, _tool = name[5:].partition("__")
    return server if found else None


def _named(name: str, state: ToolState, **more: Any) -> Tool:
    return Tool(name=name, state=state, server=more.pop("server", None) or server_of(name), **more)


def snapshot(line: Line, found: dict[str, Any]) -> None:
    """`prompt_snapshot`: the system prompt, and the resident tools where they are given.

    `schema` is the whole tool as sent; the description beside it is not sent again.
    """
    place = "attachment.systemPrompt"
    blocks = fields.texts(found, "systemPrompt", place)
    items = [texts.item("system", block, f"block {number}") for number, block in enumerate(blocks, 1)]
    if items:
        line.found.events.append(ContextAppended(**line.base("system"), items=items, replaces=["system"]))
    if found.get("tools") is None:
        return
    tools = [_resident(tool) for tool in fields.objects(found, "tools", "attachment.tools")]
    line.found.events.append(SurfaceDeclared(**line.base("surface"), tools=tools, complete=True, states=["resident"]))


def _resident(tool: dict[str, Any]) -> Tool:
    definition = fields.obj(tool, "schema", "attachment.tools[].schema")
    fields.sane(definition, "attachment.tools[].schema")
    name = fields.name(tool, "name", "attachment.tools[].name") or fields.loose_name(definition or {}, "name") or ""
    server = fields.loose_name(tool, "server")
    return _named(name, "resident", definition=definition, server=server)


def delta(line: Line, found: dict[str, Any], rendered: str | None) -> None:
    """`deferred_tools_delta`: the deferred index changed; some tools may have been loaded without a search."""
    line.facts["deferral"] = True
    tools: dict[str, Tool] = {}
    for name in fields.names(found, "removedNames", "attachment.removedNames"):
        tools[name] = _named(name, "removed")
    lines = fields.texts(found, "addedLines", "attachment.addedLines")
    listings = _listings(lines)
    for field in ("addedNames", "readdedNames"):
        for name in fields.names(found, field, f"attachment.{field}"):
            tools[name] = _named(name, "deferred", listing=listings.get(name))
    for name in fields.names(found, "wireHiddenNames", "attachment.wireHiddenNames"):
        tools[name] = _named(name, "deferred", reason=HIDDEN, listing=listings.get(name))
    _surfaced(line, found, tools)
    _changed(line, found, list(tools.values()))
    text = "\n".join(lines) if rendered is None else rendered
    if text:
        line.found.events.append(ContextAppended(**line.base("items"), items=[texts.item("index", text)]))


def _listings(lines: list[str]) -> dict[str, str]:
    return {texts.listed_name(line): line for line in lines}


def _surfaced(line: Line, found: dict[str, Any], tools: dict[str, Tool]) -> None:
    """Tools whose definition was given without a search: they are loaded."""
    names = dict.fromkeys(fields.names(found, "surfacedNames", "attachment.surfacedNames"))
    for entry in fields.objects(found, "surfacedDefinitions", "attachment.surfacedDefinitions"):
        name = fields.name(entry, "name", "attachment.surfacedDefinitions[].name")
        if not name:
            continue
        names[name] = None
        same = fields.loose_text(entry, "sameAs")
        tools[name] = _named(
            name,
            "deferred",
            definition=_definition(fields.obj(entry, "definition", "attachment.surfacedDefinitions[].definition")),
            listing=fields.loose_text(entry, "listing"),
            reason=ELSEWHERE + same if same else None,
        )
    for name in names:
        tools.setdefault(name, _named(name, "deferred"))
    if names:
        line.found.events.append(ToolActivated(**line.base("preload"), names=list(names), trigger="preload"))


def _changed(line: Line, found: dict[str, Any], tools: list[Tool]) -> None:
    pending = fields.names(found, "pendingMcpServers", "attachment.pendingMcpServers")
    needs_auth = fields.names(found, "needsAuthMcpServers", "attachment.needsAuthMcpServers")
    failed = [_failure(entry) for entry in fields.objects(found, "failedMcpServers", "attachment.failedMcpServers")]
    if tools or pending or needs_auth or failed:
        line.found.events.append(
            SurfaceChanged(
                **line.base("delta"),
                tools=tools,
                pending_servers=pending,
                failed_servers=failed,
                needs_auth_servers=needs_auth,
            )
        )


def _failure(entry: dict[str, Any]) -> ServerFailure:
    return ServerFailure(
        name=fields.name(entry, "name", "attachment.failedMcpServers[].name") or "",
        code=fields.loose_text(entry, "errorCode"),
        error=fields.loose_text(entry, "error"),
    )


def record(line: Line, found: dict[str, Any]) -> None:
    """`deferred_tools_record`: definitions of deferred tools become known.

    It is bookkeeping of the client: nothing was sent, so there is no item and no activation.
    """
    entries = fields.objects(found, "entries", "attachment.entries")
    tools = [
        _named(name, "deferred", definition=_definition(entry))
        for entry in entries
        if (name := fields.name(entry, "name", "attachment.entries[].name"))
    ]
    if tools:
        line.found.events.append(SurfaceChanged(**line.base("record"), tools=tools))


def _definition(entry: dict[str, Any] | None) -> dict[str, Any] | None:
    """A definition without the mark that it is deferred: the state says so, and equal tools stay equal."""
    fields.sane(entry, "definition")
    if entry is None or "defer_loading" not in entry:
        return entry
    return {key: value for key, value in entry.items() if key != "defer_loading"}


def announce(line: Line, text: str) -> None:
    """The older announcement of deferred tools, as a message or inside a reminder."""
    line.facts["deferral"] = True
    tools = [_named(name, "deferred", listing=listing) for name, listing in texts.announced(text)]
    if tools:
        line.found.events.append(SurfaceChanged(**line.base("announced"), tools=tools))


def items(line: Line, found: list[Item]) -> None:
    """Append items of an attachment."""
    if found:
        line.found.events.append(ContextAppended(**line.base("items"), items=found))
