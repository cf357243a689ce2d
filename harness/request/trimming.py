"""Cutting stale tool output: deep and rare, and only where it pays.

A cut changes what was sent, so that everything from it on is written again. It pays when the
tokens won, read no more by the requests to come, cost more than that:

    won x reads still expected x price of a read > messages left x price of a write

That alone would cut again as soon as a little is stale. So a second rule waits until the stale
output has itself cost as much as the rewrite, by being read since it went stale: rent until
the rent has come to the price. It needs no guess of the future, and it makes cuts deep.

All messages are taken as written again, those before the first cut too: a marker finds the
end of an earlier request at most 20 blocks back, and none of those ends is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

import msgspec

from harness import tokens, wire
from harness.request.costs import prices_for
from harness.request.messages import Block, Message, blocks_of, text_of
from harness.request.strategies import BRIDGED, LOADED


class Trimming(msgspec.Struct, frozen=True, kw_only=True):
    """When output is stale, and from what size on a cut is worth a thought. Tokens."""

    keep_turns: int = 3
    """Output since the last so many answers of the model stays."""
    least_won: int = 2_000
    """Less than this is never cut, whatever the prices say."""
    least_result: int = 100
    """A result smaller than this stays."""
    patience: Decimal = Decimal(1)
    """How often the stale output must have cost its rewrite before it is cut; 0 looks ahead only."""


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """One result that was cut: the call it answered, its tool, and its size."""

    call: str
    tool: str
    chars: int
    tokens: int
    turns: int
    """For how many turns it has been stale."""


class Trimmed(msgspec.Struct, frozen=True, kw_only=True):
    """What was cut and what it is worth. `tokens_*` are those of the messages; `cost` and `gain` in tokens of input."""

    cut: tuple[Cut, ...]
    tokens_before: int
    tokens_after: int
    cost: Decimal
    gain: Decimal
    messages: list[Message]

    @property
    def won(self) -> int:
        """Tokens that no later request has."""
        return self.tokens_before - self.tokens_after


GONE: Final = "[old output cut: {chars} characters from {tool}; call it again if they are needed]"
_GONE_HEAD: Final = GONE.partition("{")[0]


def trim(
    messages: Sequence[Message], *, reads: int, model: str, provider: str, rule: Trimming | None = None
) -> Trimmed | None:
    """Messages without stale tool output, where that pays over so many reads still expected; None where it does not."""
    rule, size, prices = rule or Trimming(), _Sizes(model), prices_for(provider, model)
    cuts = dict(_stale(messages, rule, size))
    wins = {spot: cut.tokens - size.of_text(_stub(cut)) for spot, cut in cuts.items()}
    won = sum(wins.values())
    if won < rule.least_won:
        return None
    before = size.of_all(messages)
    cost, gain = (before - won) * prices.history, won * reads * prices.read
    carried = sum(wins[spot] * cut.turns for spot, cut in cuts.items()) * prices.read
    if gain <= cost or carried < cost * rule.patience:
        return None
    return Trimmed(
        cut=tuple(cuts.values()),
        tokens_before=before,
        tokens_after=before - won,
        cost=cost,
        gain=gain,
        messages=[_without(message, at, cuts) for at, message in enumerate(messages)],
    )


def size_of(messages: Sequence[Message], model: str) -> int:
    """The tokens of messages, as they are counted for a cut."""
    return _Sizes(model).of_all(messages)


def _stale(messages: Sequence[Message], rule: Trimming, size: _Sizes) -> Iterator[tuple[tuple[int, int], Cut]]:
    """The results that may be cut, by message and block, oldest first."""
    left = sum(message["role"] == "assistant" for message in messages)
    tools: dict[str, str] = {}
    for at, message in enumerate(messages):
        left -= message["role"] == "assistant"
        turns = left - rule.keep_turns + 1
        if turns <= 0:
            return
        tools.update((str(call.get("id")), str(call.get("name"))) for call in blocks_of(message, "tool_use"))
        for number, block in enumerate(message["content"]):
            if block["type"] == "tool_result" and not _stays(block) and size.of(block) >= rule.least_result:
                yield (at, number), _cut(block, tools, turns, size)


def _stays(result: Block) -> bool:
    """Whether it was cut before, or brings the schema of a tool."""
    text = text_of(result.get("content"))
    return text.startswith(_GONE_HEAD) or BRIDGED in text or LOADED in text or any(blocks_of(result, "tool_reference"))


def _cut(result: Block, tools: dict[str, str], turns: int, size: _Sizes) -> Cut:
    call = str(result.get("tool_use_id"))
    return Cut(
        call=call,
        tool=tools.get(call, "a tool"),
        chars=len(text_of(result.get("content"))),
        tokens=size.of(result) - size.of({**result, "content": ""}),
        turns=turns,
    )


def _stub(cut: Cut) -> str:
    return GONE.format(chars=cut.chars, tool=cut.tool)


def _without(message: Message, at: int, cuts: dict[tuple[int, int], Cut]) -> Message:
    if not any((at, number) in cuts for number in range(len(message["content"]))):
        return message
    content = [
        {**block, "content": _stub(cut)} if (cut := cuts.get((at, number))) else block
        for number, block in enumerate(message["content"])
    ]
    return {**message, "content": content}


class _Sizes:
    """Tokens of blocks for one model; a picture is a flat charge, and its data is not counted."""

    def __init__(self, model: str) -> None:
        self._text = tokens.factor(model, "text")

    def of_all(self, messages: Sequence[Message]) -> int:
        return sum(self.of(block) for message in messages for block in message["content"])

    def of_text(self, text: str) -> int:
        return tokens.measured(tokens.count(text), self._text).tokens

    def of(self, block: Any) -> int:
        if not isinstance(block, dict):
            return self.of_text(str(block))
        if block.get("type") in ("image", "document"):
            return tokens.media(len(wire.dumps(block)) * 3 // 4).tokens
        content = block.get("content")
        if isinstance(content, list):
            return self.of({**block, "content": ""}) + sum(self.of(each) for each in content)
        return self.of_text(wire.dumps(block).decode())
