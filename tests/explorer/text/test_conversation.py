from __future__ import annotations

import re

import pytest

from explorer.page import ContextPage
from explorer.text import Paper
from explorer.text.conversation import before_any_work, in_short, traps
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db


def trapped() -> ContextPage:
    """A run of six requests with two resident tools, one of which was never called."""
    scene = Scene().system("You are careful.").resident("Read", "Write")
    for number in range(6):
        scene.ask(3_000 + number).call("Read", "{}", "text")
    return scene.ask(3_100).store().page()


def test_the_idle_cost_is_the_sum_of_its_lines() -> None:
    lines = before_any_work(whole().store().page(), Paper())
    sizes = [int(re.sub("[^0-9−]", "", line).replace("−", "-")) for line in lines[1:]]
    assert sum(sizes[:-1]) == sizes[-1]


def test_a_run_without_its_first_request_has_no_headline() -> None:
    page = Scene(kind="sub_agent").ask(900).store().page()
    assert in_short(page) == []
    assert before_any_work(page, Paper()) == []


def test_a_trap_is_told_of_with_what_it_comes_to() -> None:
    found = traps(trapped(), Paper(), why=False)
    assert re.fullmatch(r"  · 1 resident tool was never called +\d+ tok ◐", found[1])


def test_detail_says_what_a_trap_rests_on() -> None:
    found = traps(trapped(), Paper(), why=True)
    assert found[2].startswith("      Write, in each of 7 requests")


def test_no_trap_is_told_of_in_detail_only() -> None:
    page = whole().store().page()
    assert traps(page, Paper(), why=False) == []
    assert traps(page, Paper(), why=True) == ["Found here: none of the usual traps."]
