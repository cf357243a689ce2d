from __future__ import annotations

import subprocess
import sys

import pytest

from ccweb import watcher
from tests.servers import wait_for


def test_after_an_error_it_is_started_again(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def start(self: watcher.Watcher) -> subprocess.Popen[bytes]:
        code = "exit(3)" if not started else "import time; time.sleep(60)"
        started.append(subprocess.Popen([sys.executable, "-c", code]))
        return started[-1]

    monkeypatch.setattr(watcher, "AGAIN", 0.01)
    monkeypatch.setattr(watcher.Watcher, "_start", start)
    watching = watcher.Watcher()
    wait_for(lambda: len(started) == 2)
    watching.stop()

    assert "The watcher ended with code 3; it starts again" in capfd.readouterr().err
    assert started[1].returncode < 0


def test_one_that_does_not_stop_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(60)"
    deaf = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    monkeypatch.setattr(watcher, "PATIENCE", 0.1)
    monkeypatch.setattr(watcher.Watcher, "_start", lambda self: deaf)
    watching = watcher.Watcher()
    with deaf.stdout as output:  # type: ignore[union-attr]
        output.readline()
        watching.stop()

    assert deaf.returncode == -9
