from __future__ import annotations

from pathlib import Path

import pytest

from harness.search.baseline import Baseline
from harness.search.bench import measure, read_sets
from tests.harness.search.tools import OFFICE

PUBLISHED = {"livemcpbench": 0.307, "metatool": 0.539, "seal_tools": 0.828, "bfcl": 0.772}
"""Recall at 5 of the fixed baseline, on the queries given."""


def test_it_knows_no_forms_of_words() -> None:
    baseline = Baseline(OFFICE)
    assert baseline.search("ticket")
    assert baseline.search("ticketing") == []


def test_camel_case_of_a_name_is_split() -> None:
    assert [hit.tool.name for hit in Baseline(OFFICE).search("create")] == ["createTicket"]


def test_it_may_have_no_tools() -> None:
    assert Baseline([]).search("ticket") == []


@pytest.mark.slow
def test_it_reaches_the_published_figures(datasets: Path) -> None:
    reached = {each.set: each.recall_at_5 for each in measure(read_sets(datasets), "all") if each.ranker == "baseline"}
    assert reached == {name: pytest.approx(recall, abs=0.005) for name, recall in PUBLISHED.items()}
