"""Providers: one small protocol, through the official SDKs, and one that follows a script.

An SDK takes a second to import, so `open_provider` imports the one that is asked for, and no other.
"""

from __future__ import annotations

from harness.providers.base import Began, Calling, Provider, ProviderEvent, Reply, Said, Thought
from harness.providers.choosing import PROVIDERS, open_provider
from harness.providers.faults import Retrying
from harness.providers.script import Script, Turn, read_script
from harness.providers.scripted import Scripted, usage_of

__all__ = [
    "PROVIDERS",
    "Began",
    "Calling",
    "Provider",
    "ProviderEvent",
    "Reply",
    "Retrying",
    "Said",
    "Script",
    "Scripted",
    "Thought",
    "Turn",
    "open_provider",
    "read_script",
    "usage_of",
]
