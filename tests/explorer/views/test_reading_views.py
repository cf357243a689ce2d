from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from explorer.queries import finding
from explorer.queries.reading import MOST
from observability.models import ContextItem
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>\x00\x1b[31m\u202e\"'&</mark>"


def page(client: Client, scene: Scene, **query: str | int) -> str:
    response = client.get(f"/conversations/{scene.conversation}/context/", query)
    assert response.status_code == 200
    return response.content.decode()


def as_json(client: Client, scene: Scene, **query: str | int) -> dict[str, Any]:
    response = client.get(f"/conversations/{scene.conversation}/context.json", query)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"
    found: dict[str, Any] = json.loads(response.content)
    return found


def hostile() -> Scene:
    scene = Scene().deferred(f"mcp__x__{HOSTILE}").record(f"mcp__x__{HOSTILE}").resident(HOSTILE, words=3)
    scene.append("context_file", HOSTILE, label=HOSTILE, owner=HOSTILE).append("user", HOSTILE * 9, label=HOSTILE)
    scene.append("context_file", HOSTILE * 2, label=HOSTILE, owner=HOSTILE).ask(200).resident(HOSTILE, words=4)
    return scene.call(HOSTILE, HOSTILE, HOSTILE).ask(300, model=HOSTILE).store()


# The page ----------------------------------------------------------------------


@pytest.mark.parametrize("link", ["kind=user#", "kind=system#", "kind=mcp_tool&amp;label=docs#", "label=ToolSearch#"])
def test_each_row_of_the_table_of_parts_leads_to_its_pieces(client: Client, link: str) -> None:
    assert link in page(client, whole().store())


def test_a_category_opens_to_the_list_of_its_pieces(client: Client) -> None:
    scene = whole().store()
    text = page(client, scene, kind="tool_result")
    assert 'id="h-list"' in text
    for item in ContextItem.objects.filter(kind="tool_result"):
        assert f"item={item.pk}#h-item" in text


@pytest.mark.parametrize("kind", ["media", "nonsense", "<b>"])
def test_a_category_that_is_not_there_leaves_the_page_as_it_is(client: Client, kind: str) -> None:
    assert 'id="h-list"' not in page(client, whole().store(), kind=kind)


def test_a_search_shows_the_find_marked(client: Client) -> None:
    assert "assign <mark>ticket 7</mark> to Ada." in page(client, whole().store(), q="TICKET 7")


def test_a_search_that_stopped_says_so_and_goes_on(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "FINDS", 1)
    text = page(client, whole().store(), q="ticket")
    assert "This is not all of it." in text
    assert "q=ticket&amp;within=request&amp;skip=" in text


def test_a_search_without_a_find_says_so_and_offers_to_look_further(client: Client) -> None:
    text = page(client, whole().store(), q="zebra")
    assert "Nothing in this request holds it." in text
    assert "q=zebra&amp;within=conversation" in text


@pytest.mark.parametrize("query", [{"within": "everywhere"}, {"skip": "-1"}, {"page": "0"}, {"q": "\0"}])
def test_an_address_that_asks_for_nonsense_is_not_found(client: Client, query: dict[str, str]) -> None:
    scene = whole().store()
    assert client.get(f"/conversations/{scene.conversation}/context/", query).status_code == 404


def test_what_changed_is_marked_as_put_in_and_not_by_colour_alone(client: Client) -> None:
    scene = Scene().resident("Read", words=3).ask(100).resident("Read", words=4).ask(120).store()
    text = page(client, scene, item="tool:Read")
    assert '<ins><span class="sr">put in: </span>. Read does thing 3</ins>' in text
    assert "Changed at request" in text


def test_a_long_text_leads_to_all_of_it(client: Client) -> None:
    scene = Scene().append("user", "x" * (MOST + 7)).ask(9_000).store()
    item = ContextItem.objects.get(kind="user")
    assert "7 more follow" in page(client, scene, item=str(item.pk))
    whole_text = client.get(f"/conversations/{scene.conversation}/context.txt", {"item": str(item.pk)})
    assert whole_text.content.decode() == "x" * (MOST + 7)


@pytest.mark.parametrize("within", ["request", "run", "conversation"])
def test_nothing_of_a_log_becomes_markup_in_what_is_found(client: Client, within: str) -> None:
    text = page(client, hostile(), q="script>alert", within=within)
    assert "<mark>script&gt;alert</mark>" in text
    assert "<script>alert" not in text
    assert not {"\x00", "\x1b", "\u202e"} & set(text)


@pytest.mark.parametrize("kind", ["context_file", "builtin_tool", "tool_call", "tool_result", "user"])
def test_nothing_of_a_log_becomes_markup_in_a_list(client: Client, kind: str) -> None:
    text = page(client, hostile(), kind=kind)
    assert "&lt;script&gt;alert" in text
    assert "<script>alert" not in text
    assert not {"\x00", "\x1b", "\u202e"} & set(text)


def test_nothing_of_a_log_becomes_markup_in_a_difference(client: Client) -> None:
    scene = hostile()
    [name] = [each for each in scene.compose().tools if not each.startswith("mcp__")]
    text = page(client, scene, item=f"tool:{name}")
    assert "<ins>" in text
    assert "<script>alert" not in text
    assert not {"\x00", "\x1b", "\u202e"} & set(text)


def test_a_search_and_a_list_take_the_same_queries_for_a_short_conversation_and_a_long_one(client: Client) -> None:
    counts = []
    for length in (10, 20):
        scene = Scene(f"talk {length}").resident("Read").append("user", "Hello").ask(1_000)
        for _ in range(length):
            scene.call("Read", "{}", "text").ask(1_100)
        scene.store()
        page(client, scene, kind="tool_result", q="text", within="request")
        with CaptureQueriesContext(connection) as queries:
            page(client, scene, kind="tool_result", q="text", within="request")
        counts.append(len(queries))
    assert counts[0] == counts[1]


# For programs and the clipboard --------------------------------------------------


def test_the_json_s_sums_are_the_page_s(client: Client) -> None:
    scene = whole().store()
    found, account = as_json(client, scene), scene.compose().account
    assert sum(each["tokens"] for each in found["categories"]) == account.parts.tokens == found["parts"]["tokens"]
    assert found["parts"]["tokens"] + found["residual"] == found["prompt"]["total"] == 10_800


def test_the_json_names_every_piece_that_was_sent(client: Client) -> None:
    scene = whole().store()
    found = as_json(client, scene)
    counts = {each["kind"]: each["number"] for each in found["categories"] if each["kind"] != "index"}
    for kind, number in counts.items():
        assert sum(item["kind"] == kind for item in found["items"]) == number
    assert abs(sum(item["tokens"] for item in found["items"]) - found["parts"]["tokens"]) <= len(found["items"])


def test_each_item_of_the_json_can_be_asked_for(client: Client) -> None:
    scene = whole().store()
    for each in as_json(client, scene)["items"]:
        item = as_json(client, scene, item=each["item"])
        assert (item["item"], item["complete"]) == (each["item"], True)


def test_an_item_s_json_has_its_whole_text_and_the_requests_that_carried_it(client: Client) -> None:
    scene = whole().store()
    item = ContextItem.objects.get(kind="context_file")
    found = as_json(client, scene, item=str(item.pk))
    assert found["text"] == "Keep to the style guide. " * 100
    assert found["requests"] == {"first": 1, "last": 3, "number": 3}


def test_json_escapes_all_that_could_turn_a_terminal_around(client: Client) -> None:
    scene = hostile()
    for item in [*(str(key) for key in ContextItem.objects.values_list("pk", flat=True)), ""]:
        response = client.get(f"/conversations/{scene.conversation}/context.json", {"item": item})
        assert response.status_code == 200
        assert response.content.isascii()
        assert not {0x00, 0x1B} & set(response.content)


def test_plain_text_shows_control_characters_as_signs(client: Client) -> None:
    scene = hostile()
    item = ContextItem.objects.filter(kind="user").latest("seq")
    response = client.get(f"/conversations/{scene.conversation}/context.txt", {"item": str(item.pk)})
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert not {"\x00", "\x1b", "\u202e"} & set(response.content.decode())


@pytest.mark.parametrize(
    "address",
    [
        "nobody/context.json",
        "talk/context.json?request=99",
        "talk/context.json?run=nobody",
        "talk/context.json?item=tool:nothing",
        "talk/context.json?item=999999",
        "talk/context.txt",
        "talk/context.txt?item=-1",
        "talk/context.txt?item=tool:WebFetch",
    ],
)
def test_what_is_not_there_is_not_found(client: Client, address: str) -> None:
    whole().store()
    assert client.get(f"/conversations/{address}").status_code == 404


def test_a_conversation_without_a_request_has_no_document(client: Client) -> None:
    scene = Scene().append("user", "Hello").store()
    assert client.get(f"/conversations/{scene.conversation}/context.json").status_code == 404
