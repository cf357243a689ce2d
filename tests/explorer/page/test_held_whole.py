from __future__ import annotations

import pytest
from django.test import Client

from explorer.page.held_whole import FEW, LISTED
from explorer.queries.holding import held_back
from observability.models import Run
from tests.explorer.scene import Scene

pytestmark = pytest.mark.django_db


def talk(*names: str, run: str = "run", **more: str) -> Scene:
    return Scene(run=run, **more).deferred(*names).record(*names).append("user", "Hello").ask(5_000)


def agent(uid: str, *names: str) -> Scene:
    return talk(*names, run=uid, kind="sub_agent").ask(6_000, read=5_000).store()


def test_a_conversation_of_one_run_has_no_other_totals_than_the_run() -> None:
    assert talk("A").store().page().whole is None


def test_runs_that_held_nothing_back_are_not_counted() -> None:
    agent("agent")
    assert talk("A").store().page().whole is None


def test_the_totals_are_the_sums_of_the_runs() -> None:
    agent("agent", "A", "B")
    found = talk("A").store().page().whole
    assert found is not None
    alone = [held_back(run) for run in Run.objects.all()]
    assert found.runs == len(found.rows) == 2
    assert found.total.saved == sum(each.saved_pusd or 0 for each in alone)
    assert found.total.net == sum(each.net_pusd or 0 for each in alone)
    assert found.total.requests == 3


def test_the_run_that_is_shown_comes_first_and_the_others_are_linked() -> None:
    agent("agent", "A", "B")
    found = talk("A").store().page().whole
    assert found is not None
    assert [row.query for row in found.rows] == ["", "run=agent"]


def test_a_run_that_cannot_be_known_leaves_the_sum_unknown() -> None:
    Scene(run="agent", kind="sub_agent").deferred("Nowhere").ask(900).store()
    found = talk("A").store().page().whole
    assert found is not None
    assert (found.total.saved, found.total.net) == (None, None)
    assert "net –" in found.said


def test_runs_beyond_the_listed_ones_are_one_row() -> None:
    for number in range(LISTED + 1):
        agent(f"agent-{number}", "A")
    found = talk("A").store().page(totals=True).whole
    assert found is not None
    assert found.rest is not None
    assert (len(found.rows), found.more) == (LISTED, 2)
    assert sum(row.sums.net or 0 for row in found.rows) + (found.rest.net or 0) == found.total.net


def test_the_page_says_the_totals(client: Client) -> None:
    agent("agent", "A", "B")
    scene = talk("A").store()
    found = scene.page().whole
    assert found is not None
    said = client.get(f"/conversations/{scene.conversation}/context/").content.decode()
    assert found.said in said


def test_a_page_sums_over_many_runs_only_when_it_is_asked_to(client: Client) -> None:
    for number in range(FEW):
        agent(f"agent-{number}", "A")
    address = f"/conversations/{talk('A').store().conversation}/context/"
    assert "totals=all#h-tools" in client.get(address).content.decode()
    assert (
        f"{FEW + 1} runs of this conversation held schemas back"
        in client.get(address, {"totals": "all"}).content.decode()
    )
    totals = client.get(address.removesuffix("/") + ".json").json()["deferral"]["over_conversation"]
    assert totals["runs"] == FEW + 1
