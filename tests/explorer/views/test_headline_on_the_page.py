"""The headline and what was found, as the page of a context shows them."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"


def page(client: Client, scene: Scene, **query: str | int) -> str:
    response = client.get(f"/conversations/{scene.conversation}/context/", query)
    assert response.status_code == 200
    return response.content.decode()


def grown(requests: int) -> Scene:
    scene = Scene().system("Careful.").resident("Read", *(f"Tool{n}" for n in range(requests))).deferred("Fetch")
    scene.append("user", "Go on")
    for number in range(requests):
        scene.ask(5_000 + 100 * number, read=4_000).call("Read", "{}", "a line\n" * 90)
    return scene.store()


def test_the_idle_cost_stands_above_the_ribbon_and_leads_to_its_parts(client: Client) -> None:
    text = page(client, whole().store())
    assert text.index('href="#h-talk"') < text.index("ribbon-wide") < text.index('id="h-talk"')
    assert "9,988 tokens" in text


def test_a_resumed_conversation_has_no_idle_cost(client: Client) -> None:
    scene = Scene().append("tool_result", "text", call="a").append("user", "Go on").ask(8_000).ask(9_000).store()
    text = page(client, scene)
    assert "resumed, first prompt" in text
    assert "holds earlier messages: no idle cost" in text


def test_a_sub_agent_s_page_says_whose_headline_it_is(client: Client) -> None:
    scene = whole().store()
    Scene(run="helper", kind="sub_agent").append("user", "Look").ask(70).store()
    assert "main run; this page is about another one." in page(client, scene, run="helper")


def test_a_conversation_without_a_main_run_shows_no_headline(client: Client) -> None:
    text = page(client, Scene(run="helper", kind="sub_agent").append("user", "Look").ask(70).store())
    assert 'id="h-talk"' not in text


def test_what_was_found_stands_with_its_figure_its_evidence_and_a_link(client: Client) -> None:
    text = page(client, grown(6))
    assert 'href="?request=6#resident"' in text
    assert "6 resident tools were never called" in text
    assert "Nothing can search the deferred tools" in text


def test_where_the_log_has_no_message_of_the_user_a_request_stands_in_the_place_of_a_turn(client: Client) -> None:
    text = page(client, Scene().ask(1_000).ask(2_400).store())
    assert "at request 2" in text


def test_the_address_of_a_sub_agent_in_a_finding_opens_its_first_request(client: Client) -> None:
    grown(6)
    helper = (
        Scene(run="helper/1 &x", kind="sub_agent").resident("Fetch", "Read").append("user", "Look").ask(900).store()
    )
    main = client.get("/conversations/talk/context/")
    trap = next(each for each in main.context["page"].headline.traps if each.kind == "sub_agents_received")
    opened = client.get("/conversations/talk/context/" + trap.link)
    assert opened.context["page"].at.run.uid == helper.run


def test_nothing_found_is_said(client: Client) -> None:
    assert "None of the usual traps" in page(client, Scene().append("user", "Hi").ask(900).store())


def test_names_from_a_log_do_not_become_markup(client: Client) -> None:
    scene = Scene().resident("Read", HOSTILE).append("user", "Hi")
    for number in range(5):
        scene.ask(900 + number).call("Read", "{}", "x")
    text = page(client, scene.store())
    assert "<script>alert(1)" not in text
    assert "\x1b" not in text


def test_more_requests_and_tools_take_no_more_queries(client: Client) -> None:
    few, many = grown(6), 0
    with CaptureQueriesContext(connection) as queries:
        page(client, few)
    many = len(queries)
    more = Scene("long").system("Careful.").resident("Read", *(f"Tool{n}" for n in range(30))).deferred("Fetch")
    more.append("user", "Go on")
    for number in range(30):
        more.ask(5_000 + 100 * number, read=4_000).call("Read", "{}", f"line {number}\n" * 90)
    page(client, more.store())
    with CaptureQueriesContext(connection) as queries:
        page(client, more)
    assert len(queries) <= many
