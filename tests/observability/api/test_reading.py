from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from observability.models import Conversation, Project, Request, Run

pytestmark = pytest.mark.django_db
START = datetime(2026, 11, 27, 10, tzinfo=UTC)


def conversation(number: int, **more: Any) -> Conversation:
    """A conversation with its main run; the first of them is the latest."""
    project, _ = Project.objects.get_or_create(id=1, defaults={"key": "/home/ada/shop", "name": "shop"})
    values = {"uid": f"c{number}", "agent": "claude-code", "last_at": START - timedelta(minutes=number), **more}
    made = Conversation.objects.create(id=number, project=project, **values)
    Run.objects.create(id=number, project=project, conversation=made, uid=f"r{number}")
    return made


def request(number: int, of: Conversation, **more: Any) -> Request:
    return Request.objects.create(id=number, project=of.project, conversation=of, run_id=of.id, seq=number, **more)


def keys(client: Client, query: str) -> list[str]:
    return [row["uid"] for row in client.get(f"/api/v1/conversations?{query}").json()["results"]]


def test_conversations_come_latest_first(client: Client) -> None:
    conversation(2), conversation(1)

    assert keys(client, "") == ["c1", "c2"]


def test_a_conversation_shows_its_sums(client: Client) -> None:
    conversation(1, uncached=100, read=300, write_5m=600, cost_pusd=8, requests=2)
    row = client.get("/api/v1/conversations/c1").json()

    assert (row["prompt_tokens"], row["cache_rate"], row["cost_usd"]) == (1000, 0.3, "0.000000000008")
    assert (row["project"], [run["uid"] for run in row["runs"]]) == ("/home/ada/shop", ["r1"])


def test_what_is_not_known_is_null(client: Client) -> None:
    conversation(1)
    row = client.get("/api/v1/conversations/c1").json()

    assert (row["cache_rate"], row["cost_usd"], row["started_at"]) == (None, None, None)


@pytest.mark.parametrize(
    "query",
    ["agent=codex", "search=HOP", "demo=true", "since=2026-11-27T09:59:00Z", "model=gpt-5", "source=codex"],
)
def test_conversations_can_be_filtered(client: Client, query: str) -> None:
    conversation(1, agent="codex", title="Shopping", demo=True, model="gpt-5", source="codex")
    conversation(2)

    assert keys(client, query) == ["c1"]


def test_a_filter_that_cannot_be_read_is_named(client: Client) -> None:
    answer = client.get("/api/v1/conversations?since=yesterday")

    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith("since: ")


def test_pages_are_as_long_as_asked_for(client: Client) -> None:
    for number in range(3):
        conversation(number)

    assert keys(client, "page_size=2&page=2") == ["c2"]


def test_requests_come_in_their_order(client: Client) -> None:
    made = conversation(1)
    request(8, made, read=7, cost_pusd=10**12), request(5, made)
    rows = client.get("/api/v1/conversations/c1/requests").json()["results"]

    assert [row["cache_read"] for row in rows] == [0, 7]
    assert (rows[1]["run"], rows[1]["cost_usd"]) == ("r1", "1")


@pytest.mark.parametrize(
    "path", ["conversations/none", "conversations/none/requests", "nowhere", "conversations?page=9"]
)
def test_what_is_not_there_is_said_in_one_shape(client: Client, path: str) -> None:
    answer = client.get(f"/api/v1/{path}")

    assert answer.status_code == 404
    assert set(answer.json()["error"]) == {"code", "message", "line"}
    assert answer.json()["error"]["code"] == "not_found"


def queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        client.get(path)
    return len(captured)


def test_more_conversations_take_no_more_queries(client: Client) -> None:
    for number in range(10):
        conversation(number)
    ten = queries(client, "/api/v1/conversations")
    for number in range(10, 20):
        conversation(number)

    assert queries(client, "/api/v1/conversations") == ten


def test_more_requests_take_no_more_queries(client: Client) -> None:
    made = conversation(1)
    for number in range(10):
        request(number, made)
    ten = queries(client, "/api/v1/conversations/c1/requests")
    for number in range(10, 20):
        request(number, made)

    assert queries(client, "/api/v1/conversations/c1/requests") == ten


@pytest.mark.parametrize("uid", ["a/b", "a b/ü?#%", "a\nb"])
def test_a_conversation_of_any_uid_has_an_address(client: Client, uid: str) -> None:
    request(8, conversation(1, uid=uid), read=7)

    assert client.get(reverse("api-conversation", args=[uid])).json()["uid"] == uid
    assert client.get(reverse("api-requests", args=[uid])).json()["count"] == 1
