"""What the loop asks of a provider: one request in, events out, the last of which is the whole reply."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Protocol

import msgspec

from harness.request import Request
from harness.runlog import CacheDiagnosis, Convention


class Began(msgspec.Struct, frozen=True, kw_only=True):
    """The answer has begun: what its request wrote to the cache can be read from now on."""


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """More of the text that is for the user."""

    text: str


class Thought(msgspec.Struct, frozen=True, kw_only=True):
    """More of the thinking, where the provider shows it."""

    text: str


class Calling(msgspec.Struct, frozen=True, kw_only=True):
    """The model has begun to write a call. Its arguments are in the reply."""

    call: str
    name: str


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The whole reply. `content` holds blocks in Anthropic's form.

    `usage` is the object as the provider reported it, None where it gave none; `convention` says
    whether its input count holds cached tokens. `diagnosis`: why less was read from the cache than the
    request before had left there, where the provider says so. `unreadable` has the arguments that are no JSON
    object, by call; in `content` they are empty.
    """

    content: list[dict[str, Any]]
    usage: dict[str, Any] | None
    convention: Convention
    stop_reason: str | None = None
    model: str | None = None
    message_id: str | None = None
    request_id: str | None = None
    unreadable: dict[str, str] = msgspec.field(default_factory=dict)
    diagnosis: CacheDiagnosis | None = None


ProviderEvent = Began | Said | Thought | Calling | Reply
"""`Began` comes first, `Reply` last, each once."""


class Provider(Protocol):
    """Where requests go. `name` is the one that the request's strategies and the cache's rules go by."""

    @property
    def name(self) -> str:
        """Such as `anthropic` or `openai`."""

    def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        """Send a request. Raises a ProviderError where the reply does not come to its end."""

    def child(self, profile: str, task: str) -> Provider:
        """The provider for a sub-agent's requests."""

    async def close(self) -> None:
        """Let go of connections."""


def arguments_of(text: str) -> dict[str, Any] | None:
    """The arguments that a model wrote; None where they are no JSON object. An empty text is an empty object."""
    try:
        found = msgspec.json.decode(text or "{}")
    except msgspec.DecodeError:
        return None
    return found if isinstance(found, dict) else None
