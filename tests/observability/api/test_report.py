from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from harness.runlog import RequestFinished
from observability.queries.report import DIMENSIONS
from observability.services.events import store_events

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("by", sorted(DIMENSIONS))
def test_its_rows_are_those_of_the_command(client: Client, by: str) -> None:
    usage = {"input_tokens": 100, "cache_read_input_tokens": 900}
    store_events([RequestFinished(id="e1", conversation="c1", run="r1", request="q1", usage=usage)], source="api")
    printed = StringIO()
    call_command("report", "--json", "--by", by, stdout=printed)
    rows = client.get(f"/api/v1/report?by={by}").json()

    assert rows == json.loads(printed.getvalue())
    assert [row["cache_rate"] for row in rows] == [0.9]


def test_another_dimension_is_refused(client: Client) -> None:
    answer = client.get("/api/v1/report?by=mood")

    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith("by: ")
