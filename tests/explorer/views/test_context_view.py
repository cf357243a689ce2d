from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from observability.models import ContextItem, Request, Run
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>\x00\x1b[31m\u202e\"'&"


def page(client: Client, scene: Scene, **query: str | int) -> str:
    response = client.get(f"/conversations/{scene.conversation}/context/", query)
    assert response.status_code == 200
    return response.content.decode()


def test_it_shows_the_last_request_of_the_main_run(client: Client) -> None:
    assert "Request 3 of 3" in page(client, whole().store())


def test_it_shows_the_request_that_is_asked_for(client: Client) -> None:
    assert "Request 2 of 3" in page(client, whole().store(), request=2)


def test_it_shows_a_sub_agent_s_run(client: Client) -> None:
    scene = whole().store()
    Scene(run="helper/1", kind="sub_agent").append("user", "Look").ask(70).store()
    text = page(client, scene, run="helper/1", request=1)
    assert "Request 1 of 1" in text
    assert "?run=helper%2F1&amp;request=1" in text


@pytest.mark.parametrize(("above", "alarm"), [(1, False), (1_500, True)])
def test_parts_above_the_total_alarm_only_beyond_their_error(client: Client, above: int, alarm: bool) -> None:
    def asks(conversation: str, total: int) -> Scene:
        scene = Scene(conversation).append("tool_result", "word " * 2_000, label="Bash")
        return scene.ask(total).store()

    parts = asks("before", 100).page().now.account.parts.tokens
    text = page(client, asks("talk", parts - above))
    assert f"The parts exceed the total by {above:,} token" in text
    assert ('class="notice bad' in text) is alarm


def test_no_landmark_shares_its_name_with_another(client: Client) -> None:
    scene = whole().store()
    Scene(run="look/1", kind="sub_agent").resident("Tool1").append("user", "Look").ask(70).store()
    Run.objects.filter(uid="look/1").update(parent_uid="main")
    for text in (page(client, scene), client.get("/tokens/").content.decode()):
        names = re.findall(r'aria-labelledby="(h-[^"]+)"', text)
        assert len(names) == len(set(names))


def test_a_run_without_a_reported_prompt_has_no_money_and_says_so(client: Client) -> None:
    scene = Scene().deferred("Fetch").record("Fetch").append("user", "Fetch it").ask(0).store()
    text = page(client, scene)
    assert "$0.00" not in text
    assert "paid in full" not in text
    assert "no request reports a prompt" in text


@pytest.mark.parametrize(
    "address",
    [
        "/conversations/nobody/context/",
        "/conversations/talk/context/?request=99",
        "/conversations/talk/context/?request=0",
        "/conversations/talk/context/?request=many",
        "/conversations/talk/context/?run=nobody",
        "/conversations/talk/context/?run=%00",
        "/conversations/ta%00lk/context/",
    ],
)
def test_what_is_not_there_is_not_found(client: Client, address: str) -> None:
    whole().store()
    assert client.get(address).status_code == 404


def test_a_conversation_without_a_request_says_so(client: Client) -> None:
    assert "This run made no request of its own" in page(client, Scene().append("user", "Hello").store())


def test_an_item_can_be_read(client: Client) -> None:
    scene = whole().store()
    item = ContextItem.objects.get(kind="context_file")
    text = page(client, scene, item=str(item.pk))
    assert "Keep to the style guide." in text
    assert "3 requests of this run" in text


def test_a_tool_s_schema_can_be_read(client: Client) -> None:
    text = page(client, whole().store(), item="tool:mcp__tickets__close")
    assert "&quot;input_schema&quot;" in text


@pytest.mark.parametrize("item", ["999999", "tool:nothing", "-1", "١", "1" * 30, HOSTILE.replace("\x00", "")])
def test_an_item_that_is_not_there_leaves_the_page_as_it_is(client: Client, item: str) -> None:
    assert 'id="h-item"' not in page(client, whole().store(), item=item)


def test_an_item_of_another_run_is_not_shown(client: Client) -> None:
    Scene("other").append("user", "A secret").ask(50).store()
    secret = ContextItem.objects.get(kind="user")
    assert "A secret" not in page(client, whole().store(), item=str(secret.pk))


def test_text_that_was_not_kept_is_said_to_be_missing(client: Client, settings: pytest.FixtureRequest) -> None:
    settings.STORE_TEXT = "none"  # type: ignore[attr-defined]
    scene = whole().store()
    item = ContextItem.objects.get(kind="context_file")
    assert "The text was not kept." in page(client, scene, item=str(item.pk))


def test_nothing_of_a_log_becomes_markup(client: Client) -> None:
    scene = Scene().deferred(f"mcp__x__{HOSTILE}").record(f"mcp__x__{HOSTILE}").resident(HOSTILE)
    scene.append("context_file", HOSTILE, label=HOSTILE, owner=HOSTILE).append("user", HOSTILE * 9, label=HOSTILE)
    scene.ask(200, model=HOSTILE, markers=scene.markers(HOSTILE)).store()
    for item in [*ContextItem.objects.values_list("pk", flat=True), f"tool:{quote(HOSTILE)}"]:
        text = page(client, scene, item=str(item))
        assert "<script>alert" not in text
        assert not {"\x00", "\x1b", "\u202e"} & set(text)


def test_the_page_holds_no_style_or_handler_of_its_own(client: Client) -> None:
    text = page(client, whole().store())
    assert " style=" not in text
    assert " onclick" not in text


def test_each_part_of_the_ribbon_has_a_row_in_the_table(client: Client) -> None:
    text = page(client, whole().store())
    for kind in ("builtin_tool", "mcp_tool", "system", "index", "context_file", "loaded_tool", "user", "tool_result"):
        assert f'id="part-{kind}"' in text


def test_it_takes_the_same_queries_for_a_short_conversation_and_a_long_one(client: Client) -> None:
    counts = []
    for length in (10, 20):
        scene = Scene(f"talk {length}").resident("Read").deferred("Fetch").append("user", "Hello").ask(1_000)
        for _ in range(length):
            scene.call("Read", "{}", f"text {length}").ask(1_000)
        scene.store()
        page(client, scene)
        with CaptureQueriesContext(
            connection,
        ) as captured:
            page(client, scene)
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_a_flag_of_the_counts_is_said_below_them(client: Client) -> None:
    scene = Scene().append("user", "Hello").ask(50).store()
    assert "Records differ." not in page(client, scene)
    Request.objects.update(flags="given_buckets differing_prompt")
    assert "<b>Records differ.</b> Records of this request told of different prompts" in page(client, scene)
