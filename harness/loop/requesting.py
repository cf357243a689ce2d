"""One request to its end: through the gate, with its events shown, tried again where that may help, and written down."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from harness.errors import CutStream, ProviderError
from harness.loop.fanout import Gate, Pass, Shape
from harness.loop.recording import Recorder
from harness.loop.watching import Watcher
from harness.providers.base import Began, Provider, Reply
from harness.providers.faults import Retrying
from harness.request import Request
from harness.runlog import Convention, RequestFinished

CANCELLED = "cancelled"


class Try(msgspec.Struct, kw_only=True):
    """One try: its key, its place in the run, its times."""

    key: str
    seq: int
    began: datetime
    first: datetime | None = None


class Requesting:
    """Sends the requests of one run. `gate` and `shape` where it is a sub-agent that waits for its siblings.

    `failed` is told the usage of a request that failed and was billed, as one whose answer was cut is.
    """

    def __init__(
        self,
        provider: Provider,
        log: Recorder,
        watcher: Watcher,
        retrying: Retrying,
        gate: Gate | None = None,
        shape: Shape | None = None,
        failed: Callable[[Mapping[str, Any] | None, Convention], object] | None = None,
    ) -> None:
        self._provider, self._log, self._watcher, self._retrying = provider, log, watcher, retrying
        self._gate, self._shape = gate, shape
        self._told = failed or (lambda usage, convention: None)
        self._count = 0

    async def send(self, request: Request) -> tuple[Reply, str]:
        """The reply and the request's key. Raises the ProviderError of the last try."""
        tried = 0
        while True:
            tried += 1
            try:
                return await self._gated(request)
            except ProviderError as error:
                wait = self._retrying.wait(error, tried)
                if wait is None:
                    raise
                self._watcher.trying_again(self._log.run, error, wait)
            await asyncio.sleep(wait)

    async def _gated(self, request: Request) -> tuple[Reply, str]:
        passed = None
        if self._gate is not None and self._shape is not None:
            passed = await self._gate.enter(self._shape)
        try:
            return await self._once(request, passed)
        finally:
            if passed is not None:
                passed.ended()

    async def _once(self, request: Request, passed: Pass | None) -> tuple[Reply, str]:
        self._count += 1
        # The request stands in the order where it was sent; what it brings comes behind.
        seq = self._log.order()
        attempt = Try(key=f"{self._log.run}/{seq}", seq=seq, began=self._log.clock())
        try:
            reply = await self._stream(request, attempt, passed)
        except ProviderError as error:
            self._failed(request, attempt, error)
            raise
        except asyncio.CancelledError:
            self._log.write(self._finished(request, attempt, error=CANCELLED))
            raise
        self._log.write(self._answered(request, attempt, reply))
        return reply, attempt.key

    async def _stream(self, request: Request, attempt: Try, passed: Pass | None) -> Reply:
        reply: Reply | None = None
        async with contextlib.aclosing(self._provider.stream(request)) as events:  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, Began):
                    attempt.first = self._log.clock()
                    if passed is not None:
                        passed.began()
                elif isinstance(event, Reply):
                    reply = event
                self._watcher.event(self._log.run, event)
        if reply is None:
            raise CutStream("the answer has no end")
        return reply

    def _answered(self, request: Request, attempt: Try, reply: Reply) -> RequestFinished:
        event = self._finished(request, attempt, usage=reply.usage, convention=reply.convention)
        event.message_id, event.request_id = reply.message_id, reply.request_id
        event.model = reply.model or event.model
        event.stop_reason, event.diagnosis = reply.stop_reason, reply.diagnosis
        event.output_chars = sum(len(str(block.get("text", ""))) for block in reply.content)
        return event

    def _failed(self, request: Request, attempt: Try, error: ProviderError) -> None:
        convention: Convention = "exclusive" if self._provider.name == "anthropic" else "inclusive"
        event = self._finished(request, attempt, usage=error.usage, convention=convention, error=str(error))
        event.request_id = error.request_id
        self._log.write(event)
        if error.usage is not None:
            self._told(error.usage, convention)

    def _finished(
        self,
        request: Request,
        attempt: Try,
        *,
        usage: dict[str, object] | None = None,
        convention: Convention = "exclusive",
        error: str | None = None,
    ) -> RequestFinished:
        return RequestFinished(
            **self._log.head(attempt.seq, attempt.began),
            request=attempt.key,
            provider=self._provider.name,
            model=request.body["model"],
            ended_at=self._log.clock(),
            first_token_at=attempt.first,
            usage=usage,
            convention=convention,
            markers=[marker.logged() for marker in request.markers],
            error=error,
        )
