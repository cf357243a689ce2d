from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from django.test import Client

from observability.models import Conversation, Request

pytestmark = pytest.mark.django_db
URL = "/api/v1/events"


def event(number: int, **more: Any) -> dict[str, Any]:
    """A request that read 900 tokens of its 1,000 from the cache."""
    return {
        "v": 1,
        "type": "request.finished",
        "id": f"e{number}",
        "conversation": "c1",
        "run": "r1",
        "at": f"2026-11-27T10:00:{number:02}Z",
        "request": f"q{number}",
        "model": "claude-opus-4-8",
        "usage": {"input_tokens": 100, "cache_read_input_tokens": 900, "output_tokens": 5},
        **more,
    }


def ndjson(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in events)


def send(client: Client, body: bytes, content_type: str = "application/x-ndjson", **headers: str) -> Any:
    return client.post(URL, body, content_type=content_type, headers=headers)


def test_events_are_in_the_database_when_the_answer_comes(client: Client) -> None:
    answer = send(client, ndjson(event(1), event(2)))

    assert answer.status_code == 200
    assert answer.json() == {"events": 2, "new": {"requests": 2, "items": 0, "searches": 0, "activations": 0}}
    assert Request.objects.count() == 2


def test_sending_events_again_changes_nothing(client: Client) -> None:
    send(client, ndjson(event(1), event(2)))
    before = list(Conversation.objects.values())
    answer = send(client, ndjson(event(1), event(2)))

    assert (answer.status_code, answer.json()["new"]["requests"]) == (200, 0)
    assert list(Conversation.objects.values()) == before


def test_a_body_may_be_packed(client: Client) -> None:
    answer = send(client, gzip.compress(ndjson(event(1))), **{"Content-Encoding": "gzip"})

    assert answer.json()["events"] == 1


def test_packed_bodies_may_be_joined(client: Client) -> None:
    body = gzip.compress(ndjson(event(1))) + gzip.compress(ndjson(event(2)))

    assert send(client, body, **{"Content-Encoding": "gzip"}).json()["events"] == 2


def test_blank_lines_are_passed_over(client: Client) -> None:
    assert send(client, b"\n" + ndjson(event(1)) + b" \r\n\n").json()["events"] == 1


def test_an_empty_body_holds_no_events(client: Client) -> None:
    assert send(client, b"").json()["events"] == 0


def test_one_bad_line_keeps_all_out_and_is_named(client: Client) -> None:
    answer = send(client, ndjson(event(1)) + b"\n" + ndjson(event(2, usage=7)))

    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["line"]) == (400, "invalid_event", 3)
    assert "$.usage" in error["message"]
    assert not Request.objects.exists()


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"not json", 400, "invalid_event"),
        (b"\xff\xfe\n", 400, "invalid_event"),
        (b'{"v": 1, "type": "unheard.of"}', 400, "invalid_event"),
        (b"[" * 100_000, 400, "invalid_event"),
    ],
)
def test_what_is_no_event_is_refused_in_one_shape(client: Client, body: bytes, status: int, code: str) -> None:
    answer = send(client, body)

    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"code", "message", "line"}
    assert answer.json()["error"]["code"] == code


@pytest.mark.parametrize(
    ("odd", "named"),
    [
        ({"at": "9999-12-31T23:59:59Z"}, "$.at"),
        ({"at": "0001-01-01T00:00:00+23:00"}, "$.at"),
        ({"ended_at": "2026-11-27T10:00:00"}, "$.ended_at"),
        ({"usage": {"input_tokens": -5}}, "$.usage.input_tokens"),
        ({"usage": {"cache_read_input_tokens": "5"}}, "$.usage.cache_read_input_tokens"),
        ({"usage": {"prompt_tokens_details": {"cached_tokens": 1.5}}}, "$.usage.cached_tokens"),
        ({"usage": {"iterations": 7}}, "$.usage.iterations"),
        ({"type": "run.finished", "totals": json.loads('{"a":' * 200 + "1" + "}" * 200)}, "$.totals"),
    ],
)
def test_values_that_cannot_be_stored_are_refused_by_name(client: Client, odd: dict[str, Any], named: str) -> None:
    answer = send(client, ndjson(event(1), {**event(2), **odd}))

    assert (answer.status_code, answer.json()["error"]["line"]) == (400, 2)
    assert f"`{named}`" in answer.json()["error"]["message"]
    assert not Request.objects.exists()


def test_a_known_request_with_other_counts_is_flagged_and_the_larger_stand(client: Client) -> None:
    for number, uncached in enumerate((9, 10, 8)):
        send(client, ndjson(event(number, request="q", usage=None, buckets={"uncached": uncached, "read": 5})))

    request = Request.objects.get()
    assert (request.uncached, request.read, request.flags) == (10, 5, "given_buckets differing_prompt")


def test_a_usage_object_beside_its_buckets_is_no_other_prompt(client: Client) -> None:
    send(client, ndjson(event(1, usage={"input_tokens": 9}, buckets={"uncached": 9})))
    send(client, ndjson(event(1, usage={"input_tokens": 9}, buckets={"uncached": 9})))

    assert Request.objects.get().flags == "given_buckets"


def test_a_body_over_the_limit_is_refused(client: Client, settings: Any) -> None:
    settings.MAX_BODY = 1000
    answer = send(client, b" " * 1001)

    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


def test_a_small_body_that_unpacks_to_a_huge_one_is_refused(client: Client, settings: Any) -> None:
    settings.MAX_BODY = 100_000
    answer = send(client, gzip.compress(b" " * 10_000_000), **{"Content-Encoding": "gzip"})

    assert answer.status_code == 413


@pytest.mark.parametrize("body", [b"not gzip", gzip.compress(b"\n" * 999)[:-9]])
def test_a_body_that_cannot_be_unpacked_is_refused(client: Client, body: bytes) -> None:
    answer = send(client, body, **{"Content-Encoding": "gzip"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unreadable")


def test_another_packing_is_refused(client: Client) -> None:
    assert send(client, ndjson(event(1)), **{"Content-Encoding": "br"}).status_code == 415


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_what_a_form_can_send_is_refused(client: Client, content_type: str) -> None:
    answer = send(client, ndjson(event(1)), content_type)

    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media_type")
    assert not Request.objects.exists()


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://evil.example"}])
def test_another_sites_page_cannot_write(client: Client, headers: dict[str, str]) -> None:
    assert send(client, ndjson(event(1)), **headers).status_code == 403
    assert not Request.objects.exists()


def test_events_are_only_taken_not_given(client: Client) -> None:
    answer = client.get(URL)

    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method_not_allowed")


def test_a_title_of_blanks_is_none(client: Client) -> None:
    send(client, ndjson(event(1, type="run.started", title=" \n\t ")))

    assert str(Conversation.objects.get()) == Conversation.objects.get().uid
