"""The cache page's figures: sums over sums, and the same as those of the other pages."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from observability.queries.cache.page import CachePage, cache_page
from observability.queries.overview import overview
from observability.queries.report import report
from observability.queries.scope import scope_of
from tests.factories import AT, a_break, a_conversation, a_project, a_rollup

pytestmark = pytest.mark.django_db


def page(window: str = "7d", *, project: str = "", by: str = "model", reason: str = "") -> CachePage:
    return cache_page(scope_of(window=window, project=project), by=by, reason=reason)


@pytest.fixture
def week() -> None:
    """Two models today, one of them a week before too."""
    a_conversation()
    a_rollup(at=AT, model="claude-opus-5-5", read=900_000, write_5m=90_000, uncached=10_000, hits=9)
    a_rollup(at=AT, model="claude-haiku-5-5", read=100_000, write_5m=90_000, uncached=10_000, hits=5)
    a_rollup(at=AT - timedelta(days=7), model="claude-opus-5-5", read=500_000, write_5m=400_000, uncached=100_000)


@pytest.mark.usefixtures("week")
def test_rates_are_sums_over_sums() -> None:
    assert page().now.rate == Decimal(1_000_000) / 1_200_000
    assert [(group.name, group.sums.rate) for group in page().groups] == [
        ("opus-5-5", Decimal("0.9")),
        ("haiku-5-5", Decimal("0.5")),
    ]


@pytest.mark.usefixtures("week")
def test_shares_stand_against_the_period_before() -> None:
    found = page()
    assert found.write_share == Decimal(180_000) / 1_200_000
    assert found.write_share_before == Decimal("0.4")
    assert (found.reuse_words, found.reuse_before) == ("5.6", "1.3")
    assert (found.hits, found.hit_share, found.hits_before) == (14, Decimal(14) / 20, 0)


@pytest.mark.usefixtures("week")
def test_each_group_has_the_steps_of_the_whole_period() -> None:
    found = page()
    assert {len(each.steps) for each in found.drawn} == {len(found.timeline.steps)}
    assert [len(rates) for _, rates in found.table] == [3]


@pytest.mark.parametrize("by", ["model", "agent", "project", "kind"])
@pytest.mark.usefixtures("week")
def test_the_groups_add_up_to_the_whole(by: str) -> None:
    found = page(by=by)
    assert sum(group.sums.prompt for group in found.groups) == found.now.prompt
    assert sum(group.sums.requests for group in found.groups) == found.now.requests


@pytest.mark.usefixtures("week")
def test_the_figures_are_those_of_the_overview_and_of_the_report() -> None:
    for window in ("7d", "all"):
        scope = scope_of(window=window, project="")
        seen, also = overview(scope), cache_page(scope, by="model", reason="")
        assert (seen.now, seen.before, seen.bill.saved) == (also.now, also.before, also.bill.saved)
    [total] = report("total")
    whole = page("all").now
    assert (total.prompt_tokens, total.requests) == (whole.prompt, whole.requests)
    assert whole.rate is not None
    assert total.cache_rate == pytest.approx(float(whole.rate))


def test_without_any_write_there_is_no_reuse() -> None:
    a_conversation()
    a_rollup(write_5m=0)
    assert (page().reuse, page().reuse_words) == (None, "–")


def test_without_prompt_tokens_no_rate_is_made_up() -> None:
    a_conversation()
    a_rollup(read=0, write_5m=0, uncached=0)
    assert (page().now.rate, page().write_share) == (None, None)


def test_an_unknown_model_is_unpriced() -> None:
    a_conversation()
    a_rollup(model="acme-1", cost_pusd=0, unpriced=10)
    [row] = page().prices
    assert (row.prices, row.pusd, row.unpriced) == (None, None, 10)


def test_prices_are_those_of_the_model() -> None:
    a_conversation()
    a_rollup(model="claude-sonnet-4-5")
    [row] = page().prices
    assert row.cells == [Decimal(3), Decimal("0.3"), Decimal("3.75"), Decimal(6), Decimal(15)]
    assert row.tiers


def test_what_is_not_known_stands_for_the_default() -> None:
    found = page(by="moon", reason="moon")
    assert (found.by, found.reason) == ("model", "")


def test_a_project_is_named_and_leads_to_its_conversations() -> None:
    project = a_project(key="/srv/lantern", name="lantern")
    a_conversation(project=project)
    a_rollup(project=project)
    [group] = page(by="project").groups
    assert group.name == "lantern"
    assert f"project={project.id}" in group.url


def test_breaks_add_up_to_what_the_conversations_lost() -> None:
    talk = a_conversation()
    a_rollup()
    a_break(conversation=talk, reason="lifetime")
    a_break(conversation=talk, reason="tools_changed", rebuilt=2_000, rebuilt_pusd=10**11)
    found = page("all")
    assert (found.broken, found.broken_rebuilt, found.broken_pusd) == (2, 20_000, 6 * 10**11)
