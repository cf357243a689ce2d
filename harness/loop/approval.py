"""Who lets a call through: its tier, the user's rules, or the user. A loaded tool is asked about like a resident one."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any, Final, Protocol

import msgspec

from harness import wire
from harness.errors import CommandError
from harness.tiers import tier_of
from harness.tools import ToolSpec


class Person(Protocol):
    """Whoever sits at the terminal."""

    async def answer(self, question: str, options: tuple[str, ...]) -> str | None:
        """Their answer to a question; None where nobody is there to answer."""


class Nobody:
    """Nobody is there."""

    async def answer(self, question: str, options: tuple[str, ...]) -> str | None:
        """None."""
        return None


_RULE: Final = re.compile(r"([\w*?\[\].-]+)(?:\((.*)\))?", re.DOTALL)
_JOINS: Final = re.compile(r"[;&|<>$`\n\r(){}\\]")
"""What makes one shell command two, or lets it write elsewhere."""


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """What needs no asking: tools by a pattern of their name, and of the first argument that they require.

    `bash(git status*)` lets through commands that begin so and hold nothing that would join another.
    """

    tool: str
    argument: str | None = None

    def fits(self, tool: ToolSpec, arguments: dict[str, Any]) -> bool:
        """Whether a call fits it. Which argument counts is the schema's to say: their order is the model's."""
        if not fnmatchcase(tool.name, self.tool):
            return False
        if self.argument is None:
            return True
        first = arguments.get(next(iter(tool.input_schema.get("required") or ()), ""))
        if not isinstance(first, str):
            return False
        return first == self.argument or (fnmatchcase(first, self.argument) and not _JOINS.search(first))


def rule_of(text: str) -> Rule:
    """A rule as the user writes it: `NAME`, `browser_*` or `bash(git diff*)`. Raises CommandError."""
    found = _RULE.fullmatch(text.strip())
    if found is None:
        raise CommandError(f"{text!r} is no rule; write NAME, a pattern such as browser_*, or bash(git diff*)")
    return Rule(tool=found[1], argument=found[2])


QUESTION: Final = "{who} wants to call {tool} ({tier}):\n{arguments}\nAllow it?"
OPTIONS: Final = ("yes", "no", "always")


class Approval:
    """Decides about calls, and remembers what the user said once and for all.

    Without asking go: the harness's own tools that only look or touch nothing, what a rule fits,
    and with `everything` all. That a foreign server calls its tool read-only is no reason.
    """

    def __init__(self, person: Person, *, rules: Iterable[Rule] = (), everything: bool = False) -> None:
        self._person, self._rules, self._everything = person, list(rules), everything
        self._asking = asyncio.Lock()

    async def refusal(self, tool: ToolSpec, arguments: dict[str, Any], who: str) -> str | None:
        """What the model is told where a call is not let through; None where it is."""
        if self._allowed(tool, arguments):
            return None
        async with self._asking:
            # A sibling may have been answered "always" in the meantime.
            if self._allowed(tool, arguments):
                return None
            return self._said(tool, await self._person.answer(_question(tool, arguments, who), OPTIONS))

    async def ask(self, question: str, options: tuple[str, ...]) -> str | None:
        """Put a question of the model to the user, one at a time."""
        async with self._asking:
            return await self._person.answer(question, options)

    def _allowed(self, tool: ToolSpec, arguments: dict[str, Any]) -> bool:
        if self._everything or any(rule.fits(tool, arguments) for rule in self._rules):
            return True
        return not tool.server and tier_of(tool) in ("free", "read")

    def _said(self, tool: ToolSpec, answer: str | None) -> str | None:
        if answer is None:
            return f"{tool.name} needs approval, and nobody is there to give it. The user can allow it with --allow or --yes."
        word = answer.strip().lower()
        if word in ("a", "always"):
            self._rules.append(Rule(tool=tool.name))
            return None
        if word in ("y", "yes"):
            return None
        reason = "" if word in ("", "n", "no") else f" They said: {answer.strip()}"
        return f"The user did not allow this call of {tool.name}.{reason}"


def _question(tool: ToolSpec, arguments: dict[str, Any], who: str) -> str:
    text = wire.dumps(arguments).decode()
    return QUESTION.format(
        who=who, tool=tool.name, tier=tier_of(tool), arguments=text if len(text) <= 2000 else f"{text[:2000]}…"
    )
