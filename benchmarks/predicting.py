"""How well growth between requests is predicted: the figures of `benchmarks.growth`, from what is stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from explorer.queries.composition import compose
from explorer.queries.observations import gather
from harness import tokens
from harness.accounting.fit import Observation
from harness.accounting.refit import built_in, errors, refit
from harness.tokens import Family
from observability.models import Request, Run

LARGE = 500
"""Growths from so many tokens on are also told of by themselves."""


def measure() -> dict[str, Any]:
    """The observations of each family with their errors; the residuals of first requests, and how far they move."""
    drifts = [moved for run in Run.objects.order_by("id") for moved in _drift(run)]
    return {
        "families": {family: _family(family, seen) for family, seen in gather().items() if seen},
        "drift": _figures(drifts),
        "first_requests": list(_firsts()),
    }


def _family(family: Family, seen: Sequence[Observation]) -> dict[str, Any]:
    found, used = refit(family, seen), built_in(family, tokens.in_use())
    large = [each for each in seen if each.reported >= LARGE]
    return {
        "refit": msgspec.to_builtins(found),
        "in_use": _figures([used.error(each) for each in seen]),
        f"in_use_from_{LARGE}_tokens": _figures([used.error(each) for each in large]),
        "by_run": [
            _figures([used.error(each) for each in seen if each.group == group])
            for group in dict.fromkeys(each.group for each in seen)
        ],
    }


def _firsts() -> Iterator[dict[str, Any]]:
    for run in Run.objects.order_by("id"):
        first = Request.objects.filter(conversation_id=run.conversation_id, run=run).order_by("seq").first()
        if first is not None:
            account = compose(run, first).account
            yield {"kind": run.kind, "model": first.model, "total": account.total, "residual": account.residual}


def _drift(run: Run) -> list[float]:
    """How far residuals move from that of the run's first request, as a part of the total.

    The first residual stands for what no log of these versions holds: the system prompt and the tools. It should
    not change until the context is rewritten or shrinks.
    """
    found: list[float] = []
    first, total = None, 0
    for request in Request.objects.filter(conversation_id=run.conversation_id, run=run, chain=0).order_by("seq"):
        if request.context_tokens < total or tokens.family(request.model) != "claude-3":
            break
        total = request.context_tokens
        residual = compose(run, request).account.residual
        if first is None:
            first = residual
        elif residual is not None:
            found.append(abs(residual - first) / total)
    return found


def _figures(found: Sequence[float]) -> dict[str, Any]:
    told = errors(found)
    return {"n": 0} if told is None else {"n": told.number, "median": round(told.median, 3), "p90": round(told.p90, 3)}
