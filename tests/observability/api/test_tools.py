from __future__ import annotations

import pytest
from django.test import Client

from observability.models import Project
from observability.queries.tools.asked import asked_for
from observability.queries.tools.page import tools_page
from tests.tool_logs import ToolLog, tool

pytestmark = pytest.mark.django_db
TOOLS = "/api/v1/tools"


@pytest.fixture
def garden() -> None:
    ToolLog("a").surface(tool("saw", server="shed"), tool("rake", "deferred")).requests(2).call("saw", ok=False).store()
    ToolLog("b", project="meadow", agent="other").surface(tool("hoe")).requests(1, model="acme-coder-2").store()


def names(client: Client, query: str = "") -> list[str]:
    return [row["name"] for row in client.get(f"{TOOLS}?{query}").json()]


@pytest.mark.usefixtures("garden")
def test_the_figures_are_those_of_the_page(client: Client) -> None:
    shown = tools_page(asked_for({})).rows
    given = client.get(TOOLS).json()
    pairs = [(row["name"], row["tokens"], row["resident"]["requests"], row["calls"]) for row in given]
    assert pairs == [(row.tool, row.tokens, row.resident.requests, row.called.calls) for row in shown]


@pytest.mark.usefixtures("garden")
def test_what_has_no_price_is_null(client: Client) -> None:
    costs = {row["name"]: row["cost_usd"] for row in client.get(TOOLS).json()}
    assert costs["hoe"] is None
    assert costs["saw"].startswith("0.0000")


@pytest.mark.usefixtures("garden")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("agent=other", ["hoe"]),
        ("server=shed", ["saw"]),
        ("search=RAK", ["rake"]),
        ("show=failed", ["saw"]),
        ("show=unused", ["hoe"]),
        ("project=nowhere", []),
    ],
)
def test_tools_can_be_filtered(client: Client, query: str, found: list[str]) -> None:
    assert names(client, query) == found


@pytest.mark.usefixtures("garden")
def test_a_project_is_named_by_its_key(client: Client) -> None:
    assert names(client, f"project={Project.objects.get(key='meadow').key}") == ["hoe"]


@pytest.mark.parametrize("query", ["window=ever", "show=luck"])
def test_a_filter_that_cannot_be_read_is_named(client: Client, query: str) -> None:
    answer = client.get(f"{TOOLS}?{query}")
    assert (answer.status_code, answer.json()["error"]["message"].split(":")[0]) == (400, query.split("=")[0])
