"""Anthropic's Messages API, through its SDK. The canonical form of a request is this API's own, so it goes out as it is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import anthropic
import httpx2

from harness.errors import ProviderError, Unreachable
from harness.providers import faults
from harness.providers.base import Began, Calling, ProviderEvent, Reply, Said, Thought, arguments_of
from harness.request import Request

_NAMED: Final = ("model", "max_tokens", "messages")
_RAISED: Final = (anthropic.AnthropicError, httpx2.HTTPError, ValueError, LookupError, AttributeError)
"""What a request or an unreadable answer may raise."""


class AnthropicMessages:
    """Requests to Anthropic, or to what speaks its API at `base_url`.

    Key and base URL come from the environment (ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL) where they
    are None. `silence`: seconds without an event after which an answer counts as broken off.
    """

    name = "anthropic"

    def __init__(self, *, base_url: str | None = None, api_key: str | None = None, silence: float = 180.0) -> None:
        timeout = httpx2.Timeout(silence, connect=15.0)
        # Retries are the loop's: each try is a request of its own in the run log.
        self._client = anthropic.AsyncAnthropic(base_url=base_url, api_key=api_key, timeout=timeout, max_retries=0)

    def child(self, profile: str, task: str) -> AnthropicMessages:
        """The same: sub-agents share its connections."""
        return self

    async def close(self) -> None:
        """Let go of connections."""
        await self._client.close()

    async def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        """Send a request. Raises a ProviderError where the reply does not come to its end."""
        gathering = _Gathering()
        try:
            async with await self._open(request) as events:
                gathering.request_id = events.response.headers.get("request-id")
                async for event in events:
                    for found in gathering.take(event):
                        yield found
            reply = gathering.reply()
        except _RAISED as error:
            raise _fault(error, gathering) from error
        yield reply

    async def _open(self, request: Request) -> anthropic.AsyncStream[Any]:
        body = request.body
        headers = {"anthropic-beta": ",".join(request.betas)} if request.betas else None
        # What is not named goes through as it is, byte for byte, past the SDK's own checks of its types.
        rest = {key: value for key, value in body.items() if key not in _NAMED}
        named: dict[str, Any] = {key: body[key] for key in _NAMED}
        stream: anthropic.AsyncStream[Any] = await self._client.messages.create(
            **named, stream=True, extra_body=rest, extra_headers=headers
        )
        return stream


class _Gathering:
    """A reply as it comes."""

    def __init__(self) -> None:
        self.blocks: dict[int, dict[str, Any]] = {}
        self.inputs: dict[int, str] = {}
        self.usage: dict[str, Any] | None = None
        self.request_id: str | None = None
        self.began = self.ended = False
        self.stop_reason: str | None = None
        self.message: dict[str, Any] = {}

    def take(self, event: Any) -> list[ProviderEvent]:
        """Take one event of the stream and say what came of it."""
        found: list[ProviderEvent] = []
        if not self.began:
            self.began = True
            found.append(Began())
        if event.type == "message_start":
            self.message = event.message.to_dict()
            self._use(self.message.get("usage"))
        elif event.type == "content_block_start":
            found += self._start(event.index, event.content_block.to_dict())
        elif event.type == "content_block_delta":
            found += self._delta(event.index, event.delta.to_dict())
        elif event.type == "message_delta":
            self.stop_reason = event.delta.stop_reason or self.stop_reason
            self._use(event.usage.to_dict() if event.usage else None)
        elif event.type == "message_stop":
            self.ended = True
        return found

    def _use(self, usage: Mapping[str, Any] | None) -> None:
        """Later counts are running totals: they replace earlier ones."""
        if usage is not None:
            self.usage = {**(self.usage or {}), **{key: value for key, value in usage.items() if value is not None}}

    def _start(self, index: int, block: dict[str, Any]) -> list[ProviderEvent]:
        self.blocks[index] = block
        if block["type"] != "tool_use":
            return [Said(text=block["text"])] if block.get("text") else []
        self.inputs[index] = ""
        return [Calling(call=block["id"], name=block["name"])]

    def _delta(self, index: int, delta: dict[str, Any]) -> list[ProviderEvent]:
        block, kind = self.blocks[index], delta["type"]
        if kind == "input_json_delta":
            self.inputs[index] = self.inputs.get(index, "") + delta["partial_json"]
        elif kind == "text_delta":
            block["text"] = block.get("text", "") + delta["text"]
            return [Said(text=delta["text"])]
        elif kind == "thinking_delta":
            block["thinking"] = block.get("thinking", "") + delta["thinking"]
            return [Thought(text=delta["thinking"])]
        elif kind == "signature_delta":
            block["signature"] = block.get("signature", "") + delta["signature"]
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or []), delta["citation"]]
        return []

    def reply(self) -> Reply:
        """The whole. Raises CutStream where the end did not come."""
        if not self.ended:
            raise faults.cut(self.usage)
        unreadable: dict[str, str] = {}
        for index, text in self.inputs.items():
            block = self.blocks[index]
            given = arguments_of(text) if text else block.get("input") or {}
            block["input"] = {} if given is None else given
            if given is None:
                unreadable[block["id"]] = text
        return Reply(
            content=[self.blocks[index] for index in sorted(self.blocks)],
            usage=self.usage,
            convention="exclusive",
            stop_reason=self.stop_reason,
            model=self.message.get("model"),
            message_id=self.message.get("id"),
            request_id=self.request_id,
            unreadable=unreadable,
        )


def _fault(error: Exception, gathering: _Gathering) -> ProviderError:
    if isinstance(error, anthropic.APIStatusError):
        status = error.status_code if error.status_code >= 400 else None
        fault = faults.fault_of(
            status=status,
            kind=error.type,
            message=error.api_message or error.message,
            wait=faults.waiting_time(error.response.headers),
            request_id=error.request_id,
        )
        fault.usage = gathering.usage
        return fault
    if gathering.began or not isinstance(error, anthropic.AnthropicError | httpx2.HTTPError):
        return faults.cut(gathering.usage, str(error) or type(error).__name__)
    return Unreachable(f"no answer: {error.__cause__ or error}"[: faults.LONGEST])
