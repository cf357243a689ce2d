"""A model's server for tests: it speaks Anthropic's Messages, OpenAI's Responses and Chat Completions over real HTTP.

It follows a script, keeps what it was sent, and reports the usage that the cache's rules give.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from harness.providers.script import Script, Turn
from harness.providers.scripted import usage_of
from harness.simulator import ANTHROPIC, Simulator

Event = tuple[str, dict[str, Any]]
STATUS = {"overloaded": 529, "refused": 400, "not_admitted": 401, "faulty": 500}
KIND = {
    "overloaded": "overloaded_error",
    "refused": "invalid_request_error",
    "not_admitted": "authentication_error",
    "faulty": "api_error",
}


class ModelServer:
    """One server. `bodies` are the requests in the order in which they came, `headers` theirs."""

    def __init__(self) -> None:
        self.script = Script(turns=())
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.raw: list[bytes] = []
        self.url = ""
        self.simulator = Simulator(ANTHROPIC)
        self._done: dict[str, int] = {}

    def follow(self, *turns: Turn, agent: tuple[Turn, ...] = ()) -> None:
        """Answer by these turns from now on; sub-agents each by those of `agent`."""
        self.script = Script(turns=turns, agents={"*": agent} if agent else {})
        self._done.clear()

    def turn(self, body: dict[str, Any]) -> Turn:
        """The next turn of the run that sent a body. Each sub-agent is told by its first message."""
        sub_agent = "sub-agent" in json.dumps(body.get("system", ""))
        key = json.dumps(body["messages"][0]["content"][:2]).partition("cache_control")[0] if sub_agent else ""
        turns = self.script.agents["*"] if sub_agent else self.script.turns
        number = self._done.get(key, 0)
        self._done[key] = number + 1
        return turns[number]

    async def take(self, request: Request) -> dict[str, Any]:
        """Keep a request, and return its body."""
        self.raw.append(await request.body())
        self.bodies.append(json.loads(self.raw[-1]))
        self.headers.append(dict(request.headers))
        return self.bodies[-1]

    def usage(self, body: dict[str, Any], turn: Turn) -> dict[str, Any]:
        """The usage of a request in Anthropic's form."""
        now = datetime.now(UTC)
        outcome = self.simulator.send(body, at=now, first_event_at=now + timedelta(seconds=turn.first_event_after))
        return turn.usage or usage_of(outcome, 7, "exclusive")

    # The three APIs ------------------------------------------------------------

    async def messages(self, request: Request) -> Response:
        """Anthropic's Messages."""
        body = await self.take(request)
        turn = self.turn(body)
        if is_refused(turn):
            return refused(turn)
        events = anthropic_events(turn, body["model"], self.usage(body, turn))
        return streamed(turn, events, named=True)

    async def responses(self, request: Request) -> Response:
        """OpenAI's Responses."""
        body = await self.take(request)
        turn = self.script.turns[len(self.bodies) - 1]
        if is_refused(turn):
            return refused(turn)
        return streamed(turn, responses_events(turn, body["model"]), named=True)

    async def chat(self, request: Request) -> Response:
        """OpenAI's Chat Completions."""
        body = await self.take(request)
        turn = self.script.turns[len(self.bodies) - 1]
        if is_refused(turn):
            return refused(turn)
        return streamed(turn, chat_events(turn, body["model"]), named=False)

    def app(self) -> Starlette:
        """The application."""
        return Starlette(
            routes=[
                Route("/v1/messages", self.messages, methods=["POST"]),
                Route("/v1/responses", self.responses, methods=["POST"]),
                Route("/v1/chat/completions", self.chat, methods=["POST"]),
            ]
        )


def is_refused(turn: Turn) -> bool:
    """Whether the answer is an error from the start. A turn with a text fails, or is cut, on its way."""
    return turn.error is not None and turn.error.kind in STATUS and not turn.text


def refused(turn: Turn) -> Response:
    """An answer that is an error."""
    assert turn.error is not None
    headers = {"request-id": "req_1"} | ({"retry-after": str(turn.error.wait)} if turn.error.wait is not None else {})
    error = {"type": KIND[turn.error.kind], "message": turn.error.message}
    return JSONResponse({"type": "error", "error": error}, STATUS[turn.error.kind], headers)


def streamed(turn: Turn, events: list[Event], *, named: bool) -> Response:
    """Events as they go over the line. A turn that is cut loses its last two."""

    async def lines() -> AsyncIterator[str]:
        await asyncio.sleep(turn.first_event_after)
        for name, data in events[:-2] if turn.error else events:
            yield (f"event: {name}\n" if named else "") + f"data: {json.dumps(data)}\n\n"
        if turn.error and turn.error.kind in STATUS:
            error = {"type": KIND[turn.error.kind], "code": KIND[turn.error.kind], "message": turn.error.message}
            # Anthropic's stream has the error inside an object; OpenAI's Responses has its fields at the top.
            yield f"event: error\ndata: {json.dumps({**error, 'type': 'error', 'error': error, 'param': None})}\n\n"
        if not named and not turn.error:
            yield "data: [DONE]\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream", headers={"request-id": "req_1"})


def calls_of(turn: Turn) -> list[tuple[str, str, str]]:
    """Id, name and written arguments of each call."""
    return [
        (
            call.id or f"call_{number}",
            call.tool,
            json.dumps(call.arguments) if isinstance(call.arguments, dict) else call.arguments,
        )
        for number, call in enumerate(turn.calls)
    ]


def anthropic_events(turn: Turn, model: str, usage: dict[str, Any]) -> list[Event]:
    """A message's events; texts come in two pieces."""
    head = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": model,
        "usage": {**usage, "output_tokens": 1},
    }
    events: list[Event] = [("message_start", {"type": "message_start", "message": head}), ("ping", {"type": "ping"})]
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if turn.thinking:
        deltas = [
            {"type": "thinking_delta", "thinking": turn.thinking},
            {"type": "signature_delta", "signature": "c2ln"},
        ]
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, deltas))
    if turn.text:
        half = len(turn.text) // 2
        pieces = [{"type": "text_delta", "text": piece} for piece in (turn.text[:half], turn.text[half:])]
        blocks.append(({"type": "text", "text": ""}, pieces))
    for call, name, text in calls_of(turn):
        half = len(text) // 2
        parts = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", text[:half], text[half:])]
        blocks.append(({"type": "tool_use", "id": call, "name": name, "input": {}}, parts))
    for index, (block, deltas) in enumerate(blocks):
        events.append(("content_block_start", {"type": "content_block_start", "index": index, "content_block": block}))
        events += [
            ("content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}) for delta in deltas
        ]
        events.append(("content_block_stop", {"type": "content_block_stop", "index": index}))
    reason = turn.stop_reason or ("tool_use" if turn.calls else "end_turn")
    last = {
        "type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": None},
        "usage": {"output_tokens": usage["output_tokens"]},
    }
    return [*events, ("message_delta", last), ("message_stop", {"type": "message_stop"})]


OPENAI_USAGE = {
    "input_tokens": 2600,
    "input_tokens_details": {"cached_tokens": 2000, "cache_write_tokens": 400},
    "output_tokens": 9,
    "output_tokens_details": {"reasoning_tokens": 2},
    "total_tokens": 2609,
}


def responses_events(turn: Turn, model: str) -> list[Event]:
    """A response's events."""
    output: list[dict[str, Any]] = []
    if turn.thinking:
        output.append({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VjcmV0"})
    if turn.text:
        part = {"type": "output_text", "text": turn.text, "annotations": []}
        output.append({"type": "message", "id": "m_1", "role": "assistant", "status": "completed", "content": [part]})
    for call, name, text in calls_of(turn):
        if name == "search_tools":
            found = {
                "type": "tool_search_call",
                "id": f"ts_{call}",
                "call_id": call,
                "execution": "client",
                "status": "completed",
                "arguments": json.loads(text),
            }
        else:
            found = {"type": "function_call", "id": f"fc_{call}", "call_id": call, "name": name, "arguments": text}
        output.append(found)
    response = {
        "id": "resp_1",
        "object": "response",
        "model": model,
        "created_at": 1,
        "output": output,
        "status": "completed",
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    events: list[Event] = [
        ("response.created", {"type": "response.created", "sequence_number": 0, "response": {**response, "output": []}})
    ]
    for index, item in enumerate(output):
        events.append(
            (
                "response.output_item.added",
                {"type": "response.output_item.added", "sequence_number": 1, "output_index": index, "item": item},
            )
        )
    if turn.text:
        events.append(
            (
                "response.output_text.delta",
                {
                    "type": "response.output_text.delta",
                    "sequence_number": 2,
                    "item_id": "m_1",
                    "output_index": 0,
                    "content_index": 0,
                    "delta": turn.text,
                    "logprobs": [],
                },
            )
        )
    done = {"type": "response.completed", "sequence_number": 3, "response": {**response, "usage": OPENAI_USAGE}}
    return [*events, ("response.completed", done)]


def chat_events(turn: Turn, model: str) -> list[Event]:
    """A completion's chunks."""
    head = {"id": "chat_1", "object": "chat.completion.chunk", "created": 1, "model": model}

    def chunk(delta: dict[str, Any], reason: str | None = None) -> Event:
        return "", {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    events = [chunk({"role": "assistant", "content": turn.text})]
    for index, (call, name, text) in enumerate(calls_of(turn)):
        half = len(text) // 2
        events.append(
            chunk(
                {
                    "tool_calls": [
                        {
                            "index": index,
                            "id": call,
                            "type": "function",
                            "function": {"name": name, "arguments": text[:half]},
                        }
                    ]
                }
            )
        )
        events.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": text[half:]}}]}))
    usage = {
        "prompt_tokens": 2006,
        "prompt_tokens_details": {"cached_tokens": 1920},
        "completion_tokens": 9,
        "total_tokens": 2015,
    }
    return [*events, chunk({}, "tool_calls" if turn.calls else "stop"), ("", {**head, "choices": [], "usage": usage})]


@contextlib.contextmanager
def serving() -> Iterator[ModelServer]:
    """A server on a port of its own, for as long as the block lasts."""
    model = ModelServer()
    config = uvicorn.Config(model.app(), port=0, log_level="critical", ws="none", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    model.url = f"http://127.0.0.1:{port}"
    try:
        yield model
    finally:
        server.should_exit = True
        thread.join(10)
