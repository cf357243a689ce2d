"""What a run said, read back from its log, so that it can go on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from harness.catalogue.own import SEARCH_TOOLS
from harness.errors import CommandError
from harness.providers.base import arguments_of
from harness.request import Strategy
from harness.request.strategies import names_told
from harness.runlog import (
    AnyEvent,
    ContextAppended,
    Item,
    RunStarted,
    ToolActivated,
    ToolCalled,
)

Block = dict[str, Any]
INTERRUPTED: Final = "The run ended while this call was under way. Whether it did anything is not known."
NOT_KEPT: Final = "[not kept in the log]"


class History(msgspec.Struct, frozen=True, kw_only=True):
    """A run as its log has it. Thinking is left out: what a provider needs to take it back is in no log.

    `seq` is the last place in its order, `part` the number that the next part of it has.
    """

    conversation: str
    run: str
    part: int
    seq: int
    mode: str | None
    model: str | None
    provider: str | None
    items: tuple[Item, ...]
    loaded: tuple[str, ...]
    found: dict[str, tuple[str, ...]]
    """Names that a search loaded, by its call."""
    failed: frozenset[str]
    """Calls whose result was an error."""

    @property
    def calls(self) -> dict[str, str]:
        """The tools by call, under the names that were sent."""
        return {each.call: each.label or "" for each in self.items if each.kind == "tool_call" and each.call}

    @property
    def interrupted(self) -> list[Block]:
        """Answers for the calls that have none."""
        answered = {each.call for each in self.items if each.kind == "tool_result"}
        return [
            {"type": "tool_result", "tool_use_id": call, "content": INTERRUPTED, "is_error": True}
            for call in self.calls
            if call not in answered
        ]

    def messages(self, strategy: Strategy) -> list[dict[str, Any]]:
        """The messages in canonical form. What a search loaded is referred to again where the strategy does so.

        A message that made loaded tools known refers to them too; the assembly says it as its strategy does.
        """
        messages: list[dict[str, Any]] = []
        for item in self.items:
            if item.kind == "reminder":
                messages += _announcement(names_told(item.text or ""))
                continue
            made = self._block(item, strategy)
            if made is None:
                continue
            role, block = made
            if messages and messages[-1]["role"] == role:
                messages[-1]["content"].append(block)
            else:
                messages.append({"role": role, "content": [block]})
        return messages

    def _block(self, item: Item, strategy: Strategy) -> tuple[str, Block] | None:
        text = item.text if item.text is not None else NOT_KEPT
        if item.kind in ("user", "startup", "summary"):
            return "user", {"type": "text", "text": text}
        if item.kind == "assistant":
            return "assistant", {"type": "text", "text": text}
        if item.kind == "tool_call":
            given = arguments_of(text) or {}
            return "assistant", {"type": "tool_use", "id": item.call or "", "name": item.label or "", "input": given}
        if item.kind == "tool_result":
            return "user", self._result(item, text, strategy)
        if item.kind == "media":
            return "user", {"type": "text", "text": f"[{item.label or 'a picture'}, {NOT_KEPT[1:]}"}
        return None

    def _result(self, item: Item, text: str, strategy: Strategy) -> Block:
        call = item.call or ""
        block: Block = {"type": "tool_result", "tool_use_id": call, "content": text}
        if call in self.failed:
            return {**block, "is_error": True}
        found = self.found.get(call) if item.label == SEARCH_TOOLS.name else None
        if found and strategy in ("reference", "bridge"):
            # The bridge says the words of the result too, and the assembly puts definitions for the references.
            said = [{"type": "text", "text": text}] if strategy == "bridge" else []
            return {**block, "content": [*said, *({"type": "tool_reference", "tool_name": name} for name in found)]}
        return block


def _announcement(names: Iterable[str]) -> list[dict[str, Any]]:
    content = [{"type": "tool_addition", "tool": {"type": "tool_reference", "name": name}} for name in names]
    return [{"role": "system", "content": content}] if content else []


def read_history(events: Iterable[AnyEvent], run: str | None = None) -> History:
    """The history of one run of a log: the one named, or the last main run. Raises CommandError where there is none."""
    every = list(events)
    mains = [each for each in every if isinstance(each, RunStarted) and each.kind == "main" and run in (None, each.run)]
    if not mains:
        raise CommandError(f"the log has no run {run!r}" if run else "the log has no run that could go on")
    last = mains[-1]
    own = sorted((each for each in every if each.run == last.run), key=lambda each: each.seq or 0)
    activations = [each for each in own if isinstance(each, ToolActivated)]
    return History(
        conversation=last.conversation,
        run=last.run,
        part=1 + sum(each.run == last.run for each in mains),
        seq=max(each.seq or 0 for each in own),
        mode=last.mode,
        model=last.model,
        provider=last.provider,
        items=tuple(_items(own)),
        loaded=tuple(dict.fromkeys(name for each in activations for name in each.names)),
        found={each.search: tuple(each.names) for each in activations if each.search},
        failed=frozenset(each.call for each in own if isinstance(each, ToolCalled) and each.ok is False),
    )


def _items(events: Iterable[AnyEvent]) -> Iterator[Item]:
    """What is in the context at the end: an event may replace the items of some kinds."""
    found: list[Item] = []
    for event in events:
        if isinstance(event, ContextAppended):
            found = [each for each in found if each.kind not in event.replaces] + event.items
    return iter(found)
