"""From a surface, system texts and messages to requests, each of which continues the one before.

Only three things ever happen to a run's messages: more come at the end, stale tool output is
cut (`trim`), or all of them are replaced (`rewrite`). The last two begin a new chain of
requests, whose first has no marker on an earlier tail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from harness.catalogue.own import CALL_TOOL
from harness.errors import AssemblyError
from harness.request.costs import default_strategy
from harness.request.ledger import Ledger, Loaded, announced
from harness.request.messages import Block, Message, blocks_of, kept, text_of
from harness.request.prefix import Prefix, prefix_of
from harness.request.request import Placed, Request
from harness.request.resuming import adapted
from harness.request.strategies import (
    CHANGES_BETA,
    INLINE_BETA,
    Strategy,
    announcement,
    definition_line,
    explained,
    referring,
    support_of,
    takes_markers,
)
from harness.request.transcript import Marked, Transcript
from harness.request.trimming import Trimmed, Trimming, trim
from harness.runlog import Trigger
from harness.surface import Surface, index_text
from harness.tools import ToolSpec


class Assembly:
    """The requests of one run.

    `parameters` are further fields of every request, such as `thinking`; with `model` and
    `max_tokens` they stay as they are for the whole run. `history` is what a resumed run said,
    `recorded` the names that its log says were loaded, in order. `strategy` is the default of
    the provider where it is None. Raises AssemblyError where the provider does not take it.
    """

    def __init__(
        self,
        surface: Surface,
        *,
        model: str,
        provider: str = "anthropic",
        system: Sequence[str] = (),
        strategy: Strategy | None = None,
        max_tokens: int = 8192,
        parameters: Mapping[str, Any] | None = None,
        history: Iterable[Mapping[str, Any]] = (),
        recorded: Iterable[str] = (),
    ) -> None:
        self.surface, self.model, self.provider = surface, model, provider
        self.strategy = _checked(strategy, provider, model)
        self.ledger = Ledger(surface)
        self.ordinal = 1
        self._changes = support_of(provider, model).changes
        self._parameters = {"model": model, "max_tokens": max_tokens, **dict(sorted((parameters or {}).items()))}
        self._system = [*system, *([text] if (text := index_text(surface)) else [])]
        self._residents = _residents(surface, self.strategy)
        self._joined: list[ToolSpec] = []
        self._prefix: Prefix | None = None
        self._marks = takes_markers(provider, model)
        self._transcript = Transcript(marks=self._marks)
        self._pending: list[tuple[str | None, Loaded]] = []
        self._betas: tuple[str, ...] = ()
        self._built: Request | None = None
        said = [kept(message) for message in history]
        self.ledger.restore(said, recorded)
        self._replace(adapted(said, self.strategy, surface, changes=self._changes))

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages as the next request has them, without markers. Read them, never change them."""
        return tuple(self._transcript.messages)

    def append(self, message: Mapping[str, Any]) -> None:
        """Add a message. The result of a search that loaded tools takes the form of the strategy."""
        self._built = None
        self._transcript.append(self._answered(kept(message)))

    def load(self, names: Iterable[str], trigger: Trigger, *, search: str | None = None) -> Loaded:
        """Load deferred tools: the next request has their schemas. All that is loaded between two requests goes together.

        `search` is the call of the search that found them; load before its result is appended.
        Raises NotOnSurfaceError, and loads nothing, where a name is neither resident nor deferred.
        """
        loaded = self.ledger.load(names, trigger, search=search, request=self.ordinal)
        if loaded.new:
            self._built = None
            self._pending.append((search, loaded))
            if self.strategy == "append":
                self._prefix = None
        return loaded

    def join(self, tools: Iterable[ToolSpec]) -> None:
        """Take in deferred tools that have come since. Nothing that a provider caches changes; their names are the
        caller's to say, in a message. Where definitions are sent deferred, theirs come behind all others.
        """
        new = [tool for tool in tools if self.ledger.standing(tool.name) == "unknown"]
        self.ledger.join(new)
        self._joined += new
        if new and self.strategy == "reference":
            self._prefix = self._built = None

    def build(self) -> Request:
        """The next request; the same one again where nothing was added since."""
        self._announce()
        if self._built is None:
            self._built = self._request(self._transcript.marked())
            self.ordinal += 1
        return self._built

    def aside(self, message: Mapping[str, Any]) -> Request:
        """A request beside the conversation: what the next one would be, with one more message. Nothing of it stays."""
        self._announce()
        request = self._request(self._transcript.aside(kept(message)))
        self.ordinal += 1
        return request

    def rewrite(self, messages: Iterable[Mapping[str, Any]]) -> None:
        """Replace all messages, as a compaction does. Loaded tools stay loaded, and are made known again where need be."""
        self._replace([kept(message) for message in messages])

    def trim(self, reads: int, rule: Trimming | None = None) -> Trimmed | None:
        """Cut stale tool output if that pays over so many reads that are still expected. None where it does not."""
        trimmed = trim(self._transcript.messages, reads=reads, model=self.model, provider=self.provider, rule=rule)
        if trimmed is not None:
            self._transcript.replace(trimmed.messages)
            self._built = None
        return trimmed

    def _replace(self, messages: Sequence[Message]) -> None:
        """Begin anew with these messages. Loaded tools that they do not make known wait to be made known."""
        self._built = None
        self._transcript.replace(messages)
        unknown = _unannounced(messages, self.ledger.specs)
        self._pending = [(None, Loaded(new=unknown))] if unknown else []
        self._betas = _betas(messages)

    def _request(self, said: Marked) -> Request:
        if self._prefix is None:
            self._prefix = self._make_prefix()
        prefix = self._prefix
        return Request(
            body={**prefix.fields, "messages": said.messages},
            markers=(*prefix.markers, *(_moved(each, prefix.blocks) for each in said.markers)),
            ordinal=self.ordinal,
            resident_count=len(self._residents),
            loaded=self.ledger.names,
            betas=self._betas,
            parts=(prefix.encoded, *said.parts, b"]}"),
        )

    def _make_prefix(self) -> Prefix:
        return prefix_of(
            self._parameters,
            residents=self._residents,
            deferred=(*self.surface.deferred, *self._joined) if self.strategy == "reference" else (),
            loaded=self.ledger.specs if self.strategy == "append" else (),
            system=self._system,
            marks=self._marks,
        )

    def _answered(self, message: Message) -> Message:
        """The message with the results of searches in the form of the strategy."""
        if self.strategy not in ("reference", "bridge") or not self._pending:
            return message
        waiting = {search: loaded for search, loaded in self._pending if search is not None}
        blocks: list[Block] = []
        after: list[Block] = []
        for block in message["content"]:
            loaded = waiting.pop(str(block.get("tool_use_id")), None) if block["type"] == "tool_result" else None
            found, said = ([block], []) if loaded is None else self._result(block, loaded)
            blocks += found
            after += said
        self._pending = [(search, loaded) for search, loaded in self._pending if search is None or search in waiting]
        return {**message, "content": [*blocks, *after]}

    def _result(self, block: Block, loaded: Loaded) -> tuple[list[Block], list[Block]]:
        tools = self._specs(loaded.new)
        if self.strategy == "bridge":
            return [explained(block, tools)], []
        result, *said = referring(block, tools, loaded.already)
        return [result], said

    def _announce(self) -> None:
        """Make known what was loaded and what no result of a search has told."""
        messages = self._transcript.messages
        if self.strategy == "append":
            self._pending = []
        if not self._pending or not messages or messages[-1]["role"] != "user":
            return
        tools = self._specs(name for _, loaded in self._pending for name in loaded.new)
        self._pending, self._built = [], None
        message = announcement(tools, self.strategy, changes=self._changes)
        self._betas = _betas([message]) or self._betas
        self._transcript.append(message)

    def _specs(self, names: Iterable[str]) -> list[ToolSpec]:
        by_name = {tool.name: tool for tool in self.ledger.specs}
        return [by_name[name] for name in names]


def _checked(strategy: Strategy | None, provider: str, model: str) -> Strategy:
    if strategy is None:
        return default_strategy(provider, model)
    taken = support_of(provider, model).strategies
    if strategy not in taken:
        raise AssemblyError(f"{model} at {provider} does not take the strategy {strategy}; it takes {', '.join(taken)}")
    return strategy


def _unannounced(messages: Iterable[Message], loaded: Iterable[ToolSpec]) -> tuple[str, ...]:
    """Which of the loaded tools have their schema in none of the messages, neither by reference nor in words."""
    said = [message for message in messages if message["role"] != "assistant"]
    known = {name for message in said for name in announced(message)}
    left = [tool for tool in loaded if tool.name not in known]
    text = "\n".join(_texts(said)) if left else ""
    return tuple(tool.name for tool in left if definition_line(tool) not in text)


def _texts(messages: Iterable[Message]) -> Iterator[str]:
    for message in messages:
        yield text_of(message["content"])
        yield from (text_of(result.get("content")) for result in blocks_of(message, "tool_result"))


def _betas(messages: Iterable[Message]) -> tuple[str, ...]:
    """The features that these messages use and that must be asked for. The first includes the second."""
    kinds = {block["tool"]["type"] for message in messages for block in blocks_of(message, "tool_addition")}
    return (INLINE_BETA,) if "tool_definition" in kinds else (CHANGES_BETA,) if kinds else ()


def _residents(surface: Surface, strategy: Strategy) -> tuple[ToolSpec, ...]:
    """The residents, and the envelope of the bridge where anything is called through it."""
    if strategy != "bridge" or not surface.deferred or CALL_TOOL.name in {tool.name for tool in surface.resident}:
        return surface.resident
    if CALL_TOOL.name in {tool.name for tool in surface.deferred}:
        raise AssemblyError(f"{CALL_TOOL.name} is the bridge's own name and cannot be a deferred tool")
    first, rest = surface.resident[:1], surface.resident[1:]
    return (*first, *sorted((*rest, CALL_TOOL), key=lambda tool: tool.name))


def _moved(marker: Placed, blocks: int) -> Placed:
    return Placed(place=marker.place, lifetime=marker.lifetime, path=marker.path, position=marker.position + blocks)
