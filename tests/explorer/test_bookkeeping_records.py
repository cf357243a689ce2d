"""A log that holds the schemas of tools that were not sent: they are known, and count nothing.

Thirty tools are deferred; the client notes down all their definitions; fifteen tools are resident, and the
snapshot that says so comes after the first response, whose prompt was billed as 11,003 tokens.
"""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from django.test import Client

from explorer.queries.composition import Composition, compose
from observability.figures import number
from observability.models import Request
from observability.services.imports import import_paths
from tests.claude_code_lines import Log, dump, text, tool, usage_of

pytestmark = pytest.mark.django_db
BILLED = 11_003
HELD = [
    tool(f"mcp__tickets__{verb}_{thing}", f"{verb} a {thing}, and say what became of it. ".capitalize() * 25)
    for verb in ("open", "close", "assign", "find", "move")
    for thing in ("ticket", "board", "label", "sprint", "comment", "report")
]
RESIDENT = [tool(f"Tool{number}", f"Does thing {number} in the folder of the user. " * 20) for number in range(15)]
SYSTEM = ["You work on software. " * 200, "The folder is /home/dev/shop. " * 30]


def log_of(folder: Path, billed: int = BILLED) -> Composition:
    """The first request of such a session, imported."""
    names = [each["name"] for each in HELD]
    log = Log(model="claude-opus-4-8")
    (folder / f"{log.session}.jsonl").write_bytes(
        dump(
            [
                log.prompt_snapshot(SYSTEM),
                log.deferred_tools_delta(names, rendered="These tools are deferred:\n" + "\n".join(names)),
                log.deferred_tools_record(*HELD),
                log.user("Close ticket 7, please."),
                log.assistant([text("I look at it.")], usage=usage_of(3, write_1h=billed - 3)),
                log.prompt_snapshot(SYSTEM, RESIDENT),
            ]
        )
    )
    found = import_paths([folder])
    assert (found["quarantined"], found["unrecognised"]) == (0, 0)
    request = Request.objects.get()
    return compose(request.run, request)


def shown(client: Client, now: Composition) -> str:
    """The page of the request."""
    return unescape(client.get(f"/conversations/{now.request.conversation.uid}/context/").content.decode())


def test_fifteen_schemas_and_thirty_names_were_sent_and_nothing_of_the_record(tmp_path: Path) -> None:
    account = log_of(tmp_path).account
    assert {each.shape.kind: each.number for each in account.categories} == {
        "builtin_tool": 15,
        "system": 2,
        "index": 30,
        "user": 1,
    }


def test_the_residual_is_what_is_left_of_the_bill(tmp_path: Path) -> None:
    account = log_of(tmp_path).account
    assert account.total == BILLED
    assert account.excess is None
    assert account.residual is not None and 0 < account.residual == BILLED - account.parts.tokens < BILLED // 2


def test_the_record_says_what_holding_back_saves(tmp_path: Path) -> None:
    now = log_of(tmp_path)
    held = now.of("deferred")
    assert [each.tool.name for each in held] == [each["name"] for each in HELD]
    assert all(each.definition and each.definition.where == "run" for each in held)
    # All of them together are more than the whole prompt: counted as sent, they would leave no room for the rest.
    assert sum(each.held_back or 0 for each in held) > BILLED


def test_the_page_says_so(client: Client, tmp_path: Path) -> None:
    now = log_of(tmp_path)
    page = shown(client, now)
    account = now.account
    for kind, note in (("builtin_tool", "15 schemas"), ("index", "30 names")):
        tokens = account.category(kind).count.tokens  # type: ignore[union-attr]
        assert re.search(rf'id="part-{kind}">.*{note}.*<td class="n">{number(tokens)}', page)
    assert 'id="part-loaded_tool"' not in page
    assert "The parts exceed" not in page
    assert f">+{number(account.residual)}<" in page


def test_parts_that_exceed_the_bill_are_told_of_and_the_likeliest_is_named(client: Client, tmp_path: Path) -> None:
    now = log_of(tmp_path, billed=3_000)
    excess = now.account.excess
    assert excess is not None
    assert (excess.title, excess.by) == ("System prompt", now.account.parts.tokens - 3_000)
    page = shown(client, now)
    assert f"The parts exceed the total by {number(excess.by)} tokens." in page
    assert f"The likeliest to be too large is System prompt: {excess.label}" in page
    assert f">{number(-excess.by)}<" in page
