"""The tools task_list and task_update: the steps of a task, one list a run, in memory."""

from __future__ import annotations

from typing import Final

import msgspec

from harness.loop.toolbox import Arguments, Context, ToolFault, ToolOutput

MOST: Final = 100
_SIGNS: Final = {"pending": "[ ]", "in_progress": "[>]", "done": "[x]", "dropped": "[-]"}


class _Step(msgspec.Struct):
    title: str
    status: str = "pending"
    note: str = ""


class Tasks:
    """The tools, with the list of each run."""

    def __init__(self) -> None:
        self._lists: dict[str, list[_Step]] = {}

    async def task_list(self, arguments: Arguments, context: Context) -> ToolOutput:
        """Replace the list, or show it."""
        if "tasks" in arguments:
            given = arguments["tasks"]
            if len(given) > MOST:
                raise ToolFault(f"tasks: {len(given):,} steps are too many for a list; the most is {MOST}")
            self._lists[context.run] = [_Step(each["title"], each.get("status", "pending")) for each in given]
        return ToolOutput(text=self._text(context.run))

    async def task_update(self, arguments: Arguments, context: Context) -> ToolOutput:
        """Change the status of one step."""
        steps = self._lists.get(context.run, [])
        number = int(arguments["number"])
        if not 1 <= number <= len(steps):
            has = f"the list has {len(steps)} steps" if steps else "there is no list yet; task_list makes one"
            raise ToolFault(f"number: there is no step {number}; {has}")
        step = steps[number - 1]
        step.status = arguments["status"]
        step.note = arguments.get("note", step.note)
        return ToolOutput(text=self._text(context.run))

    def _text(self, run: str) -> str:
        steps = self._lists.get(run, [])
        lines = [
            f"{number}. {_SIGNS[step.status]} {step.title}{f' ({step.note})' if step.note else ''}"
            for number, step in enumerate(steps, 1)
        ]
        begun = [str(number) for number, step in enumerate(steps, 1) if step.status == "in_progress"]
        if len(begun) > 1:
            lines.append(f"Steps {' and '.join(begun)} are in progress; one at a time is better.")
        return "\n".join(lines) or "The list is empty."
