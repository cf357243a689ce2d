"""`python -m harness run` by a script, seen on the site: through its file, and over the API as it goes."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from explorer.queries.composition import Composition, compose
from harness.__main__ import main
from harness.accounting import account_of
from harness.accounting.bodies import pieces_of
from harness.providers import ProviderEvent, Scripted
from harness.request import Request
from observability.models import Conversation, QuarantinedLine, Search
from observability.models import Request as Row

SERVER = Path(__file__).parents[1] / "harness" / "mcp" / "plain_server.py"
SCRIPT = {
    "turns": [
        {"text": "I look first.", "calls": [{"tool": "list_folder", "arguments": {}}]},
        {"calls": [{"tool": "search_tools", "arguments": {"query": "say a text again"}}]},
        {"calls": [{"tool": "echo", "arguments": {"text": "hello"}}]},
        {"calls": [{"tool": "search_tools", "arguments": {"query": "xylophone"}}]},
        {"calls": [{"tool": "finish", "arguments": {"summary": "Said it again."}}]},
    ]
}


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """The requests that a script is sent."""
    found: list[Request] = []
    stream = Scripted.stream

    async def listening(self: Scripted, request: Request) -> AsyncIterator[ProviderEvent]:
        found.append(request)
        async for event in stream(self, request):
            yield event

    monkeypatch.setattr(Scripted, "stream", listening)
    return found


def _run(folder: Path, *more: str) -> None:
    """The command, with one tool server, in a folder of its own."""
    (folder / "script.json").write_text(json.dumps(SCRIPT))
    server = {"command": sys.executable, "args": [str(SERVER), "good"]}
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"parrot": server}}))
    (folder / "work").mkdir()
    words = ["run", "Say hello again", "--folder", str(folder / "work"), "--script", str(folder / "script.json")]
    assert main([*words, "--mcp-config", str(folder / ".mcp.json"), "--yes", *more]) == 0


def _seen() -> list[Composition]:
    return [compose(row.run, row) for row in Row.objects.order_by("ordinal")]


def _states(seen: Composition, state: str) -> set[str]:
    return {each.tool.name for each in seen.of(state)}


@pytest.mark.django_db
def test_its_log_is_imported_and_shown_as_it_was(tmp_path: Path, sent: list[Request], client: Client) -> None:
    log = tmp_path / "run.ndjson"
    _run(tmp_path, "--log", str(log))
    call_command("import_logs", str(log), stdout=StringIO())
    seen = _seen()
    assert [_states(each, "loaded") for each in seen] == [set(), set(), {"echo"}, {"echo"}, {"echo"}]
    assert [_states(each, "deferred") for each in seen] == [{"echo"}, {"echo"}, set(), set(), set()]
    assert list(Search.objects.order_by("seq").values_list("outcome", flat=True)) == ["hit", "miss"]
    for each, request in zip(seen, sent, strict=True):
        own = account_of(
            pieces_of(request.body, servers={"echo": "parrot"}), total=each.account.total, model=each.account.model
        )
        assert each.account == own
    uid = Conversation.objects.get().uid
    page = client.get(f"/conversations/{uid}/context/", {"request": 3}).content.decode()
    assert "Request 3 of 5" in page and "echo" in page
    assert not QuarantinedLine.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_it_reports_to_a_running_site(tmp_path: Path, sent: list[Request], live_server: LiveServer) -> None:
    _run(tmp_path, "--to", live_server.url)
    assert [each.account.total for each in _seen()] == list(
        Row.objects.order_by("ordinal").values_list("context_tokens", flat=True)
    )
    assert len(sent) == Row.objects.count() == 5
    assert {each.outcome for each in Conversation.objects.get().runs.all()} == {"completed"}


@pytest.mark.django_db
def test_a_line_that_a_dying_run_left_unfinished_costs_only_itself(tmp_path: Path) -> None:
    log = tmp_path / "run.ndjson"
    _run(tmp_path, "--log", str(log))
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:-3], lines[-3][:40], b"\n", *lines[-2:]]))
    call_command("import_logs", str(log), stdout=StringIO())
    assert (Row.objects.count(), QuarantinedLine.objects.count()) == (5, 1)
