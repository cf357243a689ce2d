"""From what an SDK raises to the tree of this package, and how long to wait before another try."""

from __future__ import annotations

import email.utils
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from harness.errors import CutStream, Faulty, NotAdmitted, Overloaded, ProviderError, Refused, Unreachable

_BY_TYPE: Final[Mapping[str, type[ProviderError]]] = {
    "invalid_request_error": Refused,
    "not_found_error": NotAdmitted,
    "authentication_error": NotAdmitted,
    "permission_error": NotAdmitted,
    "billing_error": NotAdmitted,
    "insufficient_quota": NotAdmitted,
    "rate_limit_error": Overloaded,
    "rate_limit_exceeded": Overloaded,
    "overloaded_error": Overloaded,
    "server_is_overloaded": Overloaded,
    "timeout_error": Faulty,
    "api_error": Faulty,
    "server_error": Faulty,
}
_BY_STATUS: Final[Mapping[int, type[ProviderError]]] = {
    401: NotAdmitted,
    402: NotAdmitted,
    403: NotAdmitted,
    404: NotAdmitted,
    408: Unreachable,
    409: Overloaded,
    425: Overloaded,
    429: Overloaded,
    503: Overloaded,
    529: Overloaded,
}
LONGEST: Final = 500
"""Characters of a provider's message that are kept."""


class Retrying(msgspec.Struct, frozen=True, kw_only=True):
    """When a request is sent again: at most `tries` times in all, after `first` seconds and then twice as long each time.

    A wait that the provider names is kept to, up to `longest` seconds; for a longer one the request fails.
    """

    tries: int = 5
    first: float = 0.5
    longest: float = 60.0

    def wait(self, error: ProviderError, tried: int) -> float | None:
        """Seconds before the next try after so many; None where there is none."""
        if not error.again or tried >= self.tries:
            return None
        if error.wait is not None:
            return error.wait if error.wait <= self.longest else None
        # Siblings that failed together must not come back together.
        return float(min(self.longest, self.first * 2 ** (tried - 1)) * random.uniform(0.75, 1.25))  # noqa: S311


def fault_of(
    *, status: int | None, kind: str | None, message: str, wait: float | None = None, request_id: str | None = None
) -> ProviderError:
    """The error for a status and a type that a provider answered with. The type tells more, so it goes first."""
    found = _BY_TYPE.get(kind or "")
    if found is None:
        found = _BY_STATUS.get(status or 0) or (Faulty if status is None or status >= 500 else Refused)
    name = f"{kind or 'status ' + str(status) if status or kind else 'an error'}: "
    return found(f"{name}{message[:LONGEST]}", wait=wait, request_id=request_id)


def cut(usage: dict[str, Any] | None, why: str = "") -> CutStream:
    """The error for an answer without an end."""
    return CutStream(f"the answer broke off{': ' + why if why else ''}"[:LONGEST], usage=usage)


def waiting_time(headers: Mapping[str, str]) -> float | None:
    """Seconds that a `retry-after` header names, as a number or as a date."""
    said = headers.get("retry-after-ms")
    try:
        if said is not None:
            return max(0.0, float(said) / 1000)
        said = headers.get("retry-after", "")
        return max(0.0, float(said))
    except ValueError:
        return _until(said or "")


def _until(date: str) -> float | None:
    try:
        then = email.utils.parsedate_to_datetime(date)
    except ValueError:
        return None
    if then.tzinfo is None:
        return None
    return max(0.0, (then - datetime.now(UTC)).total_seconds())
