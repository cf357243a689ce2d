"""Traps of what a conversation grows by: found, nearly found, and quiet where the log says nothing."""

from __future__ import annotations

import pytest

from explorer.traps.facts import Facts, KnownTool, ShellCall
from explorer.traps.growth import command_of, family_of, output_dominates, shell_instead


def test_one_tool_whose_results_make_the_growth_is_named() -> None:
    found = output_dominates(Facts(results=[("Read", 6_000), ("Bash", 1_000)], conversation=10_000))
    assert found is not None
    assert (found.title, found.figure, found.tokens) == ("One tool makes the growth", "60\u00a0%", 6_000)


def test_two_tools_are_named_where_one_does_not_make_it() -> None:
    found = output_dominates(Facts(results=[("Bash", 1_500), ("Read", 3_000), ("Grep", 100)], conversation=10_000))
    assert found is not None
    assert found.title == "Two tools make the growth"
    assert found.why.startswith("Read and Bash results, 4,500")


@pytest.mark.parametrize(
    "facts",
    [
        Facts(results=[("Read", 2_000), ("Bash", 1_999), ("Grep", 1_500)], conversation=10_000),
        Facts(results=[("Read", 3_000)], conversation=3_999),
        Facts(conversation=10_000),
        Facts(),
    ],
    ids=["three are needed", "a short conversation", "no results", "no evidence"],
)
def test_output_is_not_called_dominant_without_grounds(facts: Facts) -> None:
    assert output_dominates(facts) is None


GREP = KnownTool(name="Grep", state="resident", schema=298)


def shell(*commands: str, tokens: int = 600) -> list[ShellCall]:
    return [ShellCall(tool="Bash", command=command, tokens=tokens, item=n) for n, command in enumerate(commands, 7)]


def test_a_search_through_the_shell_beside_a_resident_search_is_told() -> None:
    found = shell_instead(Facts(query="request=3", tools=[GREP], shell=shell("grep -rn 'a; b' src", "cd /srv && rg x")))
    assert found is not None
    assert (found.title, found.tokens) == ("The shell does the work of Grep", 1_200)
    assert found.link == "?request=3&item=7#h-item"


def test_a_search_that_is_held_back_is_told_with_its_state() -> None:
    deferred = KnownTool(name="Grep", state="deferred")
    found = shell_instead(Facts(tools=[deferred], shell=shell("grep -rn x src")))
    assert found is not None
    assert found.why == "1 command to search files, beside Grep (deferred)"


def test_a_call_of_the_tool_shows_that_it_was_there_where_the_log_lists_none() -> None:
    assert shell_instead(Facts(called=frozenset({"Grep"}), shell=shell("grep -rn x src"))) is not None


@pytest.mark.parametrize(
    "facts",
    [
        Facts(tools=[GREP], shell=shell("make test | grep FAIL")),
        Facts(tools=[GREP], shell=shell("cat notes.md")),
        Facts(tools=[KnownTool(name="Grep", state="removed")], shell=shell("grep x y")),
        Facts(shell=shell("grep -rn x src")),
        Facts(tools=[GREP], shell=shell("grep x y", tokens=499)),
        Facts(tools=[GREP]),
        Facts(),
    ],
    ids=["a filter", "no tool for it", "the tool left", "no tool known", "little output", "no shell", "no evidence"],
)
def test_the_shell_is_not_said_to_stand_in_for_a_tool_without_grounds(facts: Facts) -> None:
    assert shell_instead(facts) is None


@pytest.mark.parametrize(
    ("command", "does"),
    [
        ("grep -rn x .", "search files"),
        ("git grep x", "search files"),
        ("cd a; LC_ALL=C rg x", "search files"),
        ("sed -n 1,40p a.py", "read files"),
        ("cat a.py 2>/dev/null", "read files"),
        ("find . -name '*.py' | head", "list files"),
    ],
)
def test_a_command_is_known_by_its_first_step(command: str, does: str) -> None:
    family = family_of(command)
    assert family is not None
    assert family.does == does


@pytest.mark.parametrize(
    "command",
    ["", "cd a", "cat > a.py <<EOF\nx\nEOF", "cat a > b", "sed -i s/a/b/ c", "make; grep x y", "grepper x", "'grep' x"],
)
def test_other_commands_are_for_nothing_that_a_tool_does(command: str) -> None:
    assert family_of(command) is None


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ('{"command":"ls"}', "ls"),
        ('{"cmd":"ls"}', "ls"),
        ('{"command":["ls"]}', ""),
        ("[1]", ""),
        ('{"command":"l', ""),
    ],
)
def test_a_command_line_is_read_from_the_arguments(text: str, command: str) -> None:
    assert command_of(text) == command
