from __future__ import annotations

from typing import Any

import pytest

from explorer.queries.composition import Composition
from observability.models import Block
from tests.explorer.scene import Scene

pytestmark = pytest.mark.django_db


def kinds(now: Composition) -> list[str]:
    return [item.kind for item in now.standing.items]


def test_a_request_holds_what_stood_before_it() -> None:
    scene = Scene().append("user", "Hello").ask(100).append("assistant", "Hi").append("user", "Again").ask(200).store()
    assert kinds(scene.compose(1)) == ["user"]
    assert kinds(scene.compose(2)) == ["user", "assistant", "user"]


def test_a_rewrite_leaves_the_prefix_and_the_summary() -> None:
    scene = Scene().system("Be careful").append("user", "Hello").ask(100).rewrite("So far.").ask(50).store()
    assert kinds(scene.compose(2)) == ["system", "summary"]


@pytest.mark.parametrize("kind", ["trim", "edit"])
def test_a_trim_leaves_the_conversation_standing(kind: str) -> None:
    scene = Scene().append("user", "Hello").ask(100).rewrite("", kind=kind).append("user", "Again").ask(50).store()
    assert "user" in kinds(scene.compose(2))[:1]
    assert scene.compose(2).standing.epoch is None


def test_a_new_system_prompt_ends_the_old_one() -> None:
    scene = Scene().system("Old").ask(100).system("New", "Newer").ask(100).store()
    assert [item.label for item in scene.compose(2).standing.items] == ["block 1", "block 2"]
    assert scene.compose(2).standing.replaced == ["system"]


def test_a_system_prompt_that_is_written_after_the_first_response_holds_for_it_too() -> None:
    scene = Scene().append("user", "Hello").ask(100).system("Be careful").store()
    assert kinds(scene.compose(1)) == ["system", "user"]


@pytest.mark.parametrize("kind", ["user", "context_file"])
def test_what_is_ended_without_a_successor_stands_no_more(kind: Any) -> None:
    scene = Scene().append(kind, "Old").ask(100).ends(kind).ask(50).append(kind, "New").ask(90).store()
    assert [len(kinds(scene.compose(ordinal))) for ordinal in (1, 2, 3)] == [1, 0, 1]


def test_an_instruction_file_that_is_read_later_was_not_there_before() -> None:
    scene = Scene().append("user", "Hello").ask(100).append("context_file", "Rules", label="NOTES.md").ask(200).store()
    assert kinds(scene.compose(1)) == ["user"]


def test_a_result_has_the_name_of_the_tool_that_was_called() -> None:
    scene = Scene().ask(100).call("Read", "{}", "text").ask(200).store()
    assert [item.label for item in scene.compose().standing.items] == ["Read", "Read"]


def test_hidden_thinking_has_the_tokens_that_the_provider_reported() -> None:
    scene = Scene().ask(100, reasoning=70)
    scene.append("thinking", None, hidden_chars=900, request=scene.request).ask(200).store()
    thinking = scene.compose().account.category("thinking")
    assert thinking is not None
    assert (thinking.count.tokens, thinking.count.provenance) == (70, "reported")


def test_tokens_of_a_text_are_counted_once_and_kept() -> None:
    scene = Scene().append("user", "Hello there, world").ask(100).store()
    assert Block.objects.get().tokens is None
    scene.compose()
    assert Block.objects.get().tokens == 4


def test_two_runs_do_not_mix() -> None:
    Scene(run="other", kind="sub_agent").append("user", "Elsewhere").store()
    assert kinds(Scene().append("user", "Here").ask(100).store().compose()) == ["user"]


def test_thinking_without_a_text_is_unknown_and_not_nothing() -> None:
    scene = Scene().ask(100).append("thinking", "").ask(200).store()
    thinking = scene.compose().account.category("thinking")
    assert thinking is not None
    assert (thinking.unknown, thinking.count.provenance) == (1, "unknown")
