"""The four ways to send the schema of a loaded tool, and which of them a provider takes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from harness import wire
from harness.request.messages import Block, Message, blocks_of, text_of
from harness.simulator.rules import plain, rules_for
from harness.tools import ToolSpec

Strategy = Literal["append", "reference", "inline", "bridge"]
STRATEGIES: Final[tuple[Strategy, ...]] = ("reference", "inline", "bridge", "append")
"""In the order of preference where costs are equal: the fewest tokens and the fewest demands first.

* append: the schema goes into `tools`, after the residents. Everything behind them is written again.
* reference: every deferred definition is in `tools` from the first request, marked `defer_loading`,
  which keeps it out of the prefix; the result of a search refers to it.
* inline: a system message among the messages holds the definition.
* bridge: the result of a search holds the definition as text, and the model calls the tool through
  `call_tool`. Any provider takes it.
"""

INLINE_BETA: Final = "inline-tools-2026-09-15"
CHANGES_BETA: Final = "mid-conversation-tool-changes-2026-07-01"

_ADDS_TOOLS: Final = r"opus-4-[89]|opus-[5-9]|fable|mythos-[5-9]"


class Support(msgspec.Struct, frozen=True, kw_only=True):
    """What the models of a provider take, by a pattern of their names. `changes`: a message can add a tool."""

    provider: str
    models: str
    strategies: tuple[Strategy, ...]
    changes: bool = False


SUPPORT: Final[tuple[Support, ...]] = (
    Support(provider="anthropic", models=_ADDS_TOOLS, strategies=STRATEGIES, changes=True),
    Support(provider="anthropic", models=r"claude-3|claude-2|3-[57]-", strategies=("bridge", "append")),
    Support(provider="anthropic", models=r"", strategies=("reference", "bridge", "append")),
    Support(
        provider="openai",
        models=r"gpt-(5-([4-9]|\d\d)|[6-9]|\d\d)(?!\d)",
        strategies=("reference", "bridge", "append"),
        changes=True,
    ),
    Support(provider="", models=r"", strategies=("bridge", "append")),
)
"""The first row that fits holds. From the providers' documentation of August to October 2026; a system message
among the messages is documented for Opus 4.8 and later, Fable and Mythos, and not for Sonnet 5."""


def support_of(provider: str, model: str, table: Iterable[Support] = SUPPORT) -> Support:
    """What a model takes."""
    name = plain(model)
    return next(row for row in table if row.provider in (provider, "") and re.search(row.models, name))


def takes_markers(provider: str, model: str) -> bool:
    """Whether a marker is sent at all. Where a provider caches by itself, none stands in a body or in a log."""
    rules = rules_for(provider, model)
    return rules.mechanism == "markers" and not rules.marks_the_end


LOADED: Final = "Loaded tools, one definition a line:"
BRIDGED: Final = "Loaded tools, one definition a line. Call them through call_tool:"


ADDED: Final = "Loaded tools:"
"""What the log says of a message that adds tools, before their names."""


def told(message: Mapping[str, Any]) -> str:
    """What the log has for a message that makes loaded tools known: its heading and their names; "" of any other.

    Definitions are left out: they are counted with the tools. A text that only looks like such a
    message, because someone wrote its heading, is none.
    """
    names = [_name_of(block) for block in blocks_of(message, "tool_addition")]
    if names and len(names) == len(message["content"]):
        return f"{ADDED}\n{' '.join(names)}"
    texts = list(blocks_of(message, "text"))
    if message.get("role") != "user" or len(texts) != 1 or len(message["content"]) != 1:
        return ""
    head, _, lines = str(texts[0].get("text", "")).partition("\n")
    names = [_name_in(line) for line in lines.split("\n")] if head in (LOADED, BRIDGED) else []
    return f"{head}\n{' '.join(names)}" if names and all(names) else ""


def names_told(text: str) -> tuple[str, ...]:
    """The names in what `told` gave; none in any other text."""
    head, _, names = text.partition("\n")
    return tuple(names.split()) if head in (ADDED, LOADED, BRIDGED) else ()


def _name_of(addition: Block) -> str:
    tool = addition.get("tool")
    held = tool.get("definition", tool) if isinstance(tool, dict) else {}
    return str(held.get("name")) if isinstance(held, dict) else ""


def _name_in(line: str) -> str:
    try:
        found = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return ""
    return str(found.get("name", "")) if isinstance(found, dict) and "input_schema" in found else ""


def deferred_definition(tool: ToolSpec) -> dict[str, Any]:
    """A definition that is kept out of the prefix until something refers to it."""
    return {**tool.definition(), "defer_loading": True}


def as_text(tools: Iterable[ToolSpec], head: str) -> Block:
    """Definitions as a text block."""
    return {"type": "text", "text": "\n".join([head, *map(definition_line, tools)])}


def definition_line(tool: ToolSpec) -> str:
    """A definition as one line of text."""
    return wire.dumps(tool.definition()).decode()


def additions(tools: Iterable[ToolSpec], *, by_value: bool) -> Message:
    """A message that adds tools, by value or by a reference to a deferred definition."""
    return {"role": "system", "content": [{"type": "tool_addition", "tool": _added(tool, by_value)} for tool in tools]}


def announcement(tools: Sequence[ToolSpec], strategy: Strategy, *, changes: bool) -> Message:
    """The message that makes loaded tools known where no result of a search did. `changes`: a message can add a tool."""
    if strategy == "inline" or (strategy == "reference" and changes):
        return additions(tools, by_value=strategy == "inline")
    return {"role": "user", "content": [as_text(tools, BRIDGED if strategy == "bridge" else LOADED)]}


def _added(tool: ToolSpec, by_value: bool) -> dict[str, Any]:  # noqa: FBT001 - private, and one caller
    if by_value:
        return {"type": "tool_definition", "definition": tool.definition()}
    return {"type": "tool_reference", "name": tool.name}


def referring(result: Block, tools: Iterable[ToolSpec], already: Iterable[str]) -> list[Block]:
    """The result of a search as references to what it loaded.

    A result that refers holds nothing else: its text would stand beside the schemas that say the
    same. What needed no loading is named after it.
    """
    references = [{"type": "tool_reference", "tool_name": tool.name} for tool in tools]
    names = ", ".join(already)
    said = [{"type": "text", "text": f"Found too, and loaded before: {names}"}] if names else []
    return [{**result, "content": references}, *said]


def explained(result: Block, tools: Iterable[ToolSpec]) -> Block:
    """The result of a search with the definitions of what it loaded."""
    text = text_of(result.get("content"))
    said = [{"type": "text", "text": text}] if text else []
    return {**result, "content": [*said, as_text(tools, BRIDGED)]}
