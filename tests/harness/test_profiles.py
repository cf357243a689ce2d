from __future__ import annotations

import pytest

from harness.catalogue import OWN
from harness.profiles import EXPLORE, GENERAL, PROFILES, Profile


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_a_sub_agent_may_hand_over_its_result_and_not_ask_the_user(profile: Profile) -> None:
    assert profile.refusal(OWN["finish"]) is None
    assert profile.refusal(OWN["ask_user"]) == f"A sub-agent of profile {profile.name} may not call ask_user."


def test_one_that_explores_changes_nothing() -> None:
    assert EXPLORE.refusal(OWN["read"]) is None
    assert EXPLORE.refusal(OWN["write"]) == (
        "A sub-agent of profile explore may call tools up to tier read; write is of tier write."
    )


def test_a_general_one_may_do_all_else() -> None:
    assert {name for name, tool in OWN.items() if GENERAL.refusal(tool)} == {"ask_user"}


def test_the_tool_that_starts_a_sub_agent_names_the_profiles_there_are() -> None:
    assert OWN["spawn_agent"].input_schema["properties"]["profile"]["enum"] == list(PROFILES)
