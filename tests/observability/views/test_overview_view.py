from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from harness.tokens import estimated, factor
from observability.queries.overview import Overview
from tests.factories import (
    AT,
    MODEL,
    a_break,
    a_conversation,
    a_file,
    a_project,
    a_quarantined_line,
    a_rollup,
    a_search,
    a_server_report,
    an_unknown_record,
)

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def page(client: Client, query: str = "") -> Overview:
    shown: Overview = client.get(f"/{query}").context["page"]
    return shown


def text(client: Client, query: str = "") -> str:
    return client.get(f"/{query}").content.decode().replace("\u00a0", " ")


def test_without_any_data_it_says_how_to_begin(client: Client) -> None:
    assert "No agent log has been read yet" in text(client)


def test_it_rejects_post(client: Client) -> None:
    assert client.post("/").status_code == 405


def test_the_rate_is_the_sum_of_reads_over_the_sum_of_prompts(client: Client) -> None:
    a_conversation()
    a_rollup(read=900, write_5m=100, uncached=0)
    a_rollup(at=AT - timedelta(hours=3), read=0, write_1h=50, write_5m=0, uncached=950)
    assert '<summary>45.0<span class="u">%</span></summary>' in text(client)


def test_old_logs_are_shown_whole_unless_a_period_is_asked_for(client: Client) -> None:
    a_conversation()
    a_rollup()
    a_rollup(at=AT - 90 * DAY)
    assert (page(client).now.requests, page(client, "?window=7d").now.requests) == (20, 10)


def test_a_period_ends_with_the_newest_event(client: Client) -> None:
    a_conversation()
    a_rollup()
    assert page(client, "?window=7d").period == "14 to 20 May 2026"


def test_new_logs_are_shown_by_the_week(client: Client) -> None:
    a_conversation()
    a_rollup(at=timezone.now() - timedelta(hours=2))
    assert page(client).scope.window == "7d"


def test_a_window_that_is_not_known_stands_for_the_usual_one(client: Client) -> None:
    a_conversation()
    a_rollup()
    assert page(client, "?window=century").scope.window == "all"


def test_the_change_is_against_the_period_before(client: Client) -> None:
    a_conversation()
    a_rollup(read=80, write_5m=20, uncached=0)
    a_rollup(at=AT - 7 * DAY, read=90, write_5m=10, uncached=0)
    shown = page(client, "?window=7d")
    assert (shown.change_words, shown.worse) == ("▼ 10.0\u00a0pt", True)
    assert shown.verdict == "Yes, but less than the week before."


def test_without_prompts_the_rate_is_undefined(client: Client) -> None:
    a_conversation()
    a_rollup(read=0, write_5m=0, uncached=0)
    assert "<summary>–</summary>" in text(client)


def test_requests_without_a_time_count_in_the_whole_and_stand_in_no_day(client: Client) -> None:
    a_conversation()
    a_rollup()
    a_rollup(at=AT.replace(year=1970))
    shown = page(client, "?window=all")
    assert (shown.now.requests, len(shown.timeline.steps)) == (20, 1)


def test_a_project_can_be_chosen(client: Client) -> None:
    other = a_project(key="/code/garden", name="garden")
    a_conversation()
    a_rollup()
    a_rollup(project=other, requests=3)
    assert page(client, f"?project={other.pk}").now.requests == 3


@pytest.mark.parametrize("project", ["x", "-1", "9" * 30, "1 or 1=1"])
def test_a_project_that_cannot_be_stands_for_all(client: Client, project: str) -> None:
    a_conversation()
    a_rollup()
    assert page(client, f"?project={project}").scope.project is None


def test_demo_data_stand_in_no_sum_beside_real_data(client: Client) -> None:
    a_break(conversation=a_conversation(demo=True))
    a_rollup(demo=True)
    a_conversation()
    a_rollup(requests=4)
    shown = page(client)
    assert (shown.now.requests, shown.active.conversations, shown.findings) == (4, 1, [])


def test_demo_data_are_shown_and_named_where_there_is_nothing_else(client: Client) -> None:
    a_conversation(demo=True)
    a_rollup(demo=True)
    assert "These are demo conversations" in text(client)
    assert page(client).now.requests == 10


def test_idle_cost_is_the_median_of_conversations_that_were_not_resumed(client: Client) -> None:
    for raw in (10_000, 20_000, 50_000):
        a_conversation(idle_raw=raw)
    a_conversation(idle_raw=1, resumed=True)
    a_conversation(idle_raw=None)
    a_rollup()
    idle = page(client).idle
    assert (idle.tokens, idle.raw, idle.conversations) == (20_000, 20_000, 3)


def test_the_users_own_text_does_not_count_as_idle(client: Client) -> None:
    a_conversation(idle_raw=20_000, idle_user_chars=3_900)
    a_rollup()
    own = estimated(3_900, factor(MODEL, "text"), "text").tokens
    assert own > 500
    assert (page(client).idle.tokens, page(client).idle.own) == (20_000 - own, own)


def test_idle_cost_has_a_price_cold_and_cached(client: Client) -> None:
    a_conversation(idle_raw=1_000_000)
    a_rollup()
    idle = page(client).idle
    assert (idle.cold_pusd, idle.warm_pusd) == (6_250 * 10**9, 500 * 10**9)


def test_breaks_are_grouped_by_reason_and_lead_to_their_evidence(client: Client) -> None:
    for _ in range(2):
        a_break(conversation=a_conversation(breaks=1, rebuilt=18_000))
    a_rollup()
    finding = page(client).findings[0]
    assert finding.title == "Tools changed in 2 conversations"
    assert (finding.cost, finding.why[:36]) == ("$1.00", "2 breaks, 36.0k tokens written again")
    assert len(client.get(finding.url).context["page"].rows) == 2


def test_what_happened_in_one_conversation_leads_to_it(client: Client) -> None:
    a_break(conversation=a_conversation(uid="one"))
    a_rollup()
    assert page(client).findings[0].url == "/conversations/one/"


def test_failed_searches_are_listed_with_how_often(client: Client) -> None:
    conversation = a_conversation(searches=3, misses=2)
    for _ in range(2):
        a_search(conversation=conversation)
    a_search(conversation=conversation, outcome="hit")
    a_rollup()
    (failed,) = page(client).searches
    assert (failed.query, failed.times, failed.conversations) == ("prune a tree", 2, 1)


def test_failed_servers_need_attention(client: Client) -> None:
    a_server_report(conversation=a_conversation())
    a_server_report(conversation=a_conversation(), state="pending", server="slow")
    a_rollup()
    assert [finding.title for finding in page(client).findings] == ["Server weather failed to start"]


def test_lines_that_were_not_read_need_attention(client: Client) -> None:
    a_conversation()
    a_rollup()
    file = a_file()
    a_quarantined_line(file=file)
    an_unknown_record(file=file)
    assert [finding.url for finding in page(client).findings] == ["/sources/#quarantined", "/sources/#unknown"]


def test_where_nothing_needs_attention_it_says_so(client: Client) -> None:
    a_conversation()
    a_rollup()
    assert "<b>Nothing.</b>" in text(client)


def test_text_of_a_log_never_becomes_markup(client: Client) -> None:
    nasty = "<script>alert(1)</script>\x1b[31m"
    conversation = a_conversation(title=nasty, breaks=1, rebuilt=5, project=a_project(key="k", name=nasty))
    a_search(conversation=conversation, query=nasty)
    a_server_report(conversation=conversation, server=nasty)
    a_break(conversation=conversation, reason=nasty)
    a_rollup(model=nasty, unpriced=10, cost_pusd=0)
    shown = text(client)
    assert "<script>alert" not in shown
    assert "\x1b" not in shown


def test_the_number_of_queries_does_not_grow_with_the_data(client: Client) -> None:
    def fill(times: int) -> int:
        for number in range(times):
            conversation = a_conversation(breaks=1, rebuilt=10)
            a_break(conversation=conversation, reason=f"reason {number}")
            a_search(conversation=conversation, query=f"{number}")
            a_server_report(conversation=conversation, server=f"{number}")
            a_rollup(at=AT - number * DAY, model=f"model-{number}-{times}")
        with CaptureQueriesContext(connection) as queries:
            client.get("/?window=all")
        return len(queries)

    assert fill(10) == fill(20)


def test_a_first_prompt_without_the_users_text_is_said_to_be_whole(client: Client) -> None:
    a_conversation(idle_raw=20_000)
    assert "No text of the user stands before it in the log" in text(client)
