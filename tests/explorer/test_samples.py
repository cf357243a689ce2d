"""The accounting of every request of every real log."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from explorer.queries.composition import compose
from explorer.queries.observations import observations
from harness import tokens
from harness.accounting.fit import Fitted
from observability.models import Request, Run
from observability.services.imports import import_paths

pytestmark = pytest.mark.django_db


def test_parts_and_residual_are_the_provider_s_total_for_every_request(samples: Path) -> None:
    import_paths([samples / "claude_code"])
    requests = list(Request.objects.select_related("run"))
    assert len(requests) > 200
    for request in requests:
        account = compose(request.run, request).account
        assert account.residual is not None
        assert sum(each.count.tokens for each in account.categories) + account.residual == request.context_tokens


def test_growth_is_predicted_within_a_tenth_for_half_of_the_steps(samples: Path) -> None:
    import_paths([samples / "claude_code"])
    model = "claude-opus-4-5"
    used = Fitted(
        text=tokens.factor(model, "text").percent / 100,
        call=tokens.factor(model, "call").percent / 100,
        frame=sum(frame.tokens for frame in tokens.FRAMES.values()),
    )
    every = [each for run in Run.objects.exclude(model="claude-fable-5") for each in observations(run)]
    assert len(every) > 200
    assert statistics.median(used.error(each) for each in every) < 0.1
