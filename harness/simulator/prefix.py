"""What a provider hashes of a request: its blocks in the order tools, system, messages, each with a key.

The key of a block stands for everything up to its end: equal keys mean equal bytes, and equal
settings where they count. It leaves out the model, so that a switch can be told from a change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final

import msgspec

from harness import wire
from harness.simulator.rules import TIERS, Rules, Setting, Tier

THINKING: Final = frozenset(("thinking", "redacted_thinking"))
_RESULTS: Final = frozenset(("tool_result", "tool_search_tool_result"))
_DEFAULTS: Final[Mapping[str, Any]] = {
    "speed": "standard",
    "tool_choice": {"type": "auto"},
    "thinking": {"type": "disabled"},
    "effort": "high",
}
"""To name a default is to leave it out. That `tool_choice` is one of them is an assumption."""


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """One position: a tool, a block of the system prompt, or a block of a message."""

    tier: Tier
    index: int
    """Of its kind, from 0: of the tools that are not deferred, or of all blocks of all messages."""
    role: str
    value: Mapping[str, Any]
    """As sent, less its markers."""
    digest: str
    """Of this block alone."""
    key: str
    """Of everything up to its end."""
    ttl: str | None = None
    marked: bool = False
    loads: tuple[Mapping[str, Any], ...] = ()
    """Definitions of deferred tools that stand here because this block refers to them."""

    @property
    def label(self) -> str:
        """Where it stands and what it is, for people: `tools[3] Bash`, `messages[7] tool_result`."""
        what = self.value.get("name") if self.tier == "tools" else self.value.get("type")
        return f"{self.tier}[{self.index}] {what or ''}".rstrip()


class Prefix(msgspec.Struct, frozen=True, kw_only=True):
    """The whole of a request as its provider hashes it."""

    model: str
    settings: Mapping[Setting, str]
    """Digests of those that a key depends on."""
    blocks: tuple[Block, ...]


def prefix_of(body: Mapping[str, Any], rules: Rules) -> Prefix:
    """The prefix of a request body in Anthropic's form."""
    settings = {setting: digest_of(_setting(body, setting)) for setting in rules.reach}
    chain = _Chain(body, rules, settings)
    return Prefix(model=body.get("model") or "", settings=settings, blocks=tuple(chain.blocks()))


def digest_of(*values: Any) -> str:
    """A short name for values: equal only for equal bytes of JSON."""
    return blake2b(b"\0".join(map(wire.dumps, values)), digest_size=16).hexdigest()


class _Chain:
    """Follows one body and hands on the key from block to block."""

    def __init__(self, body: Mapping[str, Any], rules: Rules, settings: Mapping[Setting, str]) -> None:
        self.body, self.rules, self.settings = body, rules, settings
        self.deferred = {tool.get("name"): tool for tool in _tools(body) if tool.get("defer_loading")}
        self.loaded: set[str] = set()
        # With no tool at all there is no preamble about tools; the first one changes the prefix from its start.
        self.key = digest_of(_has_tools(body))

    def blocks(self) -> Iterator[Block]:
        for tier in TIERS:
            held = {name: self.settings[name] for name in sorted(self.settings) if self.rules.reach[name] == tier}
            self.key = digest_of(self.key, tier, held)
            for index, (role, value) in enumerate(_values(self.body, tier, self.rules)):
                yield self._block(tier, index, role, value)

    def _block(self, tier: Tier, index: int, role: str, value: Mapping[str, Any]) -> Block:
        marker, bare = _unmarked(value)
        loads = tuple(self._loads(bare))
        digest = digest_of(role, bare, loads)
        self.key = digest_of(self.key, digest)
        return Block(
            tier=tier,
            index=index,
            role=role,
            value=bare,
            digest=digest,
            key=self.key,
            ttl=marker.get("ttl") if marker else None,
            marked=marker is not None,
            loads=loads,
        )

    def _loads(self, value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        for name in referred(value):
            tool = self.deferred.get(name)
            if tool is not None and name not in self.loaded:
                self.loaded.add(name)
                yield {key: item for key, item in tool.items() if key != "defer_loading"}


def referred(value: Mapping[str, Any]) -> Iterator[str]:
    """Names of the deferred tools that a block of a message loads."""
    parts: list[Any] = [value.get("tool")] if value.get("type") == "tool_addition" else []
    content = value.get("content")
    if value.get("type") in _RESULTS:
        parts += content.get("tool_references", []) if isinstance(content, dict) else _listed(content)
    for part in parts:
        if isinstance(part, dict) and part.get("type") == "tool_reference":
            yield part.get("tool_name") or part.get("name") or ""


def defined(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The definition that a block of a message gives by value."""
    part = value.get("tool") if value.get("type") == "tool_addition" else value
    if not isinstance(part, dict) or part.get("type") != "tool_definition":
        return None
    definition = part.get("definition")
    return definition if isinstance(definition, dict) else None


def _values(body: Mapping[str, Any], tier: Tier, rules: Rules) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if tier == "tools":
        yield from (("", tool) for tool in _tools(body) if not tool.get("defer_loading") and not _is_web_search(tool))
    elif tier == "system":
        yield from (("", block) for block in _as_blocks(body.get("system")))
    else:
        yield from _messages(body, rules)


def _messages(body: Mapping[str, Any], rules: Rules) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Blocks of messages with their role, less the thinking that the provider drops."""
    messages = _listed(body.get("messages"))
    from_here = _thinking_from(body, messages, rules)
    for number, message in enumerate(messages):
        for block in _as_blocks(message.get("content")):
            if block.get("type") not in THINKING or number >= from_here:
                yield message.get("role", ""), block


def _thinking_from(body: Mapping[str, Any], messages: list[Any], rules: Rules) -> int:
    """The first message whose thinking is in the prefix."""
    if rules.mechanism == "markers" and not _thinks(body):
        return len(messages)
    if rules.keeps_thinking_of(body.get("model") or ""):
        return 0
    return max((number for number, message in enumerate(messages) if _is_spoken(message)), default=0)


def _thinks(body: Mapping[str, Any]) -> bool:
    thinking = body.get("thinking")
    return isinstance(thinking, dict) and thinking.get("type") != "disabled"


def _is_spoken(message: Mapping[str, Any]) -> bool:
    """Whether the user says something in it, other than to hand in results."""
    blocks = _as_blocks(message.get("content"))
    return message.get("role") == "user" and any(block.get("type") != "tool_result" for block in blocks)


def _setting(body: Mapping[str, Any], setting: Setting) -> Any:
    if setting == "images":
        return any(_has(block, "image") for _role, block in _all_content(body))
    if setting == "citations":
        return any((block.get("citations") or {}).get("enabled") for _role, block in _all_content(body))
    if setting == "web_search":
        return [tool for tool in _tools(body) if _is_web_search(tool)]
    given = (body.get("output_config") or {}).get("effort") if setting == "effort" else body.get(setting)
    return _DEFAULTS[setting] if given is None else given


def _has(block: Mapping[str, Any], kind: str) -> bool:
    content = block.get("content")
    return block.get("type") == kind or any(_has(part, kind) for part in _listed(content) if isinstance(part, dict))


def _all_content(body: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for message in _listed(body.get("messages")):
        yield from ((message.get("role", ""), block) for block in _as_blocks(message.get("content")))


def _has_tools(body: Mapping[str, Any]) -> bool:
    if any(not tool.get("defer_loading") for tool in _tools(body)):
        return True
    return any(defined(block) for _role, block in _all_content(body))


def _is_web_search(tool: Mapping[str, Any]) -> bool:
    return str(tool.get("type", "")).startswith("web_search")


def _tools(body: Mapping[str, Any]) -> list[Any]:
    return _listed(body.get("tools"))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _as_blocks(content: Any) -> list[Any]:
    """A text is one block."""
    return [{"type": "text", "text": content}] if isinstance(content, str) and content else _listed(content)


def _unmarked(value: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, Mapping[str, Any]]:
    """The marker of a block, on itself or on a part of it, and the block without."""
    marker = value.get("cache_control")
    bare = {key: item for key, item in value.items() if key != "cache_control"}
    for name, part in bare.items():
        if name in ("tool", "definition") and isinstance(part, dict):
            inner, bare[name] = _unmarked(part)
            marker = marker or inner
        elif name == "content" and isinstance(part, list):
            pairs = [_unmarked(each) if isinstance(each, dict) else (None, each) for each in part]
            bare[name] = [each for _marker, each in pairs]
            marker = marker or next((found for found, _each in pairs if found), None)
    return marker, bare
