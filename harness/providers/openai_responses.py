"""OpenAI's Responses API, through its SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from harness.catalogue.own import SEARCH_TOOLS
from harness.providers import faults, openai_faults
from harness.providers.base import Began, Calling, ProviderEvent, Reply, Said, Thought, arguments_of
from harness.request import Request, prefix_hash, to_openai_responses

Item = dict[str, Any]


class OpenAIResponses:
    """Requests to OpenAI. Key and base URL come from OPENAI_API_KEY and OPENAI_BASE_URL where they are None."""

    name = "openai"

    def __init__(self, *, base_url: str | None = None, api_key: str | None = None, silence: float = 180.0) -> None:
        self._client = openai_faults.client_of(base_url, api_key, silence)

    def child(self, profile: str, task: str) -> OpenAIResponses:
        """The same: sub-agents share its connections."""
        return self

    async def close(self) -> None:
        """Let go of connections."""
        await self._client.close()

    async def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        """Send a request. Raises a ProviderError where the reply does not come to its end."""
        gathering = _Gathering()
        made = to_openai_responses(request.body)
        # Runs of one prefix go to one machine, where it is cached.
        made.setdefault("prompt_cache_key", prefix_hash(request))
        made.setdefault("include", ["reasoning.encrypted_content"])
        try:
            async with await self._client.responses.create(**made, stream=True) as events:
                gathering.request_id = events.response.headers.get("x-request-id")
                async for event in events:
                    for found in gathering.take(event):
                        yield found
            reply = gathering.reply()
        except openai_faults.RAISED as error:
            raise openai_faults.fault(error, began=gathering.began, usage=None) from error
        yield reply


class _Gathering:
    """A reply as it comes. What counts is the whole response in the last event."""

    def __init__(self) -> None:
        self.began = False
        self.request_id: str | None = None
        self.response: Item | None = None

    def take(self, event: Any) -> Iterator[ProviderEvent]:
        """Take one event of the stream and say what came of it. Raises a ProviderError where it is one."""
        if event.type == "error":
            raise faults.fault_of(status=None, kind=event.code, message=event.message)
        if event.type == "response.failed":
            raise _failed(event.response.to_dict())
        if not self.began:
            self.began = True
            yield Began()
        if event.type == "response.output_text.delta":
            yield Said(text=event.delta)
        elif event.type in ("response.reasoning_summary_text.delta", "response.reasoning_text.delta"):
            yield Thought(text=event.delta)
        elif event.type == "response.output_item.added":
            yield from _begun(event.item.to_dict())
        elif event.type in ("response.completed", "response.incomplete"):
            self.response = event.response.to_dict()

    def reply(self) -> Reply:
        """The whole. Raises CutStream where the end did not come."""
        response = self.response
        if response is None:
            raise faults.cut(None)
        unreadable: dict[str, str] = {}
        content = [block for item in response["output"] for block in _blocks(item, unreadable)]
        calls = any(block["type"] == "tool_use" for block in content)
        incomplete = (response.get("incomplete_details") or {}).get("reason")
        return Reply(
            content=content,
            usage=response.get("usage"),
            convention="inclusive",
            stop_reason=incomplete or ("tool_use" if calls else "end_turn"),
            model=response.get("model"),
            message_id=response.get("id"),
            request_id=self.request_id,
            unreadable=unreadable,
        )


def _failed(response: Item) -> Exception:
    error = response.get("error") or {}
    fault = faults.fault_of(
        status=None, kind=error.get("code"), message=str(error.get("message") or "the response failed")
    )
    fault.usage = response.get("usage")
    return fault


def _begun(item: Item) -> Iterator[ProviderEvent]:
    if item["type"] == "function_call":
        yield Calling(call=item["call_id"], name=item["name"])
    elif item["type"] == "tool_search_call":
        yield Calling(call=str(item.get("call_id") or item.get("id")), name=SEARCH_TOOLS.name)


def _blocks(item: Item, unreadable: dict[str, str]) -> Iterator[Item]:
    """An output item as blocks. What only OpenAI can read, such as encrypted reasoning, is kept to be sent back."""
    if item["type"] == "message":
        for part in item["content"]:
            yield {"type": "text", "text": part.get("text") or part.get("refusal") or ""}
    elif item["type"] == "function_call":
        yield _call(item["call_id"], item["name"], item["arguments"], unreadable)
    elif item["type"] == "tool_search_call":
        # The id is the provider's own where the call has none: a result must name one.
        call = str(item.get("call_id") or item.get("id"))
        given = item.get("arguments")
        yield {"type": "tool_use", "id": call, "name": SEARCH_TOOLS.name, "input": given if _is_object(given) else {}}
    else:
        yield {"type": "provider_item", "item": item}


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _call(call: str, name: str, text: str, unreadable: dict[str, str]) -> Item:
    given = arguments_of(text)
    if given is None:
        unreadable[call] = text
    return {"type": "tool_use", "id": call, "name": name, "input": given or {}}
