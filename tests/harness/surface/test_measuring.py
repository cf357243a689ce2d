from __future__ import annotations

from pathlib import Path

import pytest

from harness import tokens, wire
from harness.catalogue import OWN, Catalogue, read_catalogue
from harness.modes import PLAN
from harness.surface.measuring import Measurement, measure
from tests.harness.surface.building import CATALOGUE, FOREIGN


@pytest.fixture(scope="module")
def real(datasets: Path) -> Measurement:
    catalogue = OWN
    for name in ("github", "memory"):
        catalogue |= read_catalogue(datasets / "mcp_catalogues" / f"{name}_tools.json")
    return measure(catalogue)


def test_on_126_real_tools_four_fifths_are_saved_with_two_dozen_residents(real: Measurement) -> None:
    """C1."""
    assert real.deferred == 126
    assert 20 <= real.resident < 30
    assert real.saved_share >= 0.78


def test_the_index_names_126_tools_in_a_few_hundred_tokens(real: Measurement) -> None:
    """C1."""
    assert 126 <= real.index_tokens < 600


def test_the_tools_of_the_harness_count_on_both_sides(real: Measurement) -> None:
    assert real.before_tokens > 26_001 + 2_000
    assert real.after_tokens == real.resident_tokens + real.index_tokens


def test_each_held_back_schema_has_its_cost_the_dearest_first(real: Measurement) -> None:
    costs = [each.held_back_tokens for each in real.held_back]
    assert len(costs) == real.deferred
    assert costs == sorted(costs, reverse=True)
    assert real.held_back[0].name == "projects_write"


def test_the_cost_of_a_schema_is_what_is_sent_of_it() -> None:
    held_back = next(each for each in measure(CATALOGUE).held_back if each.name == "sync")
    assert held_back.schema_tokens == tokens.count(wire.dumps(FOREIGN["sync"].definition()).decode())
    assert (held_back.index_tokens, held_back.server, held_back.group) == (1, "tracker", "Tracker")


def test_what_a_mode_denies_is_on_neither_side() -> None:
    found = measure(CATALOGUE, PLAN)
    admitted = Catalogue(tool for name, tool in CATALOGUE.items() if name not in denied())
    assert found.before_tokens == measure(admitted, PLAN).before_tokens
    assert {each.name for each in found.held_back}.isdisjoint(denied())


def denied() -> set[str]:
    return {"write", "edit", "edit_many", "move", "delete", "bash", "bash_output", "bash_stop", "sync", "finish"} | {
        name for name in CATALOGUE if name.startswith(("add_", "browser_", "memory_save", "memory_forget"))
    }


def test_of_nothing_nothing_is_saved() -> None:
    assert measure(Catalogue()).saved_share == 0.0


def test_the_page_has_the_figures_that_are_measured(real: Measurement) -> None:
    page = (Path(__file__).parents[3] / "docs" / "tools.md").read_text()
    for figure in (real.before_tokens, real.after_tokens, real.resident_tokens, real.index_tokens):
        assert f" {figure:,}" in page
    assert f"| {real.saved_share:.1%} |" in page
