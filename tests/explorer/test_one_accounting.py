"""A request of Claude Code, captured raw and rebuilt from its log: one account."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from explorer.queries.composition import compose
from harness.accounting import Account, account_of
from harness.accounting.bodies import pieces_of
from observability.models import Request
from observability.services.imports import import_paths
from observability.sources.claude_code.texts import classify
from tests.claude_code_lines import (
    Log,
    claude_md,
    dump,
    image,
    references,
    search_call,
    text,
    thinking,
    tool,
    tool_use,
    usage_of,
)

pytestmark = pytest.mark.django_db
SYSTEM = ["You work on software. " * 30, "The folder is /home/dev/shop."]
RESIDENT = [tool("Read"), tool("ToolSearch"), tool("mcp__docs__read")]
HELD = [tool("mcp__tickets__close", "Closes a ticket. " * 20), tool("mcp__tickets__open")]
NAMES = [each["name"] for each in HELD]
RULES = claude_md(("/home/dev/shop/CLAUDE.md", "project instructions, checked into the codebase", "Be brief. " * 40))
SEARCH = search_call("close a ticket", call="toolu_s")
READ = tool_use("Read", {"path": "shop.png"}, "toolu_r")
INDEX = "<available-deferred-tools>\n" + "\n".join(NAMES) + "\n</available-deferred-tools>"
SHOWN = [text("A picture."), image("A" * 40_000)]


def _logged(folder: Path) -> Account:
    log = Log()
    records = [
        log.prompt_snapshot(SYSTEM, RESIDENT),
        log.announcement(*NAMES),
        log.deferred_tools_record(*HELD),
        log.meta(RULES),
        log.user("Close ticket 7."),
        log.assistant([thinking("Which tool?"), text("I look."), SEARCH], usage=usage_of(9), stop="tool_use"),
        log.search_result(NAMES[0], query="close a ticket"),
        log.assistant([READ], usage=usage_of(9), stop="tool_use"),
        log.tool_result(SHOWN, call="toolu_r"),
        log.assistant([text("Done.")], usage=usage_of(3_000)),
    ]
    (folder / f"{log.session}.jsonl").write_bytes(dump(records))
    import_paths([folder])
    request = Request.objects.order_by("seq").last()
    assert request is not None
    return compose(request.run, request).account


def _captured() -> Account:
    def said(role: str, *content: Any) -> dict[str, Any]:
        return {"role": role, "content": list(content)}

    body: dict[str, Any] = {
        "model": Log().model,
        "system": [text(each) for each in SYSTEM],
        "tools": [*RESIDENT, *({**each, "defer_loading": True} for each in HELD)],
        "messages": [
            said("user", text(INDEX), text(RULES), text("Close ticket 7.")),
            said("assistant", thinking("Which tool?"), text("I look."), SEARCH),
            said("user", {"type": "tool_result", "tool_use_id": "toolu_s", "content": references(NAMES[0])}),
            said("assistant", READ),
            said("user", {"type": "tool_result", "tool_use_id": "toolu_r", "content": SHOWN}),
        ],
    }
    pieces = pieces_of(body, texts=partial(classify, meta=False, cwd=Log().cwd))
    return account_of(pieces, total=3_000, model=body["model"])


def _told(account: Account) -> dict[str, Any]:
    """All rows. The result of a search is left out: its names stand in a body, and in the log only what they load."""
    return {
        each.shape.kind: sorted(
            (row.label, row.owner, row.number, row.count.tokens)
            for row in each.rows
            if (each.shape.kind, row.label) != ("tool_result", "ToolSearch")
        )
        for each in account.categories
    }


def test_a_captured_request_and_its_log_come_to_the_same_account(tmp_path: Path) -> None:
    assert _told(_logged(tmp_path)) == _told(_captured())
