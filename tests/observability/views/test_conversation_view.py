from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from observability.figures import GAP
from observability.models import Conversation
from tests.factories import (
    AT,
    a_break,
    a_conversation,
    a_file,
    a_request,
    a_rewrite,
    a_run,
    a_search,
    a_server_report,
    a_sighting,
    a_surface,
    an_activation,
)

pytestmark = pytest.mark.django_db
ODD = "<script>boom()</script>\u202eevil\x1b[31m"


def _conversation(*, requests: int = 3, **given: object) -> Conversation:
    one = a_conversation(**given)
    a_run(conversation=one, started_at=AT)
    _more(one, first=1, last=requests)
    return one


def _more(one: Conversation, *, first: int, last: int) -> None:
    for ordinal in range(first, last + 1):
        a_request(conversation=one, seq=ordinal * 10, ordinal=ordinal)


def _page(client: Client, one: Conversation, query: str = "") -> str:
    answer = client.get(f"/conversations/{one.uid}/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_it_rejects_post(client: Client) -> None:
    assert client.post(f"/conversations/{_conversation().uid}/").status_code == 405


def test_an_unknown_conversation_is_not_found(client: Client) -> None:
    assert client.get("/conversations/nowhere/").status_code == 404


def test_an_unknown_run_is_not_found(client: Client) -> None:
    assert client.get(f"/conversations/{_conversation().uid}/?run=nobody").status_code == 404


@pytest.mark.parametrize("uid", ["a/b", "a b", "ü?#%", "a\nb", "a/context/b", "<script>"])
def test_any_uid_has_an_address(client: Client, uid: str) -> None:
    _conversation(uid=uid)
    answer = client.get(reverse("conversation", args=[uid]))
    assert answer.context["page"].overall.conversation.uid == uid


def test_it_says_what_the_conversation_was(client: Client) -> None:
    one = _conversation(title="Graft the apple", agent_version="2.1.9")
    a_file(conversation=one, request_lines=9)
    text = _page(client, one)
    for fact in ("Graft the apple", "orchard", "2.1.9", "3 requests", "9 log lines"):
        assert fact in text


def test_the_rate_counts_what_was_written(client: Client) -> None:
    assert f"90.0{GAP}%" in _page(client, _conversation())


def test_without_a_price_it_says_unpriced(client: Client) -> None:
    text = _page(client, _conversation())
    assert "unpriced" in text
    assert "0 of 3 requests priced" in text


def test_an_unknown_output_is_not_recorded(client: Client) -> None:
    one = _conversation()
    a_request(conversation=one, seq=40, ordinal=4, output_recorded=False)
    assert "not recorded" in _page(client, one)


def test_a_break_is_listed_with_reason_and_evidence(client: Client) -> None:
    one = _conversation()
    a_break(
        conversation=one, seq=40, ordinal=4, break_evidence="provider", diagnosis="tools_changed", diagnosis_tokens=7
    )
    text = _page(client, one)
    for words in ("Tools changed", "said by the provider", "7 tokens missed", "18,000 tokens paid again"):
        assert words in text


def test_without_a_break_it_says_so(client: Client) -> None:
    assert "None: every request read" in _page(client, _conversation())


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ("hit", "Search found it"),
        ("partial", "Search found a part"),
        ("miss", "Search failed"),
        ("resident", "Search found a resident tool"),
        ("error", "Search failed"),
        ("open", "Search without a result"),
    ],
)
def test_a_search_is_told_in_words(client: Client, outcome: str, words: str) -> None:
    one = _conversation()
    a_search(conversation=one, outcome=outcome, seq=15, query="prune a pear")
    assert f"{words}: “prune a pear”" in _page(client, one)


def test_the_start_tells_the_tools(client: Client) -> None:
    one = _conversation()
    a_surface(conversation=one, seq=1, state="resident", tools=["a", "b"])
    a_surface(conversation=one, seq=1, state="deferred", tools=["c"])
    assert "2 resident, 1 deferred" in _page(client, one)


def test_a_log_without_tools_says_that_it_does_not_tell(client: Client) -> None:
    assert "this log does not say with which tools" in _page(client, _conversation())


def test_another_run_can_be_shown(client: Client) -> None:
    one = _conversation()
    child = a_run(conversation=one, uid="child", kind="sub_agent", profile="explore")
    a_request(conversation=one, run_id=child.id, seq=15, ordinal=1, read=4_321)
    text = _page(client, one, "?run=child")
    assert "Requests of explore" in text
    assert "4,321" in text


def test_inherited_requests_lead_to_their_owner(client: Client) -> None:
    owner, heir = _conversation(title="The first"), _conversation(requests=0)
    a_sighting(conversation=heir, request=a_request(conversation=owner))
    text = _page(client, heir)
    assert "All requests in it belong to another conversation" in text
    assert f'href="/conversations/{owner.uid}/">The first' in text


def test_a_conversation_without_requests_has_a_page(client: Client) -> None:
    assert "No request in this log" in _page(client, a_conversation(idle_raw=None))


def test_the_client_s_sums_stand_beside_what_was_counted(client: Client) -> None:
    one = a_conversation()
    a_run(conversation=one, totals={ODD: {"inputTokens": 77}})
    text = _page(client, one)
    assert "by the client" in text
    assert "77" in text


def test_a_query_that_makes_no_sense_is_passed_over(client: Client) -> None:
    _page(client, _conversation(), "?page=x&sort=%00&dir=&from=9&to=-1&events=99")


def test_text_of_a_log_never_becomes_markup(client: Client) -> None:
    one = _conversation(title=ODD, agent=ODD, agent_version=ODD, model=ODD)
    a_run(conversation=one, uid="child", kind="sub_agent", profile=ODD, title=ODD, started_at=AT)
    a_search(conversation=one, seq=15, query=ODD, outcome="error", error=ODD, missing=[ODD])
    an_activation(conversation=one, seq=16, tool=ODD)
    a_server_report(conversation=one, seq=17, server=ODD, error=ODD)
    a_rewrite(conversation=one, seq=18, kind=ODD, trigger=ODD)
    a_break(conversation=one, seq=40, ordinal=4, reason=ODD, break_evidence=ODD, diagnosis=ODD, model=ODD)
    text = _page(client, one)
    for sign in ("<script>boom", "\u202e", "\x1b"):
        assert sign not in text


def _queries(client: Client, one: Conversation) -> int:
    with CaptureQueriesContext(connection) as queries:
        _page(client, one)
    return len(queries)


def test_twice_as_many_rows_need_no_more_queries(client: Client) -> None:
    one = _conversation(requests=10)
    _fill(one, 10)
    before = _queries(client, one)
    _more(one, first=11, last=20)
    _fill(one, 10)
    assert _queries(client, one) == before


def _fill(one: Conversation, count: int) -> None:
    for number in range(count):
        a_break(conversation=one, seq=1_000 + number, ordinal=100 + number)
        a_search(conversation=one, seq=15 + number)
        an_activation(conversation=one, seq=15 + number)
        a_server_report(conversation=one, seq=15 + number, server=f"server-{number}")
        a_run(conversation=one, kind="sub_agent", uid=f"{one.uid}-{one.runs.count()}")
        a_sighting(conversation=one, request=a_request(conversation=a_conversation()))


def test_a_flag_is_said_at_the_request_and_below_the_table(client: Client) -> None:
    one = a_conversation()
    a_run(conversation=one, started_at=AT)
    a_request(conversation=one, flags="given_buckets assumed_5m")
    text = _page(client, one).replace(GAP, " ")
    assert '<span class="badge soft">5 min assumed</span>' in text
    assert "“5 min assumed”, 1 request of this table: The log does not say how long" in text


def test_the_column_of_resident_tools_is_there_only_where_a_log_tells_of_them(client: Client) -> None:
    one = _conversation()
    assert ">Resident</th>" not in _page(client, one)
    a_surface(conversation=one, seq=1, state="resident", tools=["a"])
    assert ">Resident</th>" in _page(client, one)
