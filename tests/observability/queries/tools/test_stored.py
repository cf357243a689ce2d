"""Sums are read again where something was written since, and only then."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from observability.queries.scope import scope_of
from observability.queries.tools.stored import stored
from observability.queries.tools.uses import Wanted
from tests.tool_logs import ToolLog, tool

pytestmark = pytest.mark.django_db


def wanted(agent: str = "") -> Wanted:
    return Wanted(scope_of(window="all", project=""), agent)


def test_a_second_reading_asks_only_whether_something_was_written() -> None:
    ToolLog("a").surface(tool("saw")).requests(1).store()
    asked, first = wanted(), stored(wanted())
    with CaptureQueriesContext(connection) as queries:
        assert stored(asked) is first
    assert len(queries) == 1


def test_what_is_written_is_seen_at_once() -> None:
    ToolLog("a").call("saw").store()
    assert stored(wanted()).called["saw"].calls == 1
    ToolLog("b").call("saw").store()
    assert stored(wanted()).called["saw"].calls == 2


def test_another_question_has_an_answer_of_its_own() -> None:
    ToolLog("a", agent="acme").call("saw").store()
    assert stored(wanted()).called
    assert not stored(wanted("other")).called
