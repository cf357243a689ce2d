"""Real programs as tool servers, good and bad ones."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from harness.loop.toolbox import ServerState, ToolFault, Toolset
from harness.mcp import Servers, config_of, connected, opened
from tests.harness.builtin.conftest import context_for
from tests.harness.mcp.conftest import PLAIN, WriteConfig, many

Use = Callable[[Servers], Awaitable[Any]]


def using(use: Use, *behaviours: str, seconds: float = 20.0) -> Any:
    """What came of using servers that had until their time was over."""

    async def main() -> Any:
        async with connected(config_of(many(*behaviours), os.environ), seconds=seconds) as servers:
            await servers.settled()
            return await use(servers)

    return asyncio.run(main())


def problems(*behaviours: str) -> list[str]:
    """What was wrong with tools, without what was wrong with whole servers."""

    async def found(servers: Servers) -> list[str]:
        assert servers.failed == ()
        return [str(each) for each in servers.catalogue.problems]

    return using(found, *behaviours)  # type: ignore[no-any-return]


def names(*behaviours: str) -> list[str]:
    async def found(servers: Servers) -> list[str]:
        return list(servers.catalogue)

    return using(found, *behaviours)  # type: ignore[no-any-return]


def failures(*behaviours: str, seconds: float = 20.0) -> list[ServerState]:
    async def found(servers: Servers) -> list[ServerState]:
        return list(servers.failed)

    return using(found, *behaviours, seconds=seconds)  # type: ignore[no-any-return]


def test_a_tool_is_listed_with_its_server_and_called() -> None:
    async def call(servers: Servers) -> Any:
        assert servers.catalogue["echo"].server == "good"
        return await servers.call(servers.catalogue["echo"], {"text": "hello"})

    assert using(call, "good").content[0].text == "echo: hello"


def test_a_list_comes_in_pages() -> None:
    assert names("pages") == ["echo_0", "echo_1", "echo_2"]


def test_one_bad_schema_does_not_lose_the_other_tools() -> None:
    assert names("no_schema") == ["echo"]
    found = problems("no_schema")
    assert found[:3] == [
        "server no_schema, tool bare: it has no input schema",
        "server no_schema, tool words: its input schema is no JSON Schema object",
        "server no_schema, tool 4: it is no object",
    ]
    assert "at $.properties.a.type" in found[3]


def test_two_tools_of_one_name_are_told_and_the_first_stays() -> None:
    assert problems("same_names") == [
        "server same_names, tool echo: there is another tool named echo (server same_names, twice); the first one stays"
    ]


def test_a_tool_with_odd_characters_is_called_by_its_own_name() -> None:
    async def call(servers: Servers) -> Any:
        return await servers.call(servers.catalogue["w_rld_news_get_all"], {"text": "x"})

    assert using(call, "odd_names").content[0].text == "wörld news/get all: x"


def test_a_giant_description_is_cut() -> None:
    assert problems("giant") == ["server giant, tool echo: its description of 1,000,000 characters is cut to 8,000"]


def test_a_list_that_goes_in_a_circle_is_ended() -> None:
    assert problems("circle")[0] == "server circle: its list of tools goes in a circle"


def test_noise_between_messages_is_passed_over() -> None:
    assert names("noise") == ["echo"]


def test_a_server_that_hangs_fails_when_its_time_is_over() -> None:
    begun = time.monotonic()
    found = failures("hangs", "hangs_at_list", seconds=1.5)
    assert time.monotonic() - begun < 10
    assert [each.error for each in found] == [
        "no answer within 1.5 s (greeting)",
        "no answer within 1.5 s (list of tools)",
    ]


def test_a_server_that_dies_is_told_with_its_last_words() -> None:
    assert [each.error for each in failures("dies_at_once", "dies_at_list")] == [
        "it ended before it had listed its tools; it printed: no licence found",
        "it ended before it had listed its tools; it printed: out of luck",
    ]


def test_a_program_that_is_not_there_and_an_address_without_a_server_fail() -> None:
    async def main() -> list[str]:
        entries = {"a": {"command": "/no/such/program"}, "b": {"url": "http://127.0.0.1:9/mcp"}}
        async with connected(config_of({"mcpServers": entries}, {})) as servers:
            await servers.settled()
            return [each.error for each in servers.failed]

    first, second = asyncio.run(main())
    assert first == "there is no program /no/such/program, or its folder is missing"
    assert second.startswith("no connection to http://127.0.0.1:9/mcp: ")


@pytest.mark.parametrize(
    ("behaviour", "text", "reason"),
    [
        ("dies_at_call", "x", "The server dies_at_call is gone: it ended during the call of a tool"),
        ("odd_answer", "x", "The answer of the server odd_answer cannot be read"),
        ("call_hangs", "x", "timed out"),
        ("long_answer", "100000000", "the answer has more than 16,777,216 bytes"),
    ],
)
def test_a_call_that_goes_wrong_is_a_fault_with_the_reason(behaviour: str, text: str, reason: str) -> None:
    async def call(servers: Servers) -> None:
        seconds = 0.5 if behaviour == "call_hangs" else 20.0
        await servers.call(servers.catalogue["echo"], {"text": text}, seconds)

    with pytest.raises(ToolFault, match=reason):
        using(call, behaviour)


def test_a_server_lives_on_after_an_answer_that_was_too_long() -> None:
    async def call(servers: Servers) -> Any:
        with pytest.raises(ToolFault):
            await servers.call(servers.catalogue["echo"], {"text": "20000000"})
        return await servers.call(servers.catalogue["echo"], {"text": "3"})

    assert using(call, "long_answer").content[0].text == "xxx"


def test_a_lost_server_is_among_the_failed() -> None:
    async def call(servers: Servers) -> list[str]:
        for _ in range(2):
            with pytest.raises(ToolFault, match="it ended during the call"):
                await servers.call(servers.catalogue["echo"], {"text": "x"})
        return [each.name for each in servers.failed]

    assert using(call, "dies_at_call") == ["dies_at_call"]


def test_programs_end_with_the_block() -> None:
    async def count(servers: Servers) -> int:
        return len(programs())

    assert using(count, "good", "slow") == 2
    assert programs() == []


def programs() -> list[int]:
    mine = psutil.Process().children(recursive=True)
    return [each.pid for each in mine if each.status() != "zombie" and str(PLAIN) in each.cmdline()]


# As a run has them ------------------------------------------------------------


def test_a_run_gets_tools_handlers_and_what_failed(written: WriteConfig, tmp_path: Path) -> None:
    async def main() -> tuple[str, list[str]]:
        async with opened(written("good", "dies_at_once")) as tools:
            output = await tools.box["echo"].run({"text": "hi"}, context_for(tmp_path))
            return output.text, [each.name for each in tools.failed]

    assert asyncio.run(main()) == ("echo: hi", ["dies_at_once"])


def test_a_server_that_comes_late_adds_its_tools(written: WriteConfig, tmp_path: Path) -> None:
    async def main() -> tuple[Toolset, Toolset, str]:
        async with opened(written("pages", "slow"), wait=0.0) as tools:
            assert tools.more is not None
            late = tools
            while late.pending:
                await asyncio.sleep(0.02)
                late = join(late, tools.more())
            output = await late.box["echo"].run({"text": "hi"}, context_for(tmp_path))
            assert not tools.more().catalogue
            return tools, late, output.text

    tools, late, text = asyncio.run(main())
    assert tools.pending == ("pages", "slow")
    assert not tools.catalogue
    assert list(late.catalogue) == ["echo", "echo_0", "echo_1", "echo_2"]
    assert text == "echo: hi"


def join(tools: Toolset, more: Toolset) -> Toolset:
    return Toolset(
        catalogue=tools.catalogue | more.catalogue,
        box=tools.box | more.box,
        failed=more.failed,
        pending=more.pending,
    )
