"""The own tools, opened for a folder of the test."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness import builtin
from harness.loop.arguments import fault_in
from harness.loop.toolbox import Context, ToolFault, ToolOutput, Toolset
from harness.modes import BUILD


async def refuse(question: str, options: tuple[str, ...]) -> str:
    raise ToolFault("nobody is there")


def context_for(folder: Path, run: str = "run") -> Context:
    return Context(conversation="c", run=run, call="call", folder=folder, mode=BUILD, ask=refuse, say=lambda line: None)


class Work:
    """Calls the tools in a folder, one after the other, as the loop does: arguments must fit the schema."""

    def __init__(self, folder: Path, tools: Toolset, runner: asyncio.Runner) -> None:
        self.folder, self.tools, self.runner = folder, tools, runner

    def __call__(self, name: str, run: str = "run", **arguments: Any) -> ToolOutput:
        assert fault_in(self.tools.catalogue[name], arguments) is None
        return self.runner.run(self._called(name, run, arguments))

    async def _called(self, name: str, run: str, arguments: dict[str, Any]) -> ToolOutput:
        return await self.tools.box[name].run(arguments, context_for(self.folder, run))

    def text(self, name: str, **arguments: Any) -> str:
        return self(name, **arguments).text

    def fault(self, name: str, **arguments: Any) -> str:
        with pytest.raises(ToolFault) as caught:
            self(name, **arguments)
        return str(caught.value)

    def put(self, path: str, content: str | bytes) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Work]:
    folder = tmp_path / "work"
    folder.mkdir()
    opened = builtin.opened(folder.resolve(), memory=tmp_path / "memory.sqlite3")
    with asyncio.Runner() as runner:
        tools = runner.run(opened.__aenter__())
        yield Work(folder.resolve(), tools, runner)
        runner.run(opened.__aexit__(None, None, None))
