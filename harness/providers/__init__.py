"""Providers: one small protocol, through the official SDKs, and one that follows a script."""

from __future__ import annotations

from harness.providers.anthropic_messages import AnthropicMessages
from harness.providers.base import Began, Calling, Provider, ProviderEvent, Reply, Said, Thought
from harness.providers.faults import Retrying
from harness.providers.openai_chat import OpenAIChat
from harness.providers.openai_responses import OpenAIResponses
from harness.providers.script import Script, Turn, read_script
from harness.providers.scripted import Scripted, usage_of

__all__ = [
    "AnthropicMessages",
    "Began",
    "Calling",
    "OpenAIChat",
    "OpenAIResponses",
    "Provider",
    "ProviderEvent",
    "Reply",
    "Retrying",
    "Said",
    "Script",
    "Scripted",
    "Thought",
    "Turn",
    "read_script",
    "usage_of",
]
