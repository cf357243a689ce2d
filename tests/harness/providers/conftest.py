"""A server for the providers' tests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from harness.providers.base import Provider, ProviderEvent, Reply
from harness.request import Assembly, Request
from harness.surface import resolve
from tests.harness.model_server import ModelServer, serving
from tests.harness.runs import MODEL, TICKETS


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with serving() as server:
        yield server


@pytest.fixture
def model(server: ModelServer) -> ModelServer:
    server.bodies.clear()
    server.headers.clear()
    server.raw.clear()
    return server


def request(provider: str = "anthropic", model: str = MODEL, **more: Any) -> Request:
    """A request that says hello."""
    assembly = Assembly(resolve(TICKETS), model=model, provider=provider, system=["Be brief. " * 500], **more)
    assembly.append({"role": "user", "content": "Hello."})
    return assembly.build()


def events_of(provider: Provider, sent: Request) -> list[ProviderEvent]:
    """All events of one reply."""

    async def gather() -> list[ProviderEvent]:
        try:
            return [event async for event in provider.stream(sent)]
        finally:
            await provider.close()

    return asyncio.run(gather())


def reply_of(provider: Provider, sent: Request) -> Reply:
    """The whole reply, which is the last event."""
    last = events_of(provider, sent)[-1]
    assert isinstance(last, Reply)
    return last
