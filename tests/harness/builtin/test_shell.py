from __future__ import annotations

import asyncio
import os
import time

import psutil
import pytest

from harness import builtin
from harness.builtin.output import Kept
from tests.harness.builtin.conftest import Work, context_for


def alive(word: str) -> list[int]:
    """Processes with a word of their own in the command line."""
    return [each.pid for each in psutil.process_iter(["cmdline"]) if word in (each.info["cmdline"] or ())]


def word() -> str:
    """A number of seconds to sleep that no other process has."""
    return f"3600.{int.from_bytes(os.urandom(6), 'big')}"


def test_a_command_runs_in_the_folder(work: Work) -> None:
    work.put("file", "")
    assert work.text("bash", command="pwd; ls") == f"{work.folder}\nfile"


def test_an_exit_code_is_a_failure_and_told(work: Work) -> None:
    found = work("bash", command="echo out; echo err >&2; exit 3")
    assert found.failed
    assert found.text == "out\nerr\n[exit code 3]"


def test_a_command_without_output_says_so(work: Work) -> None:
    assert work.text("bash", command="true") == "(no output)"


def test_a_command_does_not_wait_for_input(work: Work) -> None:
    assert work.text("bash", command="cat; echo done") == "done"


def test_the_time_limit_ends_all_that_the_command_started(work: Work) -> None:
    mark = word()
    command = f"sleep {mark} & setsid sleep {mark} & trap '' TERM; echo begun; sleep {mark}"
    begun = time.monotonic()
    found = work("bash", command=command, timeout=1)
    assert found.failed
    assert found.text == "begun\n[stopped after 1 s, with all that it started: timeout]"
    assert time.monotonic() - begun < 5
    assert alive(mark) == []


def test_what_a_command_left_running_is_stopped_and_told(work: Work) -> None:
    mark = word()
    found = work("bash", command=f"sleep {mark} & echo done")
    assert found.text.startswith("done\n[exit code 0]\n[what it left running was stopped")
    assert alive(mark) == []


def test_a_call_that_is_cancelled_ends_its_command(work: Work) -> None:
    mark = word()

    async def cancelled() -> None:
        context = context_for(work.folder)
        task = asyncio.ensure_future(work.tools.box["bash"].run({"command": f"sleep {mark}"}, context))
        await asyncio.sleep(0.2)
        task.cancel()
        await asyncio.wait({task})

    work.runner.run(cancelled())
    assert alive(mark) == []


def test_a_hundred_megabytes_are_cut_while_they_are_printed(work: Work) -> None:
    before = psutil.Process().memory_info().rss
    begun = time.monotonic()
    text = work.text("bash", command="echo first; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo last")
    assert time.monotonic() - begun < 10
    assert psutil.Process().memory_info().rss - before < 30_000_000
    assert text.startswith("first\n")
    assert text.endswith("\nlast")
    assert "bytes left out" in text
    assert len(text) < 200_000


def test_a_background_job_tells_what_is_new_and_its_end(work: Work) -> None:
    work("bash", command="echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; exit 4", background=True)
    assert work.text("bash_output", job="job-1", wait=5) == "one\n[job-1: still running]"
    assert work.text("bash_output", job="job-1") == "(nothing new)\n[job-1: still running]"
    work.put("go", "")
    text = ""
    while "exit code" not in text:
        text += work.text("bash_output", job="job-1", wait=5)
    assert text.startswith("two\n")
    assert text.endswith("[job-1: exit code 4]")


def test_a_job_is_stopped_with_all_that_it_started(work: Work) -> None:
    mark = word()
    work("bash", command=f"sleep {mark} & sleep {mark}", background=True)
    assert work.text("bash_stop", job="job-1") == "[job-1: stopped]"
    assert alive(mark) == []
    assert work.text("bash_stop", job="job-1") == "job-1 has ended already: stopped by bash_stop."


def test_a_job_without_a_name_is_told_what_there_is(work: Work) -> None:
    assert work.fault("bash_output", job="job-9") == "job: there is no job 'job-9'; none was started"


def test_jobs_end_with_the_run(work: Work) -> None:
    mark = word()

    async def run() -> None:
        async with builtin.opened(work.folder) as tools:
            arguments = {"command": f"sleep {mark}", "background": True}
            await tools.box["bash"].run(arguments, context_for(work.folder))
            assert alive(mark)

    work.runner.run(run())
    assert alive(mark) == []


def test_keys_of_the_harness_are_not_shown_to_commands(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "private")
    assert "private" not in work.text("bash", command="env")


def test_output_is_kept_whole_up_to_the_limit() -> None:
    kept = Kept(4)
    for chunk in (b"ab", b"cdef", b"gh"):
        kept.add(chunk)
    assert kept.text() == "abcdefgh"
    kept.add(b"ij")
    assert kept.text() == "abcd\n[… 2 bytes left out …]\nghij"
