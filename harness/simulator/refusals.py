"""Requests that the provider answers with an error instead of a cache."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from harness.errors import RefusedRequest
from harness.simulator.prefix import THINKING, Block
from harness.simulator.rules import Rules


def with_markers(body: Mapping[str, Any], blocks: tuple[Block, ...], rules: Rules) -> tuple[Block, ...]:
    """The blocks with every marker that counts, the automatic one among them. Raises RefusedRequest."""
    if rules.mechanism == "implicit":
        return blocks
    _refuse(body, blocks, rules)
    automatic = body.get("cache_control")
    if automatic is not None:
        return _marked_at_the_end(blocks, automatic.get("ttl"), rules)
    if rules.marks_the_end and not any(block.marked for block in blocks):
        return _marked_at_the_end(blocks, rules.lifetime, rules)
    return blocks


def can_be_marked(block: Block) -> bool:
    """Thinking and empty texts cannot carry a marker."""
    if block.value.get("type") in THINKING:
        return False
    return block.value.get("type") != "text" or bool(block.value.get("text"))


def _refuse(body: Mapping[str, Any], blocks: tuple[Block, ...], rules: Rules) -> None:
    tools = body.get("tools") or []
    if tools and all(tool.get("defer_loading") for tool in tools):
        raise RefusedRequest("at least one tool must not be deferred")
    for tool in tools:
        if tool.get("defer_loading") and tool.get("cache_control"):
            raise RefusedRequest(f"tool {tool.get('name')} is deferred and has a cache marker")
    marked = [block for block in blocks if block.marked]
    if len(marked) > rules.most_markers:
        raise RefusedRequest(f"{len(marked)} cache markers; at most {rules.most_markers} are allowed")
    for block in marked:
        if not can_be_marked(block):
            raise RefusedRequest(f"{block.label} cannot carry a cache marker")
    _refuse_order(marked, rules)


def _refuse_order(marked: list[Block], rules: Rules) -> None:
    seconds = [rules.lifetimes[rules.lifetime_of(block.ttl)] for block in marked]
    for (earlier, later), block in zip(zip(seconds, seconds[1:], strict=False), marked[1:], strict=True):
        if earlier < later:
            raise RefusedRequest(f"{block.label} has a longer lifetime than a marker before it")


def _marked_at_the_end(blocks: tuple[Block, ...], ttl: str | None, rules: Rules) -> tuple[Block, ...]:
    """One more marker, on the last block that can carry one."""
    last = max((index for index, block in enumerate(blocks) if can_be_marked(block)), default=None)
    if last is None:
        return blocks
    block = blocks[last]
    if block.marked:
        if rules.lifetime_of(block.ttl) != rules.lifetime_of(ttl):
            raise RefusedRequest(f"{block.label} has a marker of another lifetime than the automatic one")
        return blocks
    if sum(each.marked for each in blocks) >= rules.most_markers:
        raise RefusedRequest("automatic caching needs one of the markers, and all are taken")
    return (*blocks[:last], msgspec.structs.replace(block, marked=True, ttl=ttl), *blocks[last + 1 :])
