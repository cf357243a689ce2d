from __future__ import annotations

import pytest

from observability.models import Request
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db


def test_a_log_without_a_snapshot_is_said_to_have_none() -> None:
    notice = Scene().append("user", "Hello").ask(9_000).store().page().notice
    assert notice is not None
    assert notice.point == "This log has no snapshot."
    assert "the system prompt and the resident tools" in notice.rest.lower()


def test_only_what_is_missing_is_named() -> None:
    notice = Scene().system("Be careful").ask(9_000).store().page().notice
    assert notice is not None
    assert notice.rest.startswith("The resident tools of this run are not in it.")


def test_a_whole_log_needs_no_notice() -> None:
    assert whole().store().page().notice is None


def test_parts_above_the_total_are_warned_of_with_the_likeliest_part() -> None:
    warning = Scene().append("tool_result", "word " * 2_000, label="Bash").ask(100).store().page().warning
    assert warning is not None
    assert "Tool results: Bash" in warning.rest


def test_the_first_request_is_a_cold_start() -> None:
    assert whole().store().page(1).answer.point.startswith("The run starts here: nothing was in the cache")


def test_a_warm_request_says_how_much_was_read() -> None:
    assert whole().store().page(3).answer.point.startswith("99.1")


def test_a_break_says_what_was_paid_again_and_why() -> None:
    scene = whole().store()
    Request.objects.filter(ordinal=3).update(
        cold=False,
        lost=10_000,
        rebuilt=9_500,
        break_reason="tools_changed",
        break_detail="The definition of Read changed.",
    )
    answer = scene.page(3).answer
    assert answer.point == "9,500 tokens were paid for a second time."
    assert answer.rest == "The definition of Read changed."


def test_a_request_without_a_total_says_so() -> None:
    assert "reported no total" in Scene().append("user", "Hello").ask(0).store().page().answer.point


def test_a_request_that_shrank_without_a_rewrite_is_told_of_from_there_on() -> None:
    scene = Scene().append("user", "Hello").ask(9_000).ask(4_000).ask(4_100).store()
    assert scene.page(1).shrink is None
    for ordinal in (2, 3):
        shrink = scene.page(ordinal).shrink
        assert shrink is not None
        assert shrink.point.startswith("Request 2 was 5,000 tokens smaller than the one before")


def test_a_request_that_is_smaller_after_a_rewrite_needs_no_word() -> None:
    assert Scene().append("user", "Hello").ask(9_000).rewrite("So far.").ask(400).store().page().shrink is None
