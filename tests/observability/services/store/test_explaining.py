"""The reasons of breaks, from stored events; in whichever order these come, the reasons are the same."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from harness.runlog import AnyEvent, ContextRewritten
from observability.models import Request
from observability.services.events import store_events
from observability.services.imports import import_paths
from tests.explorer.scene import Scene
from tests.rows import all_rows

pytestmark = pytest.mark.django_db


def told(scene: Scene) -> tuple[str, str, str]:
    """Reason, evidence and subject of the only break."""
    scene.store()
    found = Request.objects.get(lost__isnull=False)
    return found.break_reason, found.break_evidence, found.break_subject


def started() -> Scene:
    """A run with two resident tools and a system prompt, whose first request wrote 20,000 tokens."""
    return Scene().resident("Read", "Bash").system("You are careful.").append("user", "Hello").ask(20_000)


def test_a_resident_tool_that_was_added_is_named() -> None:
    scene = started().resident("Read", "Bash", "Edit").append("user", "More")
    assert told(scene.ask(21_000)) == ("tools_changed", "proven", "Edit")


def test_a_definition_that_changed_is_named() -> None:
    scene = started().resident("Read", "Bash", words=50).append("user", "More")
    reason, evidence, subject = told(scene.ask(21_000))
    assert (reason, evidence) == ("tools_changed", "proven")
    assert subject in ("Read", "Bash")


def test_a_block_of_the_system_prompt_that_was_replaced_is_named() -> None:
    scene = started().system("You are bold.").append("user", "More")
    assert told(scene.ask(21_000)) == ("system_changed", "proven", "block 1")


def test_the_same_system_prompt_sent_again_is_no_change() -> None:
    scene = started().system("You are careful.").append("user", "More")
    assert told(scene.ask(21_000)) == ("unexplained", "none", "")


def test_a_request_that_is_no_break_has_no_reason() -> None:
    started().append("user", "More").ask(21_000, read=20_000).store()
    assert not Request.objects.exclude(break_reason="", break_detail="").exists()


def test_a_break_that_turns_out_to_be_none_loses_its_reason() -> None:
    events = started().rewrite("In short.").ask(9_000).events
    rewrite = next(event for event in events if isinstance(event, ContextRewritten))
    store_events([event for event in events if event is not rewrite], source="test")
    assert Request.objects.filter(lost__isnull=False).exists()
    store_events([rewrite], source="test")
    assert not Request.objects.exclude(break_reason="", break_detail="").exists()


@pytest.mark.parametrize("seed", range(6))
def test_no_order_of_import_changes_a_reason(seed: int, db_reset) -> None:
    def events() -> list[AnyEvent]:
        scene = started().system("You are bold.").append("user", "More").ask(21_000)
        scene.resident("Read", "Bash", "Edit").append("user", "And").ask(22_000)
        scene.append("user", "Again").ask(23_000, read=8_000).append("user", "Last").ask(24_000, read=8_000)
        return scene.events

    store_events(events(), source="test")
    before = all_rows()
    assert Request.objects.filter(break_evidence="proven").count() == 2
    db_reset()
    shuffled = events()
    random.Random(seed).shuffle(shuffled)
    for event in shuffled:
        store_events([event], source="test")
    assert all_rows() == before


def test_each_break_of_the_real_logs_has_its_reason(samples: Path) -> None:
    import_paths([samples / "claude_code"])
    broken = Request.objects.filter(lost__isnull=False).order_by("conversation__uid", "ordinal")
    columns = ("conversation__uid", "ordinal", "break_reason", "break_confidence", "break_survived")
    assert [(uid[:8], *rest) for uid, *rest in broken.values_list(*columns)] == [
        ("198393f2", 3, "lifetime", "certain", "nothing"),
        ("198393f2", 4, "lifetime", "certain", "nothing"),
        ("198393f2", 6, "lifetime", "certain", "nothing"),
        ("4931d45a", 25, "lifetime", "certain", "nothing"),
        ("4931d45a", 36, "messages_changed", "likely", "part"),
        ("53ea1606", 31, "messages_changed", "likely", "system"),
        ("ac8a4f1a", 13, "messages_changed", "likely", "system"),
        ("ac8a4f1a", 23, "messages_changed", "likely", "system"),
        ("ac8a4f1a", 29, "messages_changed", "possible", "tail"),
        ("d6e0bada", 3, "prefix_changed", "possible", "system"),
    ]
