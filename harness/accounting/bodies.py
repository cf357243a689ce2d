"""The pieces of a request body in canonical form, whoever built it: what was sent, taken apart.

    account_of(pieces_of(body), total=reported, model=body["model"])

Nothing but the body is read, so that the account is of what was sent and not of what a log says
of it. What a body does not tell is which server a tool comes from: `servers` may.

Counted is what stands before the model: a definition that is deferred and that nothing refers to
is not, and one that is loaded counts once, wherever it stands (after the residents, among the
deferred, by value in a message, or as text in a result).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from harness import tokens, wire
from harness.accounting.categories import Kind
from harness.accounting.pieces import Piece
from harness.request.messages import SUM_UP, SUMMED, text_of
from harness.request.strategies import BRIDGED, LOADED, told
from harness.runlog import Item
from harness.simulator.prefix import defined, referred
from harness.surface.index import HEAD
from harness.surface.late import LATE
from harness.tools import server_of

OPENING: Final = "The working folder is "
"""How the first message of our own runs begins: what stands there is no word of the user's."""

CALLS: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
RESULTS: Final = ("tool_result", "tool_search_tool_result", "mcp_tool_result", "web_search_tool_result")

ANNOUNCED: Final = "loaded tools"
"""The label of a message that makes loaded tools known: the log has its heading and names, their schemas are with the tools."""

Block = Mapping[str, Any]
Texts = Callable[[str], Iterable[Item]]


def pieces_of(
    body: Block,
    *,
    servers: Mapping[str, str] | None = None,
    residents: int | None = None,
    texts: Texts | None = None,
) -> list[Piece]:
    """All pieces of a body, tools first, each with the o200k tokens of its text. Those that are alike are one.

    `servers`: the tool server of each tool that has one. `residents`: how many tools stand before
    those that were loaded (`Request.resident_count`); where it is left out, the marker on the last
    of them tells. Texts are counted as the run log has them: a definition with its keys sorted,
    the arguments of a call as they are. `texts` says what a text in a message of the user holds, where
    another client than this harness put it there: its source knows.
    """
    return list(_together(_Taking(body, servers or {}, residents, texts).pieces()))


def text_piece(kind: Kind, text: str, *, label: str = "", number: int = 1) -> Piece:
    """A piece whose whole text is known."""
    return Piece(kind=kind, label=label, number=number, o200k=tokens.count(text), chars=len(text))


class _Taking:
    """One body that is taken apart."""

    def __init__(
        self, body: Block, servers: Mapping[str, str], residents: int | None, texts: Texts | None = None
    ) -> None:
        self._servers, self._texts = servers, texts
        self._system, self._messages = _blocks(body.get("system")), _objects(body.get("messages"))
        tools = _objects(body.get("tools"))
        self._deferred = {str(tool.get("name")): tool for tool in tools if tool.get("defer_loading")}
        sent = [tool for tool in tools if not tool.get("defer_loading")]
        first = _residents(sent) if residents is None else residents
        self._residents, self._after = sent[:first], sent[first:]
        self._loaded: set[str] = set()
        self._names: dict[str, str] = {}

    def pieces(self) -> Iterator[Piece]:
        for tool in self._residents:
            yield self._tool("mcp_tool" if self._server(str(tool.get("name"))) else "builtin_tool", tool)
        yield from (self._load(tool) for tool in self._after)
        yield from _system(str(block.get("text") or "") for block in self._system)
        for at, message in enumerate(self._messages):
            yield from self._message(message, first=at == 0)

    def _message(self, message: Block, *, first: bool) -> Iterator[Piece]:
        role = message.get("role")
        said = told(message)
        if said:
            yield text_piece("reminder", said, label=ANNOUNCED)
        for number, block in enumerate(_blocks(message.get("content"))):
            if role == "assistant":
                yield from self._said(block)
            else:
                yield from self._brought(block)
                yield from self._put(block, role, told=bool(said), first=first and number == 0)

    def _put(self, block: Block, role: Any, *, told: bool, first: bool) -> Iterator[Piece]:
        """What a block that is not the model's holds, but for the schemas that it brings."""
        if block.get("type") == "text" and not told:
            yield from _given(str(block.get("text") or ""), role, first=first, texts=self._texts)
        elif block.get("type") in RESULTS:
            yield from self._result(block)
        elif not told and block.get("type") not in ("tool_addition", "tool_definition"):
            yield _other(block)

    # Tools -------------------------------------------------------------------

    def _tool(self, kind: Kind, definition: Block) -> Piece:
        bare = {key: value for key, value in definition.items() if key not in ("cache_control", "defer_loading")}
        name = str(bare.get("name") or "")
        text = wire.dumps(wire.canonical(bare)).decode()
        return Piece(kind=kind, label=name, server=self._server(name), o200k=tokens.count(text), chars=len(text))

    def _server(self, name: str) -> str:
        return self._servers.get(name) or server_of(name)

    def _load(self, definition: Block) -> Piece:
        self._loaded.add(str(definition.get("name") or ""))
        return self._tool("loaded_tool", definition)

    def _brought(self, block: Block) -> Iterator[Piece]:
        """The schemas that a block brings, by reference, by value or in words, each the first time."""
        by_name = [self._deferred.get(name) for name in referred(block)]
        for definition in (*by_name, defined(block), *_in_words(block)):
            if definition is not None and str(definition.get("name")) not in self._loaded:
                yield self._load(definition)

    # Messages ----------------------------------------------------------------

    def _said(self, block: Block) -> Iterator[Piece]:
        kind = block.get("type")
        if kind == "text":
            yield text_piece("assistant", str(block.get("text") or ""))
        elif kind == "thinking":
            text, hidden = str(block.get("thinking") or ""), len(str(block.get("signature") or ""))
            yield text_piece("thinking", text) if text else Piece(kind="thinking", hidden_chars=hidden)
        elif kind in CALLS:
            self._names[str(block.get("id"))] = name = str(block.get("name") or "")
            yield text_piece("tool_call", wire.dumps(block.get("input")).decode(), label=name)
        elif kind in RESULTS:
            yield from self._brought(block)
            yield from self._result(block)
        else:
            yield Piece(kind="thinking", label=str(kind), hidden_chars=len(wire.dumps(block)))

    def _result(self, block: Block) -> Iterator[Piece]:
        parts = _results(block.get("content"))
        names = [str(part.get("tool_name")) for part in parts if part.get("type") == "tool_reference"]
        texts = [part for part in parts if not str(part.get("text") or "").startswith(BRIDGED)]
        text = "\n".join([*names, *filter(None, [text_of(texts)])])
        yield text_piece("tool_result", text, label=self._names.get(str(block.get("tool_use_id")), ""))
        yield from (_media(part) for part in parts if _is_media(part))


def _residents(sent: list[Block]) -> int:
    """How many tools stand before what was loaded: all up to the last that has a marker, or all where none has."""
    marked = [at for at, tool in enumerate(sent) if tool.get("cache_control")]
    return marked[-1] + 1 if marked else len(sent)


def _system(texts: Iterable[str]) -> Iterator[Piece]:
    """The system prompt block by block; the index is one of its blocks."""
    number = 0
    for text in texts:
        if text.startswith(HEAD):
            yield _index(text, HEAD)
        else:
            number += 1
            yield text_piece("system", text, label=f"block {number}")


def _index(text: str, head: str) -> Piece:
    lines = text.removeprefix(head).strip().splitlines()
    return text_piece("index", text, number=sum(len(line.rpartition(": ")[2].split()) for line in lines))


def _given(text: str, role: Any, *, first: bool, texts: Texts | None) -> Iterator[Piece]:
    """Text that is not the model's."""
    if text.startswith(f"{LATE}\n"):
        yield _index(text, LATE)
    elif first and text.startswith(OPENING):
        yield text_piece("startup", text)
    elif text.startswith(f"{SUMMED}\n"):
        yield text_piece("summary", text)
    elif texts is not None and role != "system":
        yield from (_from_item(item) for item in texts(text))
    else:
        yield text_piece("reminder" if role == "system" or text == SUM_UP else "user", text)


def _from_item(item: Item) -> Piece:
    """What another client put into a text. Its index has a name a line, between tags."""
    text = item.text or ""
    names = sum(bool(line.strip()) and not line.lstrip().startswith("<") for line in text.splitlines())
    kind: Kind = "loaded_tool" if item.kind == "tool_definition" else item.kind
    piece = text_piece(kind, text, label=item.label or "", number=names if kind == "index" else 1)
    return msgspec.structs.replace(piece, owner=item.owner or "")


def _in_words(block: Block) -> Iterator[Block]:
    """The definitions that a text, or the text of a result, holds one a line."""
    texts, heads = (
        ([block], (LOADED, BRIDGED)) if block.get("type") == "text" else (_objects(block.get("content")), (BRIDGED,))
    )
    for text in (str(each.get("text") or "") for each in texts):
        head, _, lines = text.partition("\n")
        if head in heads:
            yield from filter(None, map(_definition, lines.split("\n")))


def _definition(line: str) -> Block | None:
    try:
        found = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return None
    return found if isinstance(found, dict) and "name" in found else None


def _other(block: Block) -> Piece:
    if _is_media(block):
        return _media(block)
    return text_piece("user", wire.dumps(block).decode(), label=str(block.get("type") or ""))


def _is_media(block: Block) -> bool:
    source = block.get("source")
    data = isinstance(source, Mapping) and source.get("type") == "base64"
    return data or block.get("type") in ("image", "document")


def _media(block: Block) -> Piece:
    given = block.get("source")
    source: Block = given if isinstance(given, Mapping) else {}
    kind = str(source.get("media_type") or "")
    return Piece(kind="media", label=kind, media_bytes=len(str(source.get("data") or "")) * 3 // 4)


def _results(content: Any) -> list[Block]:
    """The parts of a result; a search of the provider's own gives its references in an object."""
    if isinstance(content, Mapping):
        return _objects(content.get("tool_references")) or [{"type": "text", "text": wire.dumps(content).decode()}]
    return _blocks(content)


def _blocks(content: Any) -> list[Block]:
    """A text is one block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return _objects(content)


def _objects(value: Any) -> list[Block]:
    """The objects of a list; none where it is no list."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _together(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Pieces that are alike as one with their sums, where they came first: rounding then happens once."""
    groups: dict[tuple[str, str, str, str, bool, bool], list[Piece]] = {}
    for piece in pieces:
        key = (piece.kind, piece.label, piece.owner, piece.server, piece.o200k is None, piece.media_bytes is None)
        groups.setdefault(key, []).append(piece)
    for members in groups.values():
        yield members[0] if len(members) == 1 else _sum(members)


def _sum(members: list[Piece]) -> Piece:
    first = members[0]
    return msgspec.structs.replace(
        first,
        number=sum(each.number for each in members),
        o200k=None if first.o200k is None else sum(each.o200k or 0 for each in members),
        chars=sum(each.chars for each in members),
        hidden_chars=sum(each.hidden_chars for each in members),
        media_bytes=None if first.media_bytes is None else sum(each.media_bytes or 0 for each in members),
    )
