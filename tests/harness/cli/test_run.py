"""The command, on scripts: from its words to what it prints, its log and its exit code."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from harness import runlog
from harness.__main__ import main
from harness.cli.run import DEFERRAL
from harness.runlog import (
    AnyEvent,
    RequestFinished,
    RunFinished,
    RunStarted,
    SurfaceChanged,
    SurfaceDeclared,
    ToolCalled,
)
from tests.harness.mcp.conftest import many

ROOT = Path(__file__).resolve().parents[3]
FINISH: dict[str, Any] = {"calls": [{"tool": "finish", "arguments": {"summary": "All is well."}}]}
WRITE: dict[str, Any] = {"calls": [{"tool": "write", "arguments": {"path": "a.txt", "content": "hello"}}]}


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv(DEFERRAL, raising=False)
    (tmp_path / "work").mkdir()


def script(tmp_path: Path, *turns: dict[str, Any], **more: Any) -> list[str]:
    """The words for a run by a script, in a folder of its own, with a log."""
    file = tmp_path / "script.json"
    file.write_text(json.dumps({"turns": turns, **more}))
    return ["run", "Do it.", "--folder", str(tmp_path / "work"), "--script", str(file), "--log", str(tmp_path / "log")]


def log(tmp_path: Path) -> list[AnyEvent]:
    return list(runlog.read((tmp_path / "log").read_bytes().splitlines()))


def test_a_task_is_done_and_the_last_line_is_about_the_cache(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*script(tmp_path, WRITE, FINISH), "--yes"]) == 0
    assert (tmp_path / "work" / "a.txt").read_text() == "hello"
    lines = capsys.readouterr().out.splitlines()
    assert "All is well." in lines
    assert lines[-1].startswith("cache rate ")
    assert lines[-1].endswith("0 tools loaded; 0 of 0 searches found nothing")


def test_what_is_not_allowed_is_not_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(script(tmp_path, WRITE, FINISH)) == 0
    assert not (tmp_path / "work" / "a.txt").exists()
    assert "✗ write write needs approval" in capsys.readouterr().out


def test_a_rule_allows_what_fits_it(tmp_path: Path) -> None:
    main([*script(tmp_path, WRITE, FINISH), "--allow", "write(*.txt)"])
    assert (tmp_path / "work" / "a.txt").exists()


def test_a_run_that_fails_says_why_and_has_another_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(script(tmp_path, {"error": {"kind": "refused", "message": "no such model"}})) == 1
    assert "Failed: no such model" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "variable", "deferral"), [([], "", True), (["--tool-deferral=off"], "on", False), ([], "off", False)]
)
def test_deferral_is_on_unless_word_or_environment_says_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], variable: str, *, deferral: bool
) -> None:
    monkeypatch.setenv(DEFERRAL, variable)
    main([*script(tmp_path, FINISH), *words])
    assert [each.deferral for each in log(tmp_path) if isinstance(each, RunStarted)] == [deferral]


def test_a_setting_that_is_neither_on_nor_off_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(DEFERRAL, "maybe")
    assert main(script(tmp_path, FINISH)) == 2
    assert "is 'maybe'; it is on or off" in capsys.readouterr().err


def test_a_mode_shapes_the_surface(tmp_path: Path) -> None:
    main([*script(tmp_path, {"text": "Looks good."}), "--mode", "review"])
    (declared,) = (each for each in log(tmp_path) if isinstance(each, SurfaceDeclared))
    states = {tool.name: tool.state for tool in declared.tools}
    assert (states["write"], states["hand_over_review"]) == ("denied", "resident")


def test_a_run_is_resumed_from_its_log_and_goes_on_in_it(tmp_path: Path) -> None:
    main(script(tmp_path, {"text": "Soon."}))
    words = script(tmp_path, FINISH)
    assert main([*words[:-2], "--resume", str(tmp_path / "log")]) == 0
    runs = [each.run for each in log(tmp_path) if isinstance(each, RunStarted)]
    assert len(runs) == 2
    assert len(set(runs)) == 1


def test_what_a_tool_prints_cannot_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turn = {
        "text": "red \x1b[31m",
        "calls": [{"tool": "bash", "arguments": {"command": "printf '\\033]0;title\\007'"}}],
    }
    main([*script(tmp_path, turn, FINISH), "--yes"])
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "\x07" not in printed
    assert "␛[31m" in printed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--folder", "nowhere"], "nowhere is no folder"),
        (["--allow", "bash("], "is no rule"),
        (["--script", "none.json"], "none.json"),
        (["--resume", "none.ndjson"], "none.ndjson"),
        (["--to", "site"], "site does not begin with http://"),
    ],
)
def test_what_cannot_begin_says_so_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main([*script(tmp_path, FINISH), *words]) == 2
    assert said in capsys.readouterr().err


def test_a_long_conversation_is_compacted_where_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    look = {"calls": [{"tool": "list_folder", "arguments": {}}]}
    assert main([*script(tmp_path, look, {"text": "I looked."}, FINISH), "--compact-from", "1"]) == 0
    assert "~ conversation compacted: " in capsys.readouterr().out


@pytest.mark.parametrize(
    "words", [["--compact-from", "0"], ["--max-turns", "0"], ["--max-tokens", "-5"], ["--max-tokens", "many"]]
)
def test_a_limit_below_one_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([*script(tmp_path, FINISH), *words])
    assert end.value.code == 2
    assert f"argument {words[0]}: {words[1]!r} is no number from 1 up" in capsys.readouterr().err


@pytest.mark.slow
def test_a_server_that_hangs_neither_stops_a_run_nor_is_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / ".mcp.json"
    config.write_text(json.dumps(many("good", "hangs")))
    begin = time.monotonic()
    assert main([*script(tmp_path, FINISH), "--mcp-config", str(config)]) == 0
    assert time.monotonic() - begin < 15
    assert "! hangs is not there yet: its tools join the run when it does" in capsys.readouterr().out
    assert [each.pending_servers for each in log(tmp_path) if isinstance(each, SurfaceChanged)] == [["hangs"]]


def test_a_provider_without_a_key_says_which(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert main(["run", "Do it.", "--folder", str(tmp_path)]) == 2
    assert "ANTHROPIC_API_KEY" in capsys.readouterr().err


def started(tmp_path: Path, words: list[str], **options: Any) -> subprocess.Popen[bytes]:
    """A run in a process of its own, in which Ctrl-C counts even where these tests were started with it ignored."""
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    command = [sys.executable, "-m", "harness", *words]
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen(command, cwd=ROOT, env=environment, preexec_fn=heed, **options)


def wait_for(tmp_path: Path, text: str) -> None:
    """Until the log holds a text."""
    for _ in range(600):
        if (tmp_path / "log").is_file() and text in (tmp_path / "log").read_text():
            return
        time.sleep(0.05)
    raise AssertionError(f"no {text} in the log")


SLEEP: dict[str, Any] = {"calls": [{"tool": "bash", "arguments": {"command": "sleep 60"}}]}


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_ends_in_order(tmp_path: Path, sent: signal.Signals) -> None:
    process = started(
        tmp_path, [*script(tmp_path, SLEEP, FINISH), "--yes"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    wait_for(tmp_path, '"tool":"bash"')
    process.send_signal(sent)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out.endswith(b"Stopped.\n")
    assert err == b""
    (end,) = (each for each in log(tmp_path) if isinstance(each, RunFinished))
    assert end.outcome == "cancelled"


@pytest.mark.slow
def test_a_run_that_dies_leaves_what_happened(tmp_path: Path) -> None:
    process = started(tmp_path, [*script(tmp_path, SLEEP, FINISH), "--yes"], stdout=subprocess.DEVNULL)
    wait_for(tmp_path, '"tool":"bash"')
    process.kill()
    process.wait()
    events = log(tmp_path)
    assert any(isinstance(each, RequestFinished) for each in events)
    assert [each.ok for each in events if isinstance(each, ToolCalled)] == [None]
    assert main([*script(tmp_path, FINISH)[:-2], "--resume", str(tmp_path / "log")]) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "written"), [("yes", True), ("no", False)])
def test_the_user_is_asked_at_the_terminal(tmp_path: Path, answer: str, *, written: bool) -> None:
    ours, theirs = pty.openpty()
    process = started(tmp_path, script(tmp_path, WRITE, FINISH), stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = read_until(ours, b"[yes / no / always]")
    os.write(ours, f"{answer}\n".encode())
    read_until(ours, b"cache rate")
    assert process.wait(30) == 0
    os.close(ours)
    assert b"The agent wants to call write (write):" in shown
    assert (tmp_path / "work" / "a.txt").exists() is written


def read_until(descriptor: int, text: bytes) -> bytes:
    """What a terminal shows, up to a text."""
    shown = b""
    while text not in shown:
        shown += os.read(descriptor, 1000)
    return shown
