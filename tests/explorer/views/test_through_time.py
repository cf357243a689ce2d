from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from observability.models import Run
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db


def page(client: Client, scene: Scene, **query: str | int) -> str:
    response = client.get(f"/conversations/{scene.conversation}/context/", query)
    assert response.status_code == 200
    return response.content.decode()


def test_all_of_the_request_before_is_the_same(client: Client) -> None:
    text = " ".join(page(client, whole().store()).split())
    assert "Since request 2" in text
    assert "All of request 2, the first <b>10,700</b>" in text
    assert ", byte for byte" in text
    assert "Nothing was removed or replaced." in text


def test_a_log_without_a_snapshot_does_not_say_byte_for_byte(client: Client) -> None:
    scene = Scene().append("user", "Hello").ask(50).append("user", "Go on").ask(60).store()
    text = page(client, scene)
    assert "byte for byte" not in text
    assert "The log does not hold all of the system prompt and the resident tools." in text


def test_a_text_that_is_not_in_the_log_is_told_of(client: Client) -> None:
    scene = Scene().resident("Read").system("Be careful.").append("thinking", None).ask(50)
    text = page(client, scene.append("user", "Go on").ask(60).store())
    assert "The log does not hold the text of 1 part among them (thinking)." in text


def test_where_the_prefix_first_differs_is_named(client: Client) -> None:
    scene = Scene().resident("Read").system("Old").ask(100).system("New").ask(100).store()
    assert "“system prompt: block 1” of request 1 stood." in page(client, scene)


def test_a_comparison_lists_each_part_with_its_beginning(client: Client) -> None:
    text = page(client, whole().store(), request=2, against=1)
    assert "Request 2 compared with request 1" in text
    assert "mcp__tickets__assign" in text
    assert "&quot;query&quot;:&quot;assign a ticket&quot;" in text


def test_it_can_be_compared_with_a_later_one(client: Client) -> None:
    assert "Beside request 3" in page(client, whole().store(), request=1, against=3)


@pytest.mark.parametrize("asked", ["99", "0", "-1", "after", "%00", "1" * 30])
def test_a_request_to_compare_with_that_is_not_there_is_not_found(client: Client, asked: str) -> None:
    whole().store()
    assert client.get(f"/conversations/talk/context/?against={asked}").status_code == 404


def test_the_first_request_has_nothing_before_it(client: Client) -> None:
    assert 'id="h-since"' not in page(client, whole().store(), request=1)


def test_a_step_keeps_what_is_open(client: Client) -> None:
    text = page(client, whole().store(), request=2, item="tool:Tool1", against="before")
    assert 'href="?request=3&amp;item=tool%3ATool1&amp;against=before" rel="next"' in text
    assert '<input type="hidden" name="against" value="before">' in text


def test_the_slider_is_a_form_that_works_without_a_script(client: Client) -> None:
    text = page(client, whole().store(), request=2)
    assert '<label for="step">Request</label>' in text
    assert 'type="range" name="request" min="1" max="3" value="2"' in text


def test_a_run_of_one_request_has_no_slider(client: Client) -> None:
    assert 'id="stepper"' not in page(client, Scene().append("user", "Hello").ask(50).store())


def test_epochs_stand_in_the_head_and_in_a_table(client: Client) -> None:
    scene = Scene().append("user", "Hello").ask(900).rewrite("So far.", kind="compaction").ask(100).store()
    text = page(client, scene)
    assert '<a href="#h-epochs">2 of 2</a>' in text
    assert "Epoch 2 begins at request 2" in text
    assert 'id="h-epochs"' in text


def test_between_markers_stands_what_was_read_and_written(client: Client) -> None:
    scene = whole()
    scene.ask(10_900, read=10_800, markers=scene.markers("last system block", "end of this turn")).store()
    text = page(client, scene)
    assert "start → 1" in text
    assert "1 → 2" in text


def test_nothing_of_a_log_becomes_markup_in_a_comparison(client: Client) -> None:
    bad = "<script>alert(1)</script>\x1b"
    scene = Scene().resident("Read").append("user", "Hello").ask(50)
    scene.append("user", bad, label=bad).deferred(bad).ask(90, model=bad)
    text = page(client, scene.store(), against=1)
    assert "<script>alert" not in text
    assert "\x1b" not in text


def test_it_takes_the_same_queries_however_much_changed(client: Client) -> None:
    counts = []
    for length in (10, 20):
        scene = Scene(f"talk {length}").resident("Read").deferred("Fetch").append("user", "Hello").ask(1_000)
        for _ in range(length):
            scene.call("Read", "{}", f"text {length}").rewrite("So far.", kind="compaction").ask(1_000)
        scene.store()
        page(client, scene, against=1)
        with CaptureQueriesContext(connection) as captured:
            page(client, scene, against=1)
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_a_sub_agent_and_its_parent_lead_to_each_other(client: Client) -> None:
    scene = whole().store()
    Scene(run="look/1", kind="sub_agent").resident("Tool1").append("user", "Look").ask(70).store()
    Run.objects.filter(uid="look/1").update(parent_uid="main")
    assert "?run=look%2F1&amp;request=1" in page(client, scene)
    text = page(client, scene, run="look/1")
    assert "Beside its parent" in text
    assert "?run=main&amp;request=" in text


def test_of_many_epochs_those_around_are_listed(client: Client) -> None:
    scene = Scene().append("user", "Hello").ask(900)
    for _ in range(30):
        scene.rewrite("So far.", kind="compaction").ask(100)
    text = page(client, scene.store(), request=15)
    assert "the first and the last of 31." in text
    assert text.count("compaction</td>") == 10
    assert "epoch-starts" not in text
