"""Providers by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from harness.errors import CommandError
from harness.extras import part
from harness.providers.base import Provider


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """A provider that can be chosen: where its class is, and the environment's variables with its key and address."""

    place: str
    key: str
    address: str
    model: str
    """The model where none is named; empty where only the user can know."""
    extra: str = "openai"
    """What installs its SDK."""


PROVIDERS: Final[Mapping[str, Choice]] = {
    "anthropic": Choice(
        place="harness.providers.anthropic_messages:AnthropicMessages",
        key="ANTHROPIC_API_KEY",
        address="ANTHROPIC_BASE_URL",
        model="claude-opus-5-5",
        extra="anthropic",
    ),
    "openai": Choice(
        place="harness.providers.openai_responses:OpenAIResponses",
        key="OPENAI_API_KEY",
        address="OPENAI_BASE_URL",
        model="gpt-5.6",
    ),
    "compatible": Choice(
        place="harness.providers.openai_chat:OpenAIChat", key="OPENAI_API_KEY", address="OPENAI_BASE_URL", model=""
    ),
}
"""`compatible`: any server that speaks Chat Completions."""


def open_provider(
    name: str, environment: Mapping[str, str], *, base_url: str | None = None, silence: float = 180.0
) -> Provider:
    """A provider with its key and address from the environment. Raises CommandError that says what is missing."""
    choice = PROVIDERS[name]
    address = base_url or environment.get(choice.address) or None
    key = environment.get(choice.key) or None
    if name == "compatible" and address is None:
        raise CommandError(f"a compatible server needs its address: --base-url or {choice.address}")
    if key is None and name != "compatible":
        raise CommandError(f"{name} needs a key in {choice.key}")
    made: Provider = part(choice.place, extra=choice.extra)(base_url=address, api_key=key, silence=silence)
    return made
