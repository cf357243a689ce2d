from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from observability.models import Project
from observability.queries.tools.asked import SORTS
from observability.queries.tools.page import COLUMNS, PER_PAGE, ToolsPage
from tests.tool_logs import AT, ToolLog, tool

pytestmark = pytest.mark.django_db
TOOLS = "/tools/"
NASTY = "<img src=x onerror=alert(1)>\u202e"


@pytest.fixture
def garden() -> None:
    log = ToolLog("a").surface(tool("saw", words=40, server="shed"), tool("rake"), tool("hoe", "deferred"))
    log.requests(2).call("rake").call("rake", ok=False).search("select:hoe", form="select").store()
    ToolLog("b", project="meadow", agent="other", at=AT + timedelta(days=60)).surface(tool("saw")).requests(1).store()


def page(client: Client, query: str = "") -> ToolsPage:
    shown: ToolsPage = client.get(f"{TOOLS}{query}").context["page"]
    return shown


def names(client: Client, query: str = "") -> list[str]:
    return [row.tool for row in page(client, query).rows]


def test_it_rejects_post(client: Client) -> None:
    assert client.post(TOOLS).status_code == 405


def test_without_any_log_it_says_what_is_missing_and_how_to_get_it(client: Client) -> None:
    text = client.get(TOOLS).content.decode()
    assert "No tool is known yet" in text
    assert "Connect an agent" in text


def test_of_logs_that_list_no_tools_it_says_so_and_counts_the_calls(client: Client) -> None:
    ToolLog("a").call("saw").store()
    shown = page(client)
    assert shown.headline.verdict == "No log of this period says which tools its requests carried."
    assert [row.called.calls for row in shown.rows] == [1]


def test_a_tool_with_a_very_long_name_is_one_tool_when_it_is_called(client: Client) -> None:
    long = "prune_" * 50
    ToolLog("a").surface(tool(long)).requests().call(long).store()
    (row,) = page(client).rows
    assert (row.called.calls, row.resident.requests) == (1, 1)


@pytest.mark.usefixtures("garden")
def test_it_begins_with_the_answer(client: Client) -> None:
    text = client.get(TOOLS).content.decode()
    assert "1 of 2 resident tools was never called." in text
    assert text.index("never called") < text.index('<table class="t"')


@pytest.mark.usefixtures("garden")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?q=SHE", {"saw"}),
        ("?agent=other", {"saw"}),
        ("?server=shed", {"saw"}),
        ("?server=built-in", {"rake", "hoe"}),
        ("?window=7d", {"saw"}),
        ("?show=unused", {"saw"}),
        ("?show=failed", {"rake"}),
        ("?show=missed", {"hoe"}),
        ("?show=often", set()),
    ],
)
def test_it_filters(client: Client, query: str, found: set[str]) -> None:
    assert set(names(client, query)) == found


@pytest.mark.usefixtures("garden")
def test_it_filters_by_project(client: Client) -> None:
    assert names(client, f"?project={Project.objects.get(key='meadow').id}") == ["saw"]


@pytest.mark.usefixtures("garden")
@pytest.mark.parametrize(
    ("sort", "first"), [("name", "hoe"), ("-schema", "saw"), ("-calls", "rake"), ("-missed", "hoe"), ("-tokens", "saw")]
)
def test_it_sorts(client: Client, sort: str, first: str) -> None:
    assert names(client, f"?sort={sort}")[0] == first


@pytest.mark.usefixtures("garden")
@pytest.mark.parametrize("sort", [key for key in SORTS if key != "name"])
def test_every_column_sorts_both_ways(client: Client, sort: str) -> None:
    assert sorted(names(client, f"?sort={sort}")) == sorted(names(client, f"?sort=-{sort}")) == ["hoe", "rake", "saw"]


def test_every_column_that_sorts_is_known() -> None:
    assert {key for key, _, _ in COLUMNS} == set(SORTS)


@pytest.mark.usefixtures("garden")
@pytest.mark.parametrize("query", ["?sort=password", "?page=0", "?page=x", "?page=9999999999999", "?show=luck"])
def test_what_is_not_known_is_dropped(client: Client, query: str) -> None:
    assert len(names(client, query)) == 3


@pytest.mark.usefixtures("garden")
def test_where_nothing_matches_it_offers_to_drop_each_filter(client: Client) -> None:
    assert page(client, "?q=nowhere&show=failed").asked.loosened == [
        ("the text", "?show=failed"),
        ("the condition", "?q=nowhere"),
    ]


def test_pages_have_links_to_their_neighbours(client: Client) -> None:
    log = ToolLog("a")
    log.surface(*(tool(f"t{number:03}") for number in range(PER_PAGE + 1))).requests(1).store()
    first, second = page(client, "?sort=name"), page(client, "?sort=name&page=2")
    assert (first.next_url, first.previous_url) == ("?sort=name&page=2", "")
    assert (second.next_url, len(second.rows)) == ("", 1)


@pytest.mark.usefixtures("garden")
def test_htmx_gets_the_list_without_the_frame(client: Client) -> None:
    part = client.get(TOOLS, headers={"HX-Request": "true"})
    assert part.content.decode().lstrip().startswith('<div id="list">')
    assert "HX-Request" in part.headers["Vary"]


def test_demo_tools_stand_in_no_sum_beside_real_ones(client: Client, garden: None) -> None:
    log = ToolLog("d")
    log.events[0].demo = True
    log.surface(tool("axe")).requests(1).call("axe").store()
    assert "axe" not in names(client)


def test_the_number_of_queries_does_not_grow_with_the_tools(client: Client) -> None:
    def fill(rows: int) -> int:
        log = ToolLog(f"log-{rows}")
        log.surface(*(tool(f"{rows}-{number}", known=bool(number % 3)) for number in range(rows))).requests(1).store()
        client.get(TOOLS)  # counts tokens once
        with CaptureQueriesContext(connection) as queries:
            client.get(TOOLS)
        return len(queries)

    assert fill(10) == fill(20)


def test_text_of_a_log_never_becomes_markup(client: Client) -> None:
    log = ToolLog("a", agent=NASTY, project=NASTY)
    log.surface(tool(NASTY, server=NASTY)).requests(1).call(NASTY).search(NASTY).store()
    for address in (TOOLS, reverse("tool", args=[NASTY])):
        answer = client.get(address)
        assert answer.status_code == 200
        assert "<img" not in answer.content.decode()
        assert "\u202e" not in answer.content.decode().split("<option", 1)[0]


@pytest.mark.usefixtures("garden")
def test_a_tool_shows_the_figures_that_the_list_shows(client: Client) -> None:
    row = next(row for row in page(client).rows if row.tool == "rake")
    assert client.get(reverse("tool", args=["rake"])).context["page"].row == row


@pytest.mark.usefixtures("garden")
def test_a_tool_shows_where_it_was_called_and_what_missed_it(client: Client) -> None:
    rake, hoe = (client.get(reverse("tool", args=[name])).context["page"] for name in ("rake", "hoe"))
    assert [(each.uid, each.calls, each.failed) for each in rake.called_in] == [("a", 2, 1)]
    assert [(each.uid, each.query) for each in hoe.missed_by] == [("a", "select:hoe")]


@pytest.mark.usefixtures("garden")
def test_a_tool_shows_its_definitions_the_latest_first(client: Client) -> None:
    versions = client.get(reverse("tool", args=["saw"])).context["page"].versions
    assert len(versions) == 2
    assert versions[0].first_at > versions[1].first_at
    assert '"name": "saw"' in versions[0].text


@pytest.mark.parametrize("name", ["a/b", "a b/ü?#%", "a\nb", "..", "%2e%2e", "'; DROP TABLE--"])
def test_a_tool_of_any_name_has_an_address(client: Client, name: str) -> None:
    ToolLog("a").surface(tool(name)).requests(1).store()
    assert client.get(reverse("tool", args=[name])).status_code == 200


@pytest.mark.parametrize("name", ["nowhere", "a%00b"])
def test_a_tool_that_nobody_knows_is_not_there(client: Client, name: str) -> None:
    assert client.get(f"{TOOLS}{name}/").status_code == 404
