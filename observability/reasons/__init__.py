"""Why a request read less from the cache than it could have: facts in, a reason with its evidence out. Pure."""

from __future__ import annotations

from observability.reasons.facts import Change, Facts, Sent
from observability.reasons.ladder import Reason, reason

__all__ = ["Change", "Facts", "Reason", "Sent", "reason"]
