from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from observability.queries.conversations import COLUMNS, PER_PAGE, SORTS, ConversationList
from tests.factories import AT, a_break, a_conversation, a_project, a_rollup, a_search, a_server_report

pytestmark = pytest.mark.django_db
LIST = "/conversations/"


def page(client: Client, query: str = "") -> ConversationList:
    shown: ConversationList = client.get(f"{LIST}{query}").context["page"]
    return shown


def uids(client: Client, query: str) -> list[str]:
    return [row.uid for row in page(client, query).rows]


def test_it_rejects_post(client: Client) -> None:
    assert client.post(LIST).status_code == 405


def test_without_any_conversation_it_says_how_to_begin(client: Client) -> None:
    assert "No conversation has been read yet" in client.get(LIST).content.decode()


def test_where_nothing_matches_it_offers_to_drop_each_filter(client: Client) -> None:
    a_conversation()
    shown = page(client, "?q=nowhere&with=break&sort=-cost")
    assert shown.loosened == [("the text", "?with=break&sort=-cost"), ("the condition", "?q=nowhere&sort=-cost")]


def test_the_newest_come_first(client: Client) -> None:
    a_conversation(uid="old", started_at=AT - timedelta(days=1))
    a_conversation(uid="new")
    assert uids(client, "") == ["new", "old"]


@pytest.mark.parametrize(
    ("sort", "field"),
    [
        ("requests", "requests"),
        ("prompt", "prompt"),
        ("rate", "rate_ppm"),
        ("breaks", "breaks"),
        ("rebuilt", "rebuilt"),
        ("misses", "misses"),
        ("idle", "idle_raw"),
        ("cost", "cost_pusd"),
    ],
)
def test_it_sorts_by_any_figure_both_ways(client: Client, sort: str, field: str) -> None:
    for value in (2, 3, 1):
        a_conversation(uid=f"c{value}", **{field: value})
    assert uids(client, f"?sort={sort}") == ["c1", "c2", "c3"]
    assert uids(client, f"?sort=-{sort}") == ["c3", "c2", "c1"]


@pytest.mark.parametrize("sort", ["cost", "-cost"])
def test_what_is_unknown_comes_last_in_any_order(client: Client, sort: str) -> None:
    a_conversation(uid="unpriced", cost_pusd=None)
    a_conversation(uid="priced")
    assert uids(client, f"?sort={sort}") == ["priced", "unpriced"]


def test_it_sorts_by_title_and_a_nameless_one_by_its_id(client: Client) -> None:
    a_conversation(uid="b", title="")
    a_conversation(uid="x", title="c")
    a_conversation(uid="y", title="a")
    assert uids(client, "?sort=title") == ["y", "b", "x"]


def test_every_column_that_sorts_is_known() -> None:
    assert {key for key, _, _ in COLUMNS if key} <= set(SORTS)


def test_a_sorted_column_turns_the_order(client: Client) -> None:
    a_conversation()
    cost = page(client, "?sort=-cost").columns[-1]
    assert (cost.order, cost.title, cost.url) == ("descending", "Cost ↓", "?sort=cost")


@pytest.mark.parametrize("query", ["?sort=password", "?page=0", "?page=x", "?page=99999999999999999999", "?with=luck"])
def test_what_is_not_known_is_dropped(client: Client, query: str) -> None:
    a_conversation(uid="here")
    assert uids(client, query) == ["here"]


@pytest.mark.parametrize("text", ["apple", "APPLE", "c-7", "orch"])
def test_text_is_looked_for_in_title_id_and_project(client: Client, text: str) -> None:
    a_conversation(uid="c-7", title="Pick the apples")
    a_conversation(uid="other", title="Mow", project=a_project(key="/x", name="meadow"))
    assert uids(client, f"?q={text}") == ["c-7"]


@pytest.mark.parametrize("text", ["%25", "_", "'", '"', "%00", "\\", "(", "a" * 500])
def test_signs_of_a_query_language_are_only_text(client: Client, text: str) -> None:
    a_conversation(title="Mow")
    assert client.get(f"{LIST}?q={text}x").context["page"].rows == []


def test_it_filters_by_project_agent_and_model(client: Client) -> None:
    garden = a_project(key="/code/garden", name="garden")
    a_conversation(uid="one", project=garden, agent="codex", model="gpt-5")
    a_conversation(uid="two")
    for query in (f"?project={garden.pk}", "?agent=codex", "?model=gpt-5"):
        assert uids(client, query) == ["one"]


@pytest.mark.parametrize(("condition", "field"), [("break", "breaks"), ("miss", "misses"), ("agents", "sub_agents")])
def test_it_filters_by_what_happened(client: Client, condition: str, field: str) -> None:
    a_conversation(uid="yes", **{field: 1})
    a_conversation(uid="no")
    assert uids(client, f"?with={condition}") == ["yes"]


def test_it_filters_by_period(client: Client) -> None:
    a_conversation(uid="new")
    a_conversation(uid="old", started_at=AT - timedelta(days=60), last_at=AT - timedelta(days=60))
    a_rollup()
    assert uids(client, "?window=7d") == ["new"]


def test_links_to_evidence_filter_and_can_be_removed(client: Client) -> None:
    broken, missed, failed = (a_conversation(uid=uid) for uid in ("broken", "missed", "failed"))
    a_break(conversation=broken)
    a_search(conversation=missed)
    a_server_report(conversation=failed)
    assert uids(client, "?reason=tools_changed") == ["broken"]
    assert uids(client, "?missed=prune+a+tree") == ["missed"]
    assert uids(client, "?server=weather") == ["failed"]
    assert [(chip.text, chip.url) for chip in page(client, "?reason=lifetime").chips] == [
        ("Break: Lifetime passed", "?")
    ]


def test_pages_have_links_to_their_neighbours(client: Client) -> None:
    for number in range(PER_PAGE + 1):
        a_conversation(started_at=AT - timedelta(minutes=number))
    first, second = page(client, "?with="), page(client, "?page=2")
    assert (first.next_url, first.previous_url) == ("?page=2", "")
    assert (second.next_url, second.previous_url, len(second.rows)) == ("", "?", 1)


def test_a_page_behind_the_last_shows_the_last(client: Client) -> None:
    a_conversation(uid="only")
    assert uids(client, "?page=7") == ["only"]


def test_the_rate_of_all_is_the_sum_of_reads_over_the_sum_of_prompts(client: Client) -> None:
    a_conversation(read=90, prompt=100)
    a_conversation(read=0, prompt=900)
    a_conversation(read=10**9, prompt=10**9, demo=True)
    assert str(page(client).totals.rate) == "0.09"


def test_demo_conversations_are_marked(client: Client) -> None:
    a_conversation(demo=True)
    assert '<span class="badge soft">demo</span>' in client.get(LIST).content.decode()


def test_a_conversation_without_requests_is_not_unpriced(client: Client) -> None:
    a_conversation(requests=0, cost_pusd=None, prompt=0, read=0, write_5m=0, uncached=0, rate_ppm=None)
    assert page(client).rows[0].cost == "–"


def test_htmx_gets_the_list_without_the_frame(client: Client) -> None:
    a_conversation()
    part = client.get(LIST, headers={"HX-Request": "true"})
    assert part.content.decode().lstrip().startswith('<div id="list">')
    assert "HX-Request" in part.headers["Vary"]


def test_text_of_a_log_never_becomes_markup(client: Client) -> None:
    nasty = "<img src=x onerror=alert(1)>\u202e"
    a_conversation(title=nasty, agent=nasty, model=nasty, project=a_project(key="n", name=nasty))
    shown = client.get(f"{LIST}?q=%3Cimg").content.decode()
    assert "<img" not in shown
    assert "\u202e" not in shown.replace("&#x202e;", "").split("<select", 1)[0]


def test_the_number_of_queries_does_not_grow_with_the_rows(client: Client) -> None:
    def fill(rows: int) -> int:
        for _ in range(rows):
            a_conversation(project=a_project(key=f"/code/{rows}", name=f"{rows}"))
        with CaptureQueriesContext(connection) as queries:
            client.get(LIST)
        return len(queries)

    assert fill(10) == fill(20)


def test_the_cost_of_all_says_what_is_unpriced(client: Client) -> None:
    assert page(client).totals.cost == "–"
    a_conversation(cost_pusd=None, unpriced=3)
    assert page(client).totals.cost == "unpriced"
    a_conversation(cost_pusd=2 * 10**12)
    assert page(client).totals.cost == "$2.00, 3 requests unpriced"
