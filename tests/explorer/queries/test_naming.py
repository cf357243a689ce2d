from __future__ import annotations

import pytest

from explorer.queries.naming import NoSuchRequest, named
from tests.explorer.scene import Scene

pytestmark = pytest.mark.django_db


def talk(uid: str, asked: int = 1, **more: str) -> None:
    scene = Scene(uid, **more)  # type: ignore[arg-type]  # kind is a literal
    for _ in range(asked):
        scene.ask(1_000)
    scene.store()


def test_a_uid_leads_to_its_last_request() -> None:
    talk("alpha", asked=3)
    assert named("alpha").ordinal == 3


def test_the_beginning_of_one_name_is_enough() -> None:
    talk("alpha")
    talk("beta")
    assert named("AL").conversation.uid == "alpha"


def test_a_whole_name_wins_over_the_beginning_of_another() -> None:
    talk("alpha")
    talk("alpha-2")
    assert named("alpha").conversation.uid == "alpha"


def test_the_beginning_of_several_names_lists_them() -> None:
    talk("alpha-1")
    talk("alpha-2")
    with pytest.raises(NoSuchRequest, match=r"^alp begins the names of 2 conversations: alpha-\d, alpha-\d\.$"):
        named("alp")


def test_a_long_list_of_candidates_is_cut() -> None:
    for number in range(7):
        talk(f"alpha-{number}")
    with pytest.raises(NoSuchRequest, match="7 conversations: .* and 2 more"):
        named("alpha")


def test_signs_of_a_pattern_are_letters_like_others() -> None:
    talk("alpha")
    with pytest.raises(NoSuchRequest, match="No conversation is named a%"):
        named("a%")


def test_an_unknown_name_lists_the_latest() -> None:
    talk("alpha")
    with pytest.raises(NoSuchRequest, match=r"^No conversation is named gamma\. The latest: alpha\.$"):
        named("gamma")


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_what_cannot_be_a_name_is_refused(name: str) -> None:
    talk("alpha")
    with pytest.raises(NoSuchRequest, match="named by its uid"):
        named(name)


def test_last_is_the_most_recent_with_a_request() -> None:
    talk("alpha")
    talk("zeta", asked=2)
    talk("silent", asked=0)
    assert named("last").conversation.uid == "zeta"


def test_last_of_none_says_what_to_do() -> None:
    with pytest.raises(NoSuchRequest, match="import_logs"):
        named("last")


def test_an_unknown_request_says_which_there_are() -> None:
    talk("alpha", asked=3)
    with pytest.raises(NoSuchRequest, match=r"^There is no request 4 in run main of alpha: it has 1 to 3\.$"):
        named("alpha", ordinal=4)


def test_a_number_that_no_database_holds_is_an_unknown_request() -> None:
    talk("alpha")
    with pytest.raises(NoSuchRequest, match="There is no request"):
        named("alpha", ordinal=10**30)


def test_a_run_is_named_by_its_beginning_too() -> None:
    talk("alpha")
    talk("alpha", run="searcher", kind="sub_agent")
    assert named("alpha", run="sea").run.uid == "searcher"


def test_an_unknown_run_lists_the_runs() -> None:
    talk("alpha")
    talk("alpha", run="searcher", kind="sub_agent")
    with pytest.raises(NoSuchRequest, match=r"^alpha has no run x\. Its runs: main, searcher\.$"):
        named("alpha", run="x")


def test_a_main_run_that_asked_nothing_points_to_those_that_did() -> None:
    talk("alpha", asked=0)
    talk("alpha", run="searcher", kind="sub_agent")
    with pytest.raises(NoSuchRequest, match=r"The main run of alpha has no request.*: searcher\.$"):
        named("alpha")
