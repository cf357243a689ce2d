"""The harness's own tools, opened for a folder: the specs of `harness.catalogue.OWN` with what runs them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final

from harness.builtin.changes import Changes
from harness.builtin.listing import glob, list_folder
from harness.builtin.memory import Memory
from harness.builtin.reading import read
from harness.builtin.searching import search
from harness.builtin.shell import Shell
from harness.builtin.tasks import Tasks
from harness.builtin.writing import Writing
from harness.catalogue import OWN, Catalogue
from harness.loop.toolbox import Arguments, Context, Handler, Run, ToolBox, ToolFault, ToolOutput, Toolset

OF_THE_LOOP: Final = frozenset(("finish", "hand_over_plan", "hand_over_review", "spawn_agent"))
"""Own tools that the loop itself answers: they begin or end a run."""

Blocking = Callable[[Arguments, Context], ToolOutput]


@contextlib.asynccontextmanager
async def opened(folder: Path, *, memory: Path | None = None) -> AsyncIterator[Toolset]:
    """All of the harness's own tools, for runs in a folder. Background jobs end with the block.

    `memory` is the file of the memory; without it, what is saved is gone after the block. A run
    works in the folder of its context, which may be one below this one. Raises ToolFault where
    the folder is none.
    """
    if not folder.is_dir():
        raise ToolFault(f"{folder} is no folder")
    shell, kept = Shell(changes := Changes()), Memory(memory)
    try:
        yield Toolset(catalogue=Catalogue(OWN.values()), box=_box(changes, shell, kept))
    finally:
        await shell.close()
        kept.close()


def _box(changes: Changes, shell: Shell, memory: Memory) -> ToolBox:
    writing, tasks = Writing(changes), Tasks()
    alone = (writing.write, writing.edit, writing.edit_many, writing.move, writing.delete)
    looking = (read, list_folder, glob, changes.changes, memory.memory_search)
    remembering = (memory.memory_save, memory.memory_forget)
    return ToolBox(
        {
            **{each.__name__: Handler(run=_in_thread(each)) for each in (*alone, *remembering)},
            **{each.__name__: Handler(run=_in_thread(each), together=True) for each in looking},
            "search": Handler(run=_clean(search), together=True, own_limit=True),
            "bash": Handler(run=_clean(shell.bash), own_limit=True),
            "bash_output": Handler(run=_clean(shell.bash_output), own_limit=True),
            "bash_stop": Handler(run=_clean(shell.bash_stop)),
            "task_list": Handler(run=tasks.task_list),
            "task_update": Handler(run=tasks.task_update),
            "ask_user": Handler(run=_ask_user, own_limit=True),
        }
    )


async def _ask_user(arguments: Arguments, context: Context) -> ToolOutput:
    """The user's answer. Raises ToolFault where nobody is there."""
    return ToolOutput(text=await context.ask(arguments["question"], tuple(arguments.get("options", ()))))


def _in_thread(tool: Blocking) -> Run:
    async def run(arguments: Arguments, context: Context) -> ToolOutput:
        return await asyncio.to_thread(tool, arguments, context)

    return _clean(run)


def _clean(tool: Run) -> Run:
    """The same tool, with what cannot be written in UTF-8 replaced in its answers: names of files may hold anything."""

    async def run(arguments: Arguments, context: Context) -> ToolOutput:
        try:
            found = await tool(arguments, context)
        except ToolFault as fault:
            raise ToolFault(_utf8(str(fault))) from fault
        return ToolOutput(text=_utf8(found.text), failed=found.failed, media=found.media)

    return run


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
