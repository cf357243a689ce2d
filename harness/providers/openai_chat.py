"""Chat Completions, through OpenAI's SDK: what most servers that call themselves compatible speak."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import msgspec

from harness.providers import faults, openai_faults
from harness.providers.base import Began, Calling, ProviderEvent, Reply, Said, Thought, arguments_of
from harness.request import Request, to_openai_chat

_REASONS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}


class OpenAIChat:
    """Requests to any server with the Chat Completions API.

    `name` chooses strategies and cache rules; a server that nothing is known of is `compatible`.
    """

    def __init__(
        self,
        *,
        name: str = "compatible",
        base_url: str | None = None,
        api_key: str | None = None,
        silence: float = 180.0,
    ) -> None:
        self.name = name
        # A server on one's own machine asks for no key, and the SDK does.
        self._client = openai_faults.client_of(base_url, api_key or ("none" if base_url else None), silence)

    def child(self, profile: str, task: str) -> OpenAIChat:
        """The same: sub-agents share its connections."""
        return self

    async def close(self) -> None:
        """Let go of connections."""
        await self._client.close()

    async def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        """Send a request. Raises a ProviderError where the reply does not come to its end."""
        gathering = _Gathering()
        made = to_openai_chat(request.body)
        # The older name: servers that only look like OpenAI know no other.
        made["max_tokens"] = made.pop("max_completion_tokens")
        try:
            created = await self._client.chat.completions.create(
                **made, stream=True, stream_options={"include_usage": True}
            )
            async with created as chunks:
                gathering.request_id = chunks.response.headers.get("x-request-id")
                async for chunk in chunks:
                    for found in gathering.take(chunk.to_dict()):
                        yield found
            reply = gathering.reply()
        except openai_faults.RAISED as error:
            raise openai_faults.fault(error, began=gathering.began, usage=gathering.usage) from error
        yield reply


class _Call(msgspec.Struct):
    """A call as it comes in pieces."""

    call: str = ""
    name: str = ""
    arguments: str = ""


class _Gathering:
    """A reply as it comes."""

    def __init__(self) -> None:
        self.began = False
        self.text = ""
        self.calls: dict[int, _Call] = {}
        self.usage: dict[str, Any] | None = None
        self.finish: str | None = None
        self.head: dict[str, Any] = {}
        self.request_id: str | None = None

    def take(self, chunk: dict[str, Any]) -> Iterator[ProviderEvent]:
        """Take one chunk and say what came of it."""
        if not self.began:
            self.began, self.head = True, chunk
            yield Began()
        self.usage = chunk.get("usage") or self.usage
        for choice in chunk.get("choices") or []:
            self.finish = choice.get("finish_reason") or self.finish
            yield from self._delta(choice.get("delta") or {})

    def _delta(self, delta: dict[str, Any]) -> Iterator[ProviderEvent]:
        if thought := delta.get("reasoning_content") or delta.get("reasoning"):
            yield Thought(text=str(thought))
        if text := delta.get("content"):
            self.text += text
            yield Said(text=text)
        for piece in delta.get("tool_calls") or []:
            yield from self._piece(piece)

    def _piece(self, piece: dict[str, Any]) -> Iterator[ProviderEvent]:
        number = piece.get("index", len(self.calls))
        function = piece.get("function") or {}
        call = self.calls.setdefault(number, _Call())
        begun = bool(call.name)
        call.call = piece.get("id") or call.call
        call.name = call.name or function.get("name") or ""
        call.arguments += function.get("arguments") or ""
        if call.name and not begun:
            yield Calling(call=call.call, name=call.name)

    def reply(self) -> Reply:
        """The whole. Raises CutStream where the end did not come."""
        if self.finish is None:
            raise faults.cut(self.usage)
        unreadable: dict[str, str] = {}
        content: list[dict[str, Any]] = [{"type": "text", "text": self.text}] if self.text else []
        for number, call in sorted(self.calls.items()):
            call.call = call.call or f"call_{self.head.get('id', '')}_{number}"
            given = arguments_of(call.arguments)
            if given is None:
                unreadable[call.call] = call.arguments
            content.append({"type": "tool_use", "id": call.call, "name": call.name, "input": given or {}})
        return Reply(
            content=content,
            usage=self.usage,
            convention="inclusive",
            stop_reason=_REASONS.get(self.finish, self.finish),
            model=self.head.get("model"),
            message_id=self.head.get("id"),
            request_id=self.request_id,
            unreadable=unreadable,
        )
