"""Traps of what a conversation grows by: tool output, and what the shell does in the place of a tool."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import msgspec

from explorer.traps.facts import Facts, ShellCall, Trap
from explorer.traps.listing import named, sized, summed
from explorer.traps.names import SHELLS
from observability.figures import counted, number, percent

SHARE: Final = Decimal("0.4")
"""The share of the conversation from which tool output makes the growth."""
LEAST: Final = 4_000
"""Tokens of a conversation below which shares say nothing."""
LEAST_SHELL: Final = 500
"""Tokens that the shell's output must come to."""


def output_dominates(facts: Facts) -> Trap | None:
    """The results of one or two tools are a large part of the conversation so far."""
    ordered = sorted(facts.results, key=lambda each: (-each[1], each[0]))
    if facts.conversation < LEAST or not ordered:
        return None
    few = next((ordered[:n] for n in (1, 2) if _share(ordered[:n], facts) >= SHARE), None)
    if few is None:
        return None
    size = sum(tokens for _, tokens in few)
    names = [name or "a tool without a name" for name, _ in few]
    return Trap(
        kind="output_dominates",
        title="One tool makes the growth" if len(few) == 1 else "Two tools make the growth",
        figure=percent(_share(few, facts), 0),
        why=f"{' and '.join(names)} results, {number(size)} tokens of the conversation so far",
        link=f"?{facts.query}#part-tool_result",
        tokens=size,
        sure=facts.sure,
        glyph="circle",
        rows=[
            *summed(few, "their results"),
            ("conversation, without the prefix", number(facts.conversation)),
            ("share", percent(_share(few, facts))),
        ],
    )


def _share(some: Iterable[tuple[str, int]], facts: Facts) -> Decimal:
    return Decimal(sum(tokens for _, tokens in some)) / facts.conversation


@dataclass(frozen=True, slots=True)
class _Family:
    """Commands that do what a tool is there for."""

    does: str
    commands: re.Pattern[str]
    tools: tuple[str, ...]


FAMILIES: Final = (
    _Family(
        "search files",
        re.compile(r"(?:[ef]?grep|rg|ag|ack|git grep)\b"),
        ("Grep", "grep", "grep_search", "search_file_content", "search"),
    ),
    _Family(
        "read files",
        re.compile(r"(?:cat|head|tail|nl|bat|less|sed -n)\b"),
        ("Read", "read", "read_file", "view"),
    ),
    _Family(
        "list files",
        re.compile(r"(?:find|fd|ls|tree)\b"),
        ("Glob", "glob", "LS", "list_directory", "list_folder"),
    ),
)
_QUOTED: Final = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"")
_STEP: Final = re.compile(r"&&|\|\||;|\n")
_WRITES: Final = re.compile(r"<<|(?<![0-9&])>(?!&)")
_BEFORE: Final = re.compile(r"^(?:\w+=\S*\s+|sudo\s+|time\s+|command\s+)+")
_NO_WORK: Final = re.compile(r"(?:cd|echo|export|set|true)\b")


def shell_instead(facts: Facts) -> Trap | None:
    """The shell searched, read or listed files, and a tool for just that is on the surface or was called."""
    found: list[tuple[ShellCall, str, str]] = []
    for call in facts.shell:
        family = family_of(call.command)
        tool = _beside(facts, family) if family else ""
        if family and tool:
            found.append((call, family.does, tool))
    size = sum(call.tokens for call, _, _ in found)
    if size < LEAST_SHELL:
        return None
    does = Counter[str]()
    for call, doing, _ in found:
        does[doing] += call.tokens
    largest = max(found, key=lambda each: each[0].tokens)[0]
    tools = sorted({tool for _, _, tool in found})
    return Trap(
        kind="shell_instead",
        title=f"The shell does the work of {named(sorted({tool.partition(' ')[0] for tool in tools}))}",
        figure=sized(size),
        why=f"{counted(len(found), 'command')} to {' and to '.join(does)}, beside {named(tools)}",
        link=f"?{facts.query}&item={largest.item}#h-item",
        tokens=size,
        sure=facts.sure,
        glyph="circle",
        rows=summed(list(does.items()), "results in this request"),
        note="Commands that only filter another's output are not among them. The largest results are looked at.",
    )


def family_of(command: str) -> _Family | None:
    """What a command line is there for, by its first step that does something; None for anything else."""
    for step in _STEP.split(_QUOTED.sub("Q", command)):
        first = _BEFORE.sub("", step.strip())
        if not first or _NO_WORK.match(first):
            continue
        if _WRITES.search(first):
            return None
        return next((family for family in FAMILIES if family.commands.match(first)), None)
    return None


def command_of(text: str) -> str:
    """The command line in the arguments of a shell's call; empty where there is none."""
    try:
        arguments = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return ""
    found = arguments.get("command", arguments.get("cmd")) if isinstance(arguments, dict) else None
    return found if isinstance(found, str) else ""


def _beside(facts: Facts, family: _Family) -> str:
    """The tool that is there for it, with its state where it is not resident; empty where nothing shows that there is one."""
    for tool in facts.tools:
        if tool.name in family.tools and tool.state != "removed":
            return tool.name if tool.state == "resident" else f"{tool.name} ({tool.state})"
    return next((name for name in family.tools if name in facts.called - SHELLS), "")
