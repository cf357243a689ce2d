from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from harness import builtin
from harness.catalogue import OWN
from harness.loop.toolbox import ToolFault
from tests.harness.builtin.conftest import Work, context_for


def test_every_own_tool_that_the_loop_does_not_answer_itself_has_a_handler(work: Work) -> None:
    assert set(work.tools.box) == set(OWN) - builtin.OF_THE_LOOP


def test_tools_that_look_may_run_together_and_tools_that_change_may_not(work: Work) -> None:
    together = {name for name, handler in work.tools.box.items() if handler.together}
    assert together == {"read", "list_folder", "glob", "search", "changes", "memory_search"}


def test_a_question_goes_to_the_user_and_the_answer_comes_back(work: Work) -> None:
    async def answer(question: str, options: tuple[str, ...]) -> str:
        return f"{question} {options[0]}"

    context = msgspec.structs.replace(context_for(work.folder), ask=answer)

    async def ask() -> str:
        asked = {"question": "Which?", "options": ["this", "that"]}
        return (await work.tools.box["ask_user"].run(asked, context)).text

    assert work.runner.run(ask()) == "Which? this"


def test_a_question_is_refused_where_nobody_is_there(work: Work) -> None:
    assert "nobody" in work.fault("ask_user", question="Which?")


def test_a_file_cannot_be_opened_as_a_working_folder(tmp_path: Path) -> None:
    async def enter() -> None:
        (tmp_path / "file").touch()
        async with builtin.opened(tmp_path / "file"):
            pass

    with pytest.raises(ToolFault, match="is no folder"):
        asyncio.run(enter())


def test_a_name_that_is_no_unicode_can_still_be_sent(work: Work) -> None:
    (work.folder / "caf\udce9").touch()
    assert work.text("list_folder").encode()
