from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import wire
from harness.catalogue import LONGEST_DESCRIPTION, Catalogue, Problem
from harness.catalogue.names import LONGEST_NAME, PROVIDER_RULE
from harness.tools import ToolSpec


def tool(name: str = "look", **fields: object) -> ToolSpec:
    return msgspec.structs.replace(ToolSpec(name=name, server="desk"), **fields)


def test_tools_are_sorted_by_their_code_points() -> None:
    assert list(Catalogue([tool("b"), tool("a"), tool("B"), tool("_")])) == ["B", "_", "a", "b"]


def test_a_catalogue_is_a_mapping_that_cannot_be_changed() -> None:
    catalogue = Catalogue([tool("a")])
    assert catalogue["a"].name == "a"
    with pytest.raises(TypeError):
        catalogue["b"] = tool("b")  # type: ignore[index]


def test_keys_of_a_schema_are_sorted_so_that_the_order_of_a_server_does_not_matter() -> None:
    one = Catalogue([tool(input_schema={"properties": {}, "type": "object"})])
    other = Catalogue([tool(input_schema={"type": "object", "properties": {}})])
    assert wire.dumps(one["look"].definition()) == wire.dumps(other["look"].definition())


def test_a_catalogue_shows_itself_in_short() -> None:
    assert repr(Catalogue([tool(), tool()])) == "<Catalogue of 1 tools, 1 problems>"


def test_of_two_tools_of_one_name_the_first_stays_and_both_origins_are_named() -> None:
    catalogue = Catalogue([tool(description="first"), tool(server="shelf")])
    assert catalogue["look"].description == "first"
    assert catalogue.problems == (
        Problem(
            place="server shelf, tool look",
            reason="there is another tool named look (server desk and server shelf); the first one stays",
        ),
    )


def test_the_harness_itself_is_an_origin_too() -> None:
    built_in = Catalogue([tool(server="")])
    assert "(the harness itself and server desk)" in (built_in | Catalogue([tool()])).problems[0].reason


def test_a_name_that_providers_do_not_take_is_mapped_and_the_original_is_kept() -> None:
    catalogue = Catalogue([tool("files.read now")])
    assert catalogue["files_read_now"].original_name == "files.read now"
    assert catalogue.problems[0].kept


def test_two_names_that_map_to_one_stay_two() -> None:
    catalogue = Catalogue([tool("a.b"), tool("a/b"), tool("a_c")])
    assert len(catalogue) == 3
    assert {spec.original_name for spec in catalogue.values()} == {"a.b", "a/b", ""}


def test_long_names_that_begin_alike_stay_two() -> None:
    names = list(Catalogue([tool("x" * 80 + "1"), tool("x" * 80 + "2")]))
    assert len(names) == 2
    assert all(len(name) == LONGEST_NAME for name in names)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "it has no name"),
        ("工具", "its name has none of the characters"),
        ("look\ud800", "its name holds half a character"),
    ],
)
def test_a_name_of_which_nothing_would_stay_is_refused(name: str, why: str) -> None:
    catalogue = Catalogue([tool(name), tool("good")])
    assert list(catalogue) == ["good"]
    assert catalogue.problems[0].reason.startswith(why)


def test_a_description_of_a_megabyte_is_cut_and_said_so() -> None:
    catalogue = Catalogue([tool(description="x" * 1_000_000)])
    assert len(catalogue["look"].description) == LONGEST_DESCRIPTION
    assert catalogue.problems[0].reason == "its description of 1,000,000 characters is cut to 8,000"


def test_half_a_character_in_a_description_does_no_harm() -> None:
    assert wire.dumps(Catalogue([tool(description="a\ud800b")])["look"].definition())


def test_a_title_is_one_line_of_printable_characters() -> None:
    assert Catalogue([tool(group="Desk\n\x1b[31m and  shelf")])["look"].group == "Desk [31m and shelf"


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("update_issue_state", "Tickets and projects"),
        ("search_nodes", "Memory and knowledge"),
        ("mergePullRequest", "Pull requests and reviews"),
        ("echo", "Front desk"),
    ],
)
def test_a_tool_without_a_title_stands_under_its_topic_or_its_server(name: str, title: str) -> None:
    assert Catalogue([tool(name, server="front_desk")])[name].group == title


@given(st.lists(st.text(max_size=80), max_size=8))
def test_whatever_names_come_in_providers_take_those_that_come_out(names: list[str]) -> None:
    catalogue = Catalogue([tool(name) for name in names])
    assert all(PROVIDER_RULE.match(name) and spec.name == name for name, spec in catalogue.items())
    assert len(catalogue) + len([each for each in catalogue.problems if not each.kept]) == len(names)


@given(st.lists(st.text(max_size=80), max_size=8))
def test_what_was_taken_in_once_is_taken_in_again_as_it_is(names: list[str]) -> None:
    catalogue = Catalogue([tool(name) for name in names])
    again = Catalogue(catalogue.values())
    assert dict(again) == dict(catalogue)
    assert again.problems == ()
