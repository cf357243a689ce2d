"""The accounting of every request of every real log."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from explorer.queries.composition import compose
from explorer.queries.observations import gather
from harness import tokens
from harness.accounting.refit import built_in, refit
from observability.models import Request
from observability.services.imports import import_paths

pytestmark = pytest.mark.django_db


def test_parts_and_residual_are_the_provider_s_total_for_every_request(samples: Path) -> None:
    import_paths([samples])
    requests = list(Request.objects.select_related("run"))
    assert len(requests) > 200
    for request in requests:
        account = compose(request.run, request).account
        assert account.residual is not None
        assert sum(each.count.tokens for each in account.categories) + account.residual == request.context_tokens


def test_growth_of_runs_that_a_fit_did_not_see_is_predicted_within_a_tenth_for_half_of_the_steps(
    samples: Path,
) -> None:
    import_paths([samples / "claude_code"])
    found = refit("claude-3", gather()["claude-3"])
    assert found.observations > 200
    assert found.trial is not None
    assert found.trial.held_out.median < 0.1


def test_growth_is_predicted_within_a_tenth_for_half_of_the_steps_by_the_factors_in_use(samples: Path) -> None:
    import_paths([samples / "claude_code"])
    used = built_in("claude-3", tokens.in_use())
    assert statistics.median(used.error(each) for each in gather()["claude-3"]) < 0.1
