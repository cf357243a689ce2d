from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.ccweb.transcripts import answer
from tests.servers import wait_for

pytestmark = pytest.mark.slow


def write_log(home: Path, requests: int) -> Path:
    """A Claude Code transcript with some requests."""
    file = home / ".claude" / "projects" / "-shop" / "c1.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as log:
        for number in range(requests):
            log.write(json.dumps(answer(f"m{number}")) + "\n")
    return file


def requests_in(site: Any) -> int:
    with urllib.request.urlopen(f"{site.url}/api/v1/report", timeout=20) as rows:
        return int(json.load(rows)[0]["requests"])


def test_it_imports_logs_behind_the_site_and_reads_new_lines(start: Callable[..., Any], tmp_path: Path) -> None:
    write_log(tmp_path, 2)
    site = start()
    wait_for(lambda: requests_in(site) == 2, site.log)
    with write_log(tmp_path, 0).open("a") as log:
        log.write(json.dumps(answer("later")) + "\n")
    wait_for(lambda: requests_in(site) == 3, site.log)

    assert "Claude Code logs: ~/.claude/projects (1 file, " in site.output


def test_it_answers_within_five_seconds_of_work(start: Callable[..., Any]) -> None:
    site = start()

    assert site.status("/healthz") == 200
    spent = psutil.Process(site.process.pid).cpu_times()
    assert spent.user + spent.system < 5


def test_without_a_log_it_says_so_and_names_the_demo(start: Callable[..., Any]) -> None:
    site = start()

    assert site.status("/") == 200
    assert "No log was found. The site shows how to get one, and offers demo conversations." in site.output


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_its_watcher_without_a_trace(start: Callable[..., Any], sign: signal.Signals) -> None:
    site = start()
    assert site.status("/healthz") == 200
    children = psutil.Process(site.process.pid).children()

    assert len(children) == 1
    assert site.stop(sign) == 0
    assert site.output.endswith("(Ctrl-C stops it)\nStopped.\n")
    assert not children[0].is_running()


def test_a_signal_in_its_first_moments_ends_it_too(start: Callable[..., Any]) -> None:
    site = start()
    assert site.url

    assert site.stop(signal.SIGINT) == 0
    assert "Traceback" not in site.output


def test_the_watcher_ends_when_the_site_is_killed(start: Callable[..., Any]) -> None:
    site = start()
    assert site.status("/healthz") == 200
    (child,) = psutil.Process(site.process.pid).children()
    site.process.kill()
    site.process.wait()

    child.wait(15)


def test_a_port_in_use_is_said_in_one_sentence(start: Callable[..., Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        site = start("--port", str(port))

        assert site.process.wait(20) == 1
    assert site.output == f"ccweb cannot serve: port {port} is in use. Choose another one: make run PORT={port + 1}\n"


def test_a_database_that_cannot_be_used_is_said_in_one_sentence(start: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "broken"
    file.write_text("This is no database, and long enough to be told from one. " * 20)
    site = start(DATABASE_URL=f"sqlite:///{file}")

    assert site.process.wait(20) == 1
    assert site.output.startswith("ccweb cannot start: the database cannot be used: ")
    assert site.output.count("\n") == 1


def test_a_setting_that_cannot_be_read_is_said_in_one_sentence(start: Callable[..., Any]) -> None:
    site = start(CCWEB_STORE_TEXT="some")

    assert site.process.wait(20) == 2
    assert site.output == "ccweb cannot start: CCWEB_STORE_TEXT is 'some'; it must be one of full, preview, none.\n"


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_what_is_no_port_is_refused(port: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ccweb", "run", f"--port={port}"], env=os.environ, capture_output=True, text=True
    )

    assert done.returncode == 2
    assert f"'{port}' is not a port: a number from 0 to 65535" in done.stderr
