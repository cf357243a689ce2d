from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from observability.models import Conversation
from observability.queries.conversation_page import ConversationPage, conversation_page
from observability.queries.run_timeline import SEQ_BITS, SubAgents
from tests.factories import (
    AT,
    a_break,
    a_conversation,
    a_request,
    a_rewrite,
    a_run,
    a_search,
    a_server_report,
    an_activation,
)

pytestmark = pytest.mark.django_db


def _seq(at: datetime) -> int:
    return int(at.timestamp() * 1000) << SEQ_BITS


def _minute(number: int) -> datetime:
    return AT + timedelta(minutes=number)


def _conversation(requests: int = 4) -> Conversation:
    one = a_conversation()
    a_run(conversation=one, started_at=AT)
    for ordinal in range(1, requests + 1):
        at = _minute(ordinal * 10)
        a_request(conversation=one, ordinal=ordinal, seq=_seq(at), started_at=at)
    return one


def _page(one: Conversation) -> ConversationPage:
    return conversation_page(one.uid)


def test_everything_comes_in_order_with_its_request() -> None:
    one = _conversation()
    a_rewrite(conversation=one, seq=_seq(_minute(35)))
    a_search(conversation=one, seq=_seq(_minute(21)))
    an_activation(conversation=one, seq=_seq(_minute(22)))
    a_server_report(conversation=one, seq=_seq(_minute(5)))
    assert [(entry.kind, entry.request) for entry in _page(one).timeline] == [
        ("start", 1),
        ("servers", 1),
        ("search", 2),
        ("load", 2),
        ("rewrite", 4),
    ]


def test_a_break_stands_at_its_own_request() -> None:
    one = _conversation()
    a_break(conversation=one, ordinal=5, seq=_seq(_minute(50)))
    assert [(entry.kind, entry.request) for entry in _page(one).timeline][-1] == ("break", 5)


def test_what_a_search_loaded_stands_with_the_search() -> None:
    one = _conversation()
    search = a_search(conversation=one, outcome="hit", seq=_seq(_minute(15)))
    an_activation(conversation=one, tool="a", trigger="search", search_key=search.call_key, seq=_seq(_minute(16)))
    entry = _page(one).timeline[-1]
    assert (entry.kind, entry.loaded) == ("search", ("a",))


def test_sub_agents_that_start_together_are_one_entry() -> None:
    one = _conversation()
    for name in "abc":
        a_run(
            conversation=one,
            uid=name,
            kind="sub_agent",
            parent_uid=one.uid,
            profile="explore",
            started_at=_minute(11),
            last_at=_minute(31),
        )
    entry = _page(one).timeline[-1]
    group = entry.detail
    assert isinstance(group, SubAgents)
    assert (entry.request, len(group.runs), group.first, group.last) == (1, 3, 1, 3)


def test_a_run_that_compacts_is_no_sub_agent() -> None:
    one = _conversation()
    a_run(conversation=one, uid="c", kind="compaction", parent_uid=one.uid, started_at=_minute(11))
    assert _page(one).agents == []


def test_a_run_without_requests_links_to_none() -> None:
    one = _conversation(requests=0)
    a_search(conversation=one, seq=5)
    assert {entry.request for entry in _page(one).timeline} == {0}
