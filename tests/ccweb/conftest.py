"""Running the ccweb command as a person does."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import servers

ROOT = Path(__file__).parents[2]


class Site:
    """A running `python -m ccweb run` with a home folder and data of its own."""

    def __init__(self, folder: Path, arguments: tuple[str, ...], values: dict[str, str]) -> None:
        self.log = folder / "output"
        own = {"PATH": os.environ["PATH"], "HOME": str(folder), "CCWEB_DATA_DIR": str(folder / "data")}
        command = [sys.executable, "-m", "ccweb", "run", "--port", "0", *arguments]
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(command, env=own | values, cwd=ROOT, stdout=output, stderr=output)

    @property
    def output(self) -> str:
        """What it said so far."""
        return self.log.read_text()

    @property
    def url(self) -> str:
        """Where it serves, once it says so."""
        servers.wait_for(lambda: "ccweb is at" in self.output or self.process.poll() is not None, self.log)
        return re.search(r"http://\S+:\d+", self.output)[0]  # type: ignore[index]

    def status(self, path: str) -> int:
        """The status that a page has."""
        try:
            with urllib.request.urlopen(self.url + path, timeout=20) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code

    def stop(self, sign: signal.Signals) -> int:
        """Send a signal; gives the exit code."""
        self.process.send_signal(sign)
        return self.process.wait(20)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """Starts a site; it is gone after the test."""
    started: list[Site] = []

    def go(*arguments: str, **values: str) -> Site:
        started.append(Site(tmp_path, arguments, values))
        return started[-1]

    yield go
    for site in started:
        site.process.kill()
        site.process.wait()
