"""Real tool servers that misbehave, in one run: each has its outcome in the run log, and the run goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness import mcp
from harness.catalogue import OWN
from harness.loop.clock import real
from harness.loop.conversation import joined
from harness.loop.settings import Limits
from harness.loop.toolbox import ToolBox, Toolset
from harness.providers import Scripted, Turn
from harness.providers.script import Script
from harness.runlog import RunFinished, SurfaceChanged, SurfaceDeclared, ToolCalled
from tests.harness.mcp.conftest import many
from tests.harness.runs import Run, call, calls

FINISH = calls(call("finish", summary="done"))


def run_with(tmp_path: Path, behaviours: tuple[str, ...], *turns: Turn) -> Run:
    """A run with these servers."""
    run = Run(tmp_path).set(limits=Limits(tool_seconds=1))
    config = tmp_path / ".mcp.json"
    config.write_bytes(msgspec.json.encode(many(*behaviours)))

    async def main() -> None:
        async with mcp.opened(config, wait=3) as servers:
            run.toolset = joined(Toolset(catalogue=OWN, box=ToolBox()), servers)
            await run.held(Scripted(Script(turns=(*turns, FINISH))), real)

    asyncio.run(main())
    assert run.events(RunFinished)[0].outcome == "completed"
    return run


def ends(run: Run, tool: str) -> list[tuple[bool | None, str]]:
    return [(each.ok, each.error or "") for each in run.events(ToolCalled) if each.tool == tool and each.ok is not None]


def test_servers_that_are_not_there_are_named_with_their_reason(tmp_path: Path) -> None:
    run = run_with(tmp_path, ("dies_at_once", "dies_at_list", "hangs", "good"))
    (changed,) = run.events(SurfaceChanged)
    failed = {each.name: each.error or "" for each in changed.failed_servers}
    assert "no licence found" in failed["dies_at_once"]
    assert "out of luck" in failed["dies_at_list"]
    assert changed.pending_servers == ["hangs"]
    assert "echo" in tools(run)


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        ("no_schema", "tool odd_type"),
        ("same_names", "there is another tool named echo"),
        ("odd_names", "providers do not take its name"),
        ("giant", "is cut to 8,000"),
    ],
)
def test_tools_that_are_odd_are_named_with_what_became_of_them(tmp_path: Path, behaviour: str, said: str) -> None:
    run = run_with(tmp_path, (behaviour,))
    (declared,) = run.events(SurfaceDeclared)
    assert any(said in each for each in declared.problems)
    assert all(len(each) < 1000 for each in declared.problems)


def tools(run: Run) -> dict[str, Any]:
    (declared,) = run.events(SurfaceDeclared)
    return {each.name: each.state for each in declared.tools}


def test_a_server_that_dies_at_a_call_fails_the_call(tmp_path: Path) -> None:
    run = run_with(tmp_path, ("dies_at_call",), calls(call("echo", text="a")))
    ((ok, error),) = ends(run, "echo")
    assert ok is False
    assert error


def test_a_server_that_hangs_at_a_call_is_left_at_the_limit(tmp_path: Path) -> None:
    run = run_with(tmp_path, ("call_hangs",), calls(call("echo", text="a")))
    assert ends(run, "echo") == [(False, "echo was stopped after 1 s, its time limit.")]


def test_an_answer_of_any_length_is_cut(tmp_path: Path) -> None:
    run = run_with(tmp_path, ("long_answer",), calls(call("echo", text="1000000")))
    (end,) = (each for each in run.events(ToolCalled) if each.tool == "echo" and each.ok)
    assert (end.result_chars or 0) >= 40_000


def test_an_answer_that_is_none_fails_the_call(tmp_path: Path) -> None:
    run = run_with(tmp_path, ("odd_answer",), calls(call("echo", text="a")))
    assert [ok for ok, _error in ends(run, "echo")] == [False]


def test_arguments_that_do_not_fit_never_reach_the_server(tmp_path: Path) -> None:
    run = run_with(tmp_path, ("good",), calls(call("echo", text=7)))
    ((ok, error),) = ends(run, "echo")
    assert ok is False
    assert "`text`: 7 is not of type 'string'" in error
