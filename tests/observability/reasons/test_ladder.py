"""Which reason a break gets: the first evidence that agrees with what was still read."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from observability.enums import BreakReason, Confidence, Evidence, Survived
from observability.reasons import Change, Facts, Sent, reason

START = datetime(2026, 11, 1, tzinfo=UTC)
FIRST = Sent(ordinal=1, at=START, model="m", version="1", write_1h=8_000, write_5m=20_000)
BEFORE = Sent(ordinal=2, at=START, model="m", version="1", read=28_000, write_5m=2_000)
TOOLS = Change("tools", "Read", "the definition of Read changed")
SYSTEM = Change("system", "block 1", "the system prompt, block 1, was replaced")


def facts(*, read: int = 0, after: float = 10, **more: object) -> Facts:
    """A break after so many seconds; tools and system prompt end at 8,000."""
    now = {"model": "m", "version": "1", "write_5m": 30_000 - read, **{k: more.pop(k) for k in NOW if k in more}}
    sent = Sent(ordinal=3, at=START + timedelta(seconds=after), read=read, **now)
    return Facts(now=sent, before=BEFORE, earlier=(FIRST, BEFORE), ends=(8_000,), **more)


NOW = ("model", "version", "diagnosis", "uncached", "write_5m")


def test_the_provider_s_own_reason_comes_first() -> None:
    found = reason(facts(after=900, model="other", diagnosis="tools_changed", changes=(TOOLS,)))
    assert (found.reason, found.evidence, found.confidence) == ("tools_changed", "provider", "certain")
    assert found.subject == "Read"
    assert found.detail == "The provider says tools_changed; the definition of Read changed."


@pytest.mark.parametrize("said", ["unavailable", "moon"])
def test_a_provider_that_does_not_say_is_passed_over(said: str) -> None:
    assert reason(facts(diagnosis=said, changes=(TOOLS,))).evidence == Evidence.PROVEN


def test_a_proven_difference_comes_before_a_pause() -> None:
    found = reason(facts(after=7_300, changes=(SYSTEM,)))
    assert (found.reason, found.evidence, found.subject) == ("system_changed", "proven", "block 1")


def test_a_change_of_the_tools_is_no_reason_where_the_tools_were_read() -> None:
    found = reason(facts(read=8_000, changes=(TOOLS,)))
    assert (found.reason, found.evidence) == ("messages_changed", "survived")


def test_several_changes_are_counted() -> None:
    assert "and 1 more" in reason(facts(changes=(TOOLS, SYSTEM))).detail


def test_another_model_has_a_cache_of_its_own() -> None:
    found = reason(facts(model="other"))
    assert (found.reason, found.evidence, found.subject) == ("model_changed", "rule", "m to other")


def test_after_six_minutes_the_tail_is_gone_and_the_prefix_of_an_hour_is_read() -> None:
    found = reason(facts(read=8_000, after=360))
    assert (found.reason, found.confidence, found.survived) == ("lifetime", "certain", "system")
    assert found.detail.startswith("6 min 0 s after the request before it; what was lost is kept for 5 min")


def test_after_six_minutes_a_prefix_of_an_hour_is_not_lost_by_its_lifetime() -> None:
    assert reason(facts(after=360)).reason == BreakReason.UNEXPLAINED


def test_after_an_hour_all_is_gone() -> None:
    found = reason(facts(after=3_601))
    assert found.reason == "lifetime"
    assert "the longest entry is kept for 1 h" in found.detail


@pytest.mark.parametrize("after", [290, 300])
def test_up_to_five_minutes_nothing_has_outlived_its_lifetime(after: float) -> None:
    assert reason(facts(read=8_000, after=after)).reason == "messages_changed"


def test_how_long_a_prefix_lives_that_others_wrote_is_not_known() -> None:
    first = replace(FIRST, read=8_000, write_1h=0)
    known = replace(facts(after=360), earlier=(first, BEFORE))
    assert (reason(known).reason, reason(known).confidence) == ("lifetime", "likely")


def test_a_tail_of_an_hour_lives_for_an_hour() -> None:
    before = replace(BEFORE, write_5m=0, write_1h=2_000)
    known = replace(facts(read=8_000, after=3_000), before=before, earlier=(FIRST, before))
    assert reason(known).reason == "messages_changed"


def test_where_an_earlier_tail_was_still_there_no_lifetime_had_passed() -> None:
    found = reason(facts(read=28_000, after=400))
    assert (found.reason, found.evidence, found.survived) == ("messages_changed", "survived", "tail")
    assert "the end of request 1" in found.detail


def test_a_prompt_under_the_least_size_is_not_cached() -> None:
    found = reason(facts(write_5m=0, uncached=900, least=1_024))
    assert (found.reason, found.evidence) == ("minimum", "rule")


def test_a_new_client_is_a_likely_reason_where_the_prefix_was_lost() -> None:
    found = reason(facts(version="2"))
    assert (found.reason, found.confidence, found.subject) == ("client_updated", "likely", "1 to 2")


def test_a_new_client_is_no_reason_where_the_prefix_was_read() -> None:
    assert reason(facts(read=8_000, version="2")).reason == "messages_changed"


@pytest.mark.parametrize(("blocks", "marked", "found"), [(20, False, "lookback"), (19, False, "messages_changed")])
def test_a_marker_looks_at_twenty_blocks(blocks: int, marked: bool, found: str) -> None:
    assert reason(facts(read=8_000, blocks=blocks, marked=marked)).reason == found


def test_a_marker_on_the_old_tail_finds_it_whatever_came_after() -> None:
    assert reason(facts(read=8_000, blocks=60, marked=True)).reason == "messages_changed"


def test_a_prompt_that_fell_had_its_history_replaced() -> None:
    found = reason(facts(read=5_000, write_5m=10_000))
    assert (found.reason, found.evidence, found.survived) == ("messages_changed", "survived", "part")
    assert "from 30,000 to 15,000" in found.detail


def test_a_prefix_of_nearly_the_same_size_is_another_one() -> None:
    found = reason(facts(read=8_050))
    assert (found.reason, found.confidence) == ("prefix_changed", "possible")


def test_a_loaded_schema_may_have_moved_what_follows() -> None:
    found = reason(facts(read=5_000, loaded=("send_mail",)))
    assert (found.reason, found.confidence, found.subject) == ("tools_changed", "possible", "send_mail")


def test_without_any_evidence_it_is_unexplained() -> None:
    found = reason(facts())
    assert (found.reason, found.evidence, found.confidence) == ("unexplained", Evidence.NONE, Confidence.NONE)
    assert (found.survived, found.detail) == (Survived.NOTHING, "Nothing in the log says why.")


def test_without_times_no_lifetime_is_taken_as_passed() -> None:
    known = facts(read=8_000, after=9_000)
    assert reason(replace(known, before=replace(BEFORE, at=None))).reason == "messages_changed"
