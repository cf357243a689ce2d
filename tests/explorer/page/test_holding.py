from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from explorer.page.holding import Holding, note
from explorer.queries.holding import Write
from harness.accounting.holding import Bucket
from observability.models import Run
from tests.explorer.scene import Scene, whole

MAIN, AGENT = Run(kind="main"), Run(kind="sub_agent")


def wrote(*ordinals: int, bucket: Bucket = "write_1h", broke: bool = False) -> list[Write]:
    return [Write(ordinal=ordinal, bucket=bucket, broke=broke) for ordinal in ordinals]


@pytest.mark.parametrize(
    ("writes", "reads", "words"),
    [
        (wrote(1) + wrote(24, broke=True), 49, "written at 1 h on request 1 and again at the break of request 24, read on 49 others"),
        (wrote(1), 1, "written at 1 h on request 1, read on 1 other"),
        (wrote(1), 0, "written at 1 h on request 1"),
        ([], 9, "read on all 9 requests, the first one too"),
        ([], 1, "read on its only request"),
        (wrote(1, bucket="uncached"), 0, "paid in full on request 1"),
        (wrote(1, 2, bucket="uncached"), 3, "paid in full on requests 1 and 2, read on 3 others"),
        (wrote(3, 5, broke=True), 2, "written at 1 h at the breaks of requests 3 and 5, read on 2 others"),
        (wrote(1) + wrote(2, 3, 4, 5, broke=True), 2, "written at 1 h on request 1 and again at 4 breaks, read on 2 others"),
        (wrote(1, 2, 3, 4), 2, "written at 1 h on 4 requests, read on 2 others"),
        (wrote(1) + wrote(9, bucket="write_5m"), 2, "written at 1 h on request 1, written at 5 min on request 9, read on 2 others"),
        ([], 0, "no request reports a prompt"),
    ],
)  # fmt: skip
def test_the_note_says_how_a_schema_would_have_been_charged(writes: list[Write], reads: int, words: str) -> None:
    assert note(MAIN, writes, reads) == f"Were it resident in the main run: {words}."


def test_the_note_of_a_sub_agent_speaks_of_this_run() -> None:
    assert note(AGENT, wrote(1), 2).startswith("Were it resident in this run: ")


def shown(scene: Scene, ordinal: int | None = None) -> Holding:
    found = scene.store().page(ordinal).holding
    assert found is not None
    return found


@pytest.mark.django_db
def test_servers_and_other_tools_add_up_to_the_total() -> None:
    scene = Scene().deferred("A", "B").record("A", "B").ask(5_000).removed("B").deferred("C").record("C")
    found = shown(scene.ask(6_000, read=5_000), 1)
    assert found.total is not None
    assert found.elsewhere_cost is not None
    assert [tool.name for tool in found.elsewhere] == ["C"]
    listed = sum(row.cost.pusd or 0 for row in found.servers if row.cost)
    assert listed + (found.elsewhere_cost.pusd or 0) == found.total.pusd


@pytest.mark.django_db
def test_lines_of_a_formula_add_up() -> None:
    found = shown(whole()).total
    assert found is not None
    assert sum(line.pusd or 0 for line in found.lines) == found.pusd
    assert sum(line.tokens for line in found.lines) == found.tokens


@pytest.mark.django_db
def test_what_was_saved_here_is_schemas_less_lines() -> None:
    found = shown(whole())
    assert found.saved_here == found.schemas_here - found.lines_here > 0


@pytest.mark.django_db
def test_figures_of_the_run_are_the_same_from_each_of_its_requests() -> None:
    scene = whole().store()
    assert shown(scene, 1).total == shown(scene, 3).total


@pytest.mark.django_db
def test_some_requests_without_a_price_are_said() -> None:
    scene = Scene().deferred("A").record("A").ask(5_000).ask(6_000, model="nobody-knows")
    assert shown(scene).unpriced == "1 of 2 requests has no price, and so no money here."
    assert shown(Scene("priced").deferred("A").record("A").ask(5_000)).unpriced == ""


def text(client: Client, scene: Scene) -> str:
    return client.get(f"/conversations/{scene.store().conversation}/context/").content.decode()


@pytest.mark.django_db
def test_the_page_shows_four_figures_and_the_columns(client: Client) -> None:
    page = text(client, whole())
    for words in (
        "Deferral saved, this request",
        "Saved, this run",
        "Cost of searching, this run",
        "Net",
        "Over 3 requests",
    ):
        assert words in page
    assert "Were it resident in the main run: written at 5 min on request 1, read on 2 others." in page


@pytest.mark.django_db
def test_without_a_price_the_page_says_unpriced_and_never_nothing(client: Client) -> None:
    page = text(client, Scene(model="nobody-knows").deferred("A").record("A").ask(5_000))
    saved = page.split("Saved, this run")[1].split("Cost of searching")[0]
    assert "unpriced" in saved
    assert "$0.00" not in saved


@pytest.mark.django_db
def test_where_no_schema_is_known_there_are_no_figures_of_the_run(client: Client) -> None:
    page = text(client, Scene().deferred("Fetch").ask(900))
    assert "Saved, this run" not in page
    assert "schema not in any log" in page


@pytest.mark.django_db
def test_the_page_takes_the_same_queries_for_few_deferred_tools_and_for_many(client: Client) -> None:
    counts = []
    for size in (10, 20):
        names = [f"mcp__s{number}__t" for number in range(size)]
        scene = Scene(f"talk {size}").deferred(*names).record(*names).ask(5_000)
        for name in names:
            scene.search("it", name).ask(5_000, read=5_000)
        text(client, scene)
        with CaptureQueriesContext(connection) as captured:
            text(client, Scene(f"talk {size}"))
        counts.append(len(captured))
    assert counts[0] == counts[1]
