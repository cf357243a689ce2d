"""Compaction: a summary that the model writes takes the place of the conversation, where the context has grown too long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from harness.errors import ProviderError
from harness.loop import items, prompts
from harness.providers.base import Reply
from harness.request import size_of
from harness.request.messages import SUM_UP, SUMMED, text_of
from harness.runlog import ContextAppended, ContextRewritten
from harness.surface.late import LATE

if TYPE_CHECKING:
    from harness.loop.agent import Agent


class Compaction:
    """Compacts the conversation of one run, where its settings want that.

    What stays is what the conversation opened with but for the task, and every loaded tool. A summary
    that does not come leaves all as it was. Where an attempt wins little or fails, the next waits
    until the prompt has grown by a quarter.
    """

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._from = agent.shared.settings.limits.compact_from

    async def compact(self, prompt: int) -> bool:
        """Compact if the last request's prompt, in tokens, calls for it. Says whether that was done."""
        limit = self._agent.shared.settings.limits.compact_from
        if limit is None or self._from is None or prompt < self._from:
            return False
        summary = await self._summary()
        won = 0 if summary is None else self._replace(summary)
        self._from = max(limit, (prompt - won) * 5 // 4)
        return summary is not None

    async def _summary(self) -> str | None:
        """What the model sums up, asked behind all that was said; None where it does not."""
        agent = self._agent
        asked = {"role": "user", "content": [{"type": "text", "text": SUM_UP}]}
        try:
            reply, event = await agent.ask(asked)
        except ProviderError as error:
            self._failed(str(error))
            return None
        text = text_of(reply.content).strip()
        if (reason := _unusable(reply, text)) is not None:
            self._failed(reason)
            return None
        # A log that a failure is to leave as it was has the question only now; its place is before the request.
        agent.log.write(event)
        return text

    def _failed(self, reason: str) -> None:
        """Say why there is no summary."""
        agent = self._agent
        agent.shared.watcher.say(agent.log.run, f"the conversation was not compacted: {reason}")

    def _replace(self, summary: str) -> int:
        """Put the summary in place of the conversation. Returns the tokens won."""
        agent = self._agent
        before = size_of(agent.assembly.messages, agent.model)
        said = {"type": "text", "text": f"{SUMMED}\n\n{summary}"}
        agent.assembly.rewrite([{"role": "user", "content": [*_standing(agent.assembly.messages), said]}])
        after = size_of(agent.assembly.messages, agent.model)
        agent.log.write(
            ContextRewritten(
                **agent.log.head(),
                kind="compaction",
                trigger="auto",
                tokens_before=before,
                tokens_after=after,
                kept_tools=list(agent.assembly.ledger.names),
            )
        )
        new = items.user_items([said], agent.names)
        agent.log.write(ContextAppended(**agent.log.head(), items=new, replaces=list(items.CONVERSATION)))
        agent.shared.watcher.compacted(agent.log.run, before, after)
        return before - after


def _unusable(reply: Reply, text: str) -> str | None:
    """Why a reply is no summary."""
    if reply.stop_reason == "refusal":
        return "the model refused to sum it up"
    if reply.stop_reason in ("max_tokens", "max_output_tokens"):
        return "the summary was cut at the limit of a reply"
    called = any(block["type"] == "tool_use" for block in reply.content)
    return None if text and not called else "the model gave no summary"


def _standing(messages: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """What a compaction leaves: the opening, and the names of tools that came late."""
    for number, message in enumerate(messages):
        for at, block in enumerate(message["content"] if message["role"] == "user" else ()):
            text = str(block.get("text", ""))
            if (number == at == 0 and text.startswith(prompts.OPENING)) or text.startswith(f"{LATE}\n"):
                yield block
