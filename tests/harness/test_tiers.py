from __future__ import annotations

from typing import Any

import pytest

from harness.tiers import ANNOTATION, Tier, tier_of, within
from harness.tools import ToolSpec


def tier(name: str, server: str = "desk", **annotations: Any) -> Tier:
    return tier_of(ToolSpec(name=name, server=server, annotations=annotations))


@pytest.mark.parametrize("name", ["list_issues", "issue_read", "getPullRequest", "search_nodes", "list-items"])
def test_a_name_that_says_it_looks_is_believed(name: str) -> None:
    assert tier(name) == "read"


@pytest.mark.parametrize("name", ["delete_file", "issue_write", "read_and_delete", "getOrCreate", "sync", "query", ""])
def test_any_other_name_acts(name: str) -> None:
    assert tier(name) == "act"


def test_a_hint_of_the_server_goes_before_the_name() -> None:
    assert tier("run", readOnlyHint=True) == "read"
    assert tier("list", readOnlyHint=False) == "act"
    assert tier("list", readOnlyHint="no") == "read"


def test_only_a_tool_of_the_harness_names_its_tier() -> None:
    assert tier("run", server="", **{ANNOTATION: "free"}) == "free"
    assert tier("run", server="desk", **{ANNOTATION: "free"}) == "act"
    assert tier("run", server="", **{ANNOTATION: "anything"}) == "act"


def test_a_ceiling_admits_what_is_at_or_below_it() -> None:
    assert within("read", "read")
    assert within("free", "read")
    assert not within("write", "read")
