"""Which tools stood in each request of a run."""

from __future__ import annotations

from observability.services.store.tool_lists import Entry, Listed, Lists, Loading, Rewriting, RunTools, Step, lists_at


def at(seq: int, *steps: Step) -> tuple[dict[str, str], set[str]]:
    """The states of what was declared, and what was loaded, for a request at a place."""
    of_run = RunTools(
        entries=[step for step in steps if isinstance(step, Entry)],
        loadings=[step for step in steps if isinstance(step, Loading)],
        rewritings=[step for step in steps if isinstance(step, Rewriting)],
    )
    lists = Lists()
    ((declared, loaded),) = lists_at(of_run, [seq], lists)
    members = lists.members
    states = {each.tool: each.state for each in members.get(declared, ())}
    return states, {each.tool for each in members.get(loaded, ())}


def entry(seq: int, tool: str, state: str = "resident") -> Entry:
    return Entry(seq, Listed(tool, state))


def test_what_comes_at_or_after_a_request_is_not_in_it() -> None:
    assert at(5, entry(1, "saw"), entry(5, "rake"))[0] == {"saw": "resident"}


def test_the_first_later_list_of_residents_holds_before_it_was_written() -> None:
    assert at(1, entry(3, "saw"), entry(3, "hoe", "deferred"), entry(4, "rake"))[0] == {"saw": "resident"}


def test_a_list_that_starts_anew_drops_what_it_does_not_name() -> None:
    assert at(9, entry(1, "saw"), entry(2, ""), entry(2, "rake"))[0] == {"rake": "resident"}


def test_a_removed_tool_is_gone() -> None:
    assert at(9, entry(1, "saw"), entry(2, "saw", "removed"))[0] == {}


def test_a_loaded_tool_stays_deferred_and_is_loaded() -> None:
    assert at(9, entry(1, "saw", "deferred"), Loading(2, "saw")) == ({"saw": "deferred"}, {"saw"})


def test_a_resident_tool_is_not_loaded() -> None:
    assert at(9, entry(1, "saw"), Loading(2, "saw"))[1] == set()


def test_removing_a_tool_unloads_it() -> None:
    steps = entry(1, "saw", "deferred"), Loading(2, "saw"), entry(3, "saw", "removed"), entry(4, "saw", "deferred")
    assert at(9, *steps)[1] == set()


def test_a_compaction_keeps_what_it_names_and_else_nothing_is_sure() -> None:
    steps = entry(1, "saw", "deferred"), entry(1, "hoe", "deferred"), Loading(2, "saw"), Loading(2, "hoe")
    assert at(9, *steps, Rewriting(3, "compaction", ("saw",)))[1] == {"saw"}
    assert at(9, *steps, Rewriting(3, "compaction"))[1] == set()
    assert at(9, *steps, Rewriting(3, "trim"))[1] == {"saw", "hoe"}


def test_a_definition_that_comes_later_is_the_tools_all_the_same() -> None:
    lists = Lists()
    late = Entry(7, Listed("saw", "resident", b"d"))
    ((declared, _),) = lists_at(RunTools(entries=[entry(1, "saw"), late]), [5], lists)
    assert [each.definition for each in lists.members[declared]] == [b"d"]


def test_a_list_has_one_name_whatever_the_order() -> None:
    lists, tools = Lists(), [Listed("saw", "resident"), Listed("rake", "deferred")]
    assert lists.name(tools) == lists.name(reversed(tools)) != lists.name(tools[:1])
