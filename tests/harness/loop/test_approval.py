from __future__ import annotations

import asyncio

import pytest

from harness.catalogue import OWN
from harness.errors import CommandError
from harness.loop.approval import Approval, Nobody, Rule, rule_of
from harness.tools import ToolSpec
from tests.harness.runs import TICKETS


class Answers:
    """A person who gives these answers, one after the other."""

    def __init__(self, *answers: str | None) -> None:
        self.answers, self.questions = list(answers), list[str]()

    async def answer(self, question: str, options: tuple[str, ...]) -> str | None:
        self.questions.append(question)
        return self.answers.pop(0)


def refusal(approval: Approval, tool: ToolSpec, **arguments: object) -> str | None:
    return asyncio.run(approval.refusal(tool, dict(arguments), "The agent"))


def test_own_tools_that_look_need_no_approval() -> None:
    assert refusal(Approval(Nobody()), OWN["read"], path="a") is None


def test_a_tool_that_writes_is_asked_about() -> None:
    person = Answers("yes")
    assert refusal(Approval(person), OWN["write"], path="a", content="b") is None
    assert 'call write (write):\n{"path":"a","content":"b"}' in person.questions[0]


def test_a_foreign_tool_that_only_looks_is_asked_about_too() -> None:
    assert refusal(Approval(Answers("no")), TICKETS["list_sprints"]) is not None


def test_a_no_is_told_with_its_reason() -> None:
    said = refusal(Approval(Answers("use the other file")), OWN["write"])
    assert said == "The user did not allow this call of write. They said: use the other file"


def test_nobody_there_refuses_and_says_how_to_allow_it() -> None:
    said = refusal(Approval(Nobody()), OWN["bash"], command="ls")
    assert said and "--allow" in said


def test_always_is_remembered() -> None:
    approval = Approval(Answers("always"))
    assert refusal(approval, OWN["write"]) is None
    assert refusal(approval, OWN["write"]) is None


def test_everything_may_be_allowed() -> None:
    assert refusal(Approval(Nobody(), everything=True), OWN["bash"], command="ls") is None


def fits(rule: str, tool: ToolSpec, **arguments: object) -> bool:
    return rule_of(rule).fits(tool, dict(arguments))


def test_a_rule_names_tools_by_a_pattern() -> None:
    assert fits("*_ticket", TICKETS["close_ticket"])
    assert not fits("*_ticket", TICKETS["list_sprints"])


@pytest.mark.parametrize(
    ("command", "allowed"),
    [
        ("git diff HEAD", True),
        ("git push", False),
        ("git diff; rm -rf .", False),
        ("git diff && rm a", False),
        ("git diff > a", False),
        ("git diff $(rm a)", False),
        ("git diff `rm a`", False),
        ("git diff\nrm a", False),
    ],
)
def test_a_rule_for_a_command_lets_no_other_one_through(command: str, *, allowed: bool) -> None:
    assert fits("bash(git diff*)", OWN["bash"], command=command) is allowed


def test_a_command_that_is_named_whole_may_hold_anything() -> None:
    assert fits("bash(make test | tail)", OWN["bash"], command="make test | tail")


def test_the_order_of_the_arguments_decides_nothing() -> None:
    assert not fits("write(src/*)", OWN["write"], content="src/a", path="etc/b")


def test_what_is_no_rule_is_refused() -> None:
    with pytest.raises(CommandError, match="is no rule"):
        rule_of("bash(")


def test_a_rule_may_be_for_all_arguments() -> None:
    assert rule_of("bash") == Rule(tool="bash")
