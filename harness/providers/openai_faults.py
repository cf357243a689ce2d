"""What both of OpenAI's APIs have in common: the client, and its errors in the tree of this package."""

from __future__ import annotations

from typing import Any

import httpx2
import openai

from harness.errors import ProviderError, Unreachable
from harness.providers import faults

RAISED = (openai.OpenAIError, httpx2.HTTPError, ValueError, LookupError, AttributeError)
"""What a request or an unreadable answer may raise."""


def client_of(base_url: str | None, api_key: str | None, silence: float) -> openai.AsyncOpenAI:
    """A client that never tries again by itself: each try is a request of its own in the run log."""
    timeout = httpx2.Timeout(silence, connect=15.0)
    return openai.AsyncOpenAI(base_url=base_url, api_key=api_key, timeout=timeout, max_retries=0)


def fault(error: Exception, *, began: bool, usage: dict[str, Any] | None) -> ProviderError:
    """The error in the tree of this package."""
    if isinstance(error, ProviderError):
        return error
    if isinstance(error, openai.APIStatusError):
        return faults.fault_of(
            status=error.status_code,
            kind=error.code or error.type,
            message=error.message,
            wait=faults.waiting_time(error.response.headers),
            request_id=error.request_id,
        )
    if isinstance(error, openai.APIError) and not isinstance(error, openai.APIConnectionError):
        found = faults.fault_of(status=None, kind=error.code or error.type, message=error.message)
        found.usage = usage
        return found
    if began or not isinstance(error, openai.OpenAIError | httpx2.HTTPError):
        return faults.cut(usage, str(error) or type(error).__name__)
    return Unreachable(f"no answer: {error.__cause__ or error}"[: faults.LONGEST])
