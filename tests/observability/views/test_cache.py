"""The cache page over HTTP."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.factories import AT, a_break, a_conversation, a_project, a_rollup

pytestmark = pytest.mark.django_db
QUERIES = 17


def fill(number: int) -> None:
    for each in range(number):
        project = a_project(key=f"/srv/p{each}")
        talk = a_conversation(uid=f"talk-{each}", project=project)
        a_break(conversation=talk, break_subject="Read" if each % 2 else "")
        a_rollup(at=AT, project=project, model=f"claude-opus-4-{each % 3}")


def test_with_nothing_read_it_says_how_to_begin(client: Client) -> None:
    assert "observability/empty.html" in [template.name for template in client.get("/cache/").templates]


@pytest.mark.parametrize("by", ["model", "agent", "project", "kind"])
def test_the_number_of_queries_does_not_grow(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries, by: str
) -> None:
    fill(30)
    with django_assert_max_num_queries(QUERIES):
        response = client.get(f"/cache/?by={by}&window=all")
    assert response.status_code == 200


@pytest.mark.parametrize(
    "query", ["by=moon", "window=moon", "project=abc", "reason=%00", "project=99999999999999999999", "by=" + "x" * 999]
)
def test_an_address_that_makes_no_sense_gives_a_page(client: Client, query: str) -> None:
    fill(2)
    assert client.get(f"/cache/?{query}").status_code == 200


def test_what_a_log_says_is_never_markup(client: Client) -> None:
    talk = a_conversation(title="<script>alert(1)</script>")
    a_break(conversation=talk, break_detail="<script>alert(2)</script>", break_subject="<b>x</b>")
    a_rollup(model="<script>alert(3)</script>", agent="<i>")
    for by in ("model", "agent"):
        text = client.get(f"/cache/?window=all&by={by}").content.decode()
        assert "<script>alert" not in text
        assert "<b>x</b>" not in text


def test_a_choice_is_kept_when_the_period_changes(client: Client) -> None:
    fill(2)
    text = client.get("/cache/?by=agent&window=all&reason=tools_changed").content.decode()
    assert "?window=7d&amp;by=agent&amp;reason=tools_changed" in text
