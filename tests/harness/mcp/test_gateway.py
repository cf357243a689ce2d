"""The client of the official SDK talks to `python -m harness mcp`, over standard streams and over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from harness.__main__ import main
from harness.catalogue import OWN
from harness.loop.toolbox import ServerState
from harness.mcp import config_of, connected
from harness.mcp.gateway import LEFT_OUT
from tests.harness.mcp.conftest import PLAIN, WriteConfig

ROOT = Path(__file__).resolve().parents[3]
Use = Callable[[Client], Awaitable[Any]]
Reach = Callable[..., Any]


def over_stdio(use: Use, *words: str) -> Any:
    async def talk() -> Any:
        program = StdioServerParameters(command=sys.executable, args=["-m", "harness", "mcp", *words], cwd=ROOT)
        async with Client(program) as client:
            return await use(client)

    return asyncio.run(talk())


def over_http(use: Use, *words: str) -> Any:
    async def talk() -> Any:
        async with served(*words) as address, Client(address) as client:
            return await use(client)

    return asyncio.run(talk())


@asynccontextmanager
async def served(*words: str, token: str = "") -> AsyncIterator[str]:
    """The address of a server over HTTP. It ends in order when it is told to."""
    program = [sys.executable, "-m", "harness", "mcp", *words, "--http", "0"]
    environment = {**os.environ, "CCWEB_MCP_TOKEN": token}
    process = await asyncio.create_subprocess_exec(*program, cwd=ROOT, env=environment, stderr=asyncio.subprocess.PIPE)
    assert process.stderr
    try:
        line = (await process.stderr.readline()).decode()
        assert line.startswith("Serving on http://127.0.0.1:"), line
        yield line.split()[-1]
    finally:
        process.send_signal(signal.SIGTERM)
        printed = (await process.stderr.read()).decode()
        assert await process.wait() == 0
        assert "Traceback" not in printed


async def listed(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


@pytest.fixture(params=[over_stdio, over_http], ids=["stdio", "http"])
def reach(request: pytest.FixtureRequest) -> Reach:
    reach: Reach = request.param
    return reach


def test_c5_a_client_lists_the_whole_catalogue_searches_and_calls(reach: Reach, written: WriteConfig) -> None:
    async def use(client: Client) -> tuple[list[str], dict[str, Any], str]:
        names = await listed(client)
        found = await client.call_tool("search_tool_bm25", {"query": "say a text again", "limit": 2})
        matches = json.loads(found.content[0].text)  # type: ignore[union-attr]
        answer = await client.call_tool(matches["matches"][0]["name"], {"text": "hello"})
        assert await listed(client) == names, "a search must load nothing"
        return names, matches, answer.content[0].text  # type: ignore[union-attr]

    names, found, answer = reach(use, "--mcp-config", str(written("good", "pages", "odd_names")))
    assert names[0] == "search_tool_bm25"
    assert names[1] == "a" * 55 + "_7120fc31"
    assert names[2:] == ["echo", "echo_0", "echo_1", "echo_2", "w_rld_news_get_all"]
    assert [each["name"] for each in found["matches"]] == ["echo", "echo_0"]
    assert found["tools_searched"] == 6
    assert answer == "echo: hello"


def test_a_call_goes_to_the_server_under_its_own_name(written: WriteConfig) -> None:
    async def use(client: Client) -> Any:
        return await client.call_tool("w_rld_news_get_all", {"text": "x"})

    result = over_stdio(use, "--mcp-config", str(written("odd_names")))
    assert result.content[0].text == "wörld news/get all: x"


def test_own_tools_are_served_where_they_are_enabled(tmp_path: Path) -> None:
    async def use(client: Client) -> tuple[list[str], str, Any]:
        written = await client.call_tool("write", {"path": "a.txt", "content": "x"})
        wrong = await client.call_tool("read", {"file": "a.txt"})
        return await listed(client), written.content[0].text, wrong  # type: ignore[union-attr]

    names, answer, wrong = over_stdio(use, "--builtin", str(tmp_path))
    assert set(names) == {"search_tool_bm25", *(set(OWN) - LEFT_OUT)}
    assert answer == "Created a.txt: 1 line, 1 characters."
    assert (tmp_path / "a.txt").read_text() == "x"
    assert wrong.is_error
    assert "`file`: there is no such argument" in wrong.content[0].text


def test_failures_are_answers_not_ends(written: WriteConfig) -> None:
    async def use(client: Client) -> list[str]:
        calls = [
            ("nothing", {}),
            ("echo", {"text": "x"}),
            ("echo", {"text": "x"}),
            ("search_tool_bm25", {"query": "zzz"}),
        ]
        results = [await client.call_tool(name, arguments) for name, arguments in calls]
        return [each.content[0].text for each in results]  # type: ignore[union-attr]

    unknown, gone, again, miss = over_stdio(use, "--mcp-config", str(written("dies_at_call", "dies_at_once")))
    assert unknown == "There is no tool 'nothing'. search_tool_bm25 finds those there are."
    assert "is gone: it ended during the call" in gone
    assert "is not there: it ended during the call" in again
    assert "Failed, so not searched: dies_at_call, dies_at_once" in json.loads(miss)["hint"]


def test_the_token_is_asked_for_over_http(written: WriteConfig) -> None:
    async def talk() -> tuple[int, list[str]]:
        async with served("--mcp-config", str(written("good")), token="word") as address:
            async with httpx2.AsyncClient() as plain:
                refused = (await plain.post(address, json={})).status_code
            async with (
                httpx2.AsyncClient(headers={"Authorization": "Bearer word"}) as known,
                Client(streamable_http_client(address, http_client=known)) as client,
            ):
                return refused, await listed(client)

    assert asyncio.run(talk()) == (401, ["search_tool_bm25", "echo"])


def test_a_server_over_http_is_listed_and_called(written: WriteConfig) -> None:
    async def talk() -> tuple[list[str], str]:
        async with served("--mcp-config", str(written("good")), token="word") as address:
            entry = {"type": "http", "url": address, "headers": {"Authorization": "Bearer ${KEY}"}}
            async with connected(config_of({"mcpServers": {"far": entry}}, {"KEY": "word"})) as servers:
                await servers.settled()
                result = await servers.call(servers.catalogue["echo"], {"text": "hi"})
                return list(servers.catalogue), result.content[0].text  # type: ignore[union-attr]

    assert asyncio.run(talk()) == (["echo", "search_tool_bm25"], "echo: hi")


def test_a_server_that_asks_for_a_sign_in_is_told_as_such(written: WriteConfig) -> None:
    async def talk() -> ServerState:
        async with (
            served("--mcp-config", str(written("good")), token="word") as address,
            connected(config_of({"mcpServers": {"far": {"url": address}}}, {})) as servers,
        ):
            await servers.settled()
            return servers.failed[0]

    found = asyncio.run(talk())
    assert found.needs_auth
    assert found.error.startswith("it asks for a sign-in")


@pytest.mark.parametrize(
    ("words", "reason"),
    [((), "there is nothing to serve"), (("--builtin", ".", "--http", "0"), "set CCWEB_MCP_TOKEN to a token first")],
)
def test_what_cannot_be_served_is_refused_at_once(
    words: tuple[str, ...], reason: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CCWEB_MCP_TOKEN", raising=False)
    assert main(["mcp", *words]) == 2
    assert reason in capsys.readouterr().err


def test_a_signal_ends_it_with_all_its_servers(written: WriteConfig) -> None:
    program = [sys.executable, "-m", "harness", "mcp", "--mcp-config", str(written("good"))]
    process = subprocess.Popen(program, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    wait_for(lambda: children(process.pid))
    (child,) = children(process.pid)
    process.terminate()
    process.communicate(timeout=10)
    assert process.returncode == 0
    assert not psutil.pid_exists(child)


def children(pid: int) -> list[int]:
    return [each.pid for each in psutil.Process(pid).children() if str(PLAIN) in each.cmdline()]


def wait_for(happens: Callable[[], object]) -> None:
    until = time.monotonic() + 20
    while not happens():
        assert time.monotonic() < until
        time.sleep(0.02)
