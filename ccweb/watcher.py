"""The process that imports logs and watches for new lines, beside the one that serves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import Final

from django.core.management import call_command

PATIENCE: Final = 5.0
"""Seconds that it may take to stop. Being killed costs nothing: rows and offsets move in one transaction."""
AGAIN: Final = 10.0
"""Seconds until it is started again after an error."""


def watch() -> int:
    """Run `watch_logs` until told to stop, or until the process that started this one is gone."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        call_command("watch_logs")
    except KeyboardInterrupt:
        pass
    return 0


def _end_with_input() -> None:
    """Standard input is a pipe from the parent: it ends when the parent does, however that came about."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


class Watcher:
    """Keeps that process running."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._process = self._start()
        self._keeper = threading.Thread(target=self._keep, name="watcher", daemon=True)
        self._keeper.start()

    def stop(self) -> None:
        """End the process and wait for it."""
        with self._lock:
            self._stopping.set()
        self._process.terminate()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        # A session of its own: Ctrl-C reaches only the parent, which then stops this one in order.
        command = [sys.executable, "-m", "ccweb", "watch"]
        return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)

    def _keep(self) -> None:
        while code := self._process.wait():
            if self._stopping.is_set():
                return
            print(f"The watcher ended with code {code}; it starts again in {AGAIN:.0f} s.", file=sys.stderr)
            self._stopping.wait(AGAIN)
            with self._lock:
                if self._stopping.is_set():
                    return
                self._process = self._start()
