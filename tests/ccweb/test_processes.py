"""Web, worker and beat as docker-compose.yml runs them, on a real PostgreSQL and a real Redis."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
import yaml

from tests import servers
from tests.ccweb.transcripts import answer

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())


class Team:
    """The services of the compose file, with its commands and the environment that it gives them."""

    def __init__(self, stack: ExitStack, folder: Path, database: str, broker: str) -> None:
        self.stack, self.folder, self.database = stack, folder, database
        self.port = servers.free_port()
        given = {"DATABASE_URL": database, "CELERY_BROKER_URL": broker, "CCWEB_SECRET_KEY": "k" * 50}
        assert set(given) <= set(COMPOSE["services"]["web"]["environment"])
        other = {name: str(value) for name, value in COMPOSE["services"]["web"]["environment"].items()}
        self.environment = other | given | {"PATH": os.environ["PATH"], "CCWEB_DATA_DIR": str(folder / "data")}

    def start(self, service: str) -> subprocess.Popen[bytes]:
        """Run a service's command, with this machine's paths."""
        words = shlex.split(COMPOSE["services"][service]["command"])
        command = [{"python": sys.executable, "8000": str(self.port)}.get(word, word) for word in words]
        running = servers.process(
            command, self.folder / service, cwd=ROOT, env=self.environment, start_new_session=True
        )
        return self.stack.enter_context(running)

    def log(self, service: str) -> str:
        """What a service said so far."""
        return (self.folder / service).read_text()

    def sql(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of the database."""
        with psycopg.connect(self.database.replace("postgres://", "postgresql://"), autocommit=True) as session:
            found = session.execute(query, values)
            return found.fetchall() if found.description else []


@pytest.fixture
def team(tmp_path: Path, postgresql: str, redis_url: str) -> Iterator[Team]:
    """The team, with a database of its own that is migrated, and nobody at work yet."""
    with psycopg.connect(f"{postgresql}/postgres".replace("postgres://", "postgresql://"), autocommit=True) as session:
        session.execute("DROP DATABASE IF EXISTS team WITH (FORCE)")
        session.execute("CREATE DATABASE team")
    with redis.Redis.from_url(redis_url) as client:
        client.flushall()
    with ExitStack() as stack:
        made = Team(stack, tmp_path, f"{postgresql}/team", f"{redis_url}/0")
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=made.environment, check=True)
        yield made


REQUESTS = 20_000
"""Enough to kill a worker amid them."""
BEGIN = "from observability.services.jobs import begin_import; print(begin_import(paths=[{!r}]).pk)"


def begin_import(team: Team, path: Path) -> int:
    """What a page would do."""
    return int(shell(team, BEGIN.format(str(path))))


def sweep(team: Team) -> None:
    """What beat does every minute."""
    shell(team, "from observability.tasks import requeue_lost; requeue_lost.delay()")


def shell(team: Team, code: str) -> bytes:
    """Run code of the site; gives what it printed."""
    command = [sys.executable, "manage.py", "shell", "-v0", "-c", code]
    return subprocess.check_output(command, cwd=ROOT, env=team.environment)


def state(team: Team, job: int) -> str:
    return str(team.sql("SELECT state FROM observability_importjob WHERE id = %s", job)[0][0])


def test_a_worker_does_a_job_that_the_web_began(team: Team, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").touch()
    team.start("worker")
    job = begin_import(team, tmp_path / "log.jsonl")

    servers.wait_for(lambda: state(team, job) == "done", tmp_path / "worker")


def test_a_job_whose_worker_was_killed_is_found_again(team: Team, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(answer(f"m{number}")) + "\n" for number in range(REQUESTS)))
    worker = team.start("worker")
    job = begin_import(team, log)
    servers.wait_for(lambda: state(team, job) == "running", tmp_path / "worker")
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    assert state(team, job) == "running"
    team.sql("UPDATE observability_importjob SET started_at = started_at - interval '2 hours'")
    team.start("worker")
    sweep(team)

    servers.wait_for(lambda: state(team, job) == "done", tmp_path / "worker")
    assert team.sql("SELECT count(*) FROM observability_request") == [(REQUESTS,)]


def test_a_job_that_the_broker_lost_is_found_again(team: Team, tmp_path: Path, redis_url: str) -> None:
    (tmp_path / "log.jsonl").touch()
    job = begin_import(team, tmp_path / "log.jsonl")
    with redis.Redis.from_url(redis_url) as client:
        client.flushall()
    team.sql("UPDATE observability_importjob SET created_at = created_at - interval '2 hours'")
    team.start("worker")
    sweep(team)

    servers.wait_for(lambda: state(team, job) == "done", tmp_path / "worker")


def test_the_web_serves_and_beat_sends_periodic_tasks(team: Team, tmp_path: Path) -> None:
    team.start("web")
    team.start("beat")
    servers.wait_for(lambda: "beat: Starting" in team.log("beat"), tmp_path / "beat")
    servers.wait_for(lambda: "ccweb is at" in team.log("web"), tmp_path / "web")
    check = COMPOSE["services"]["web"]["healthcheck"]["test"]

    assert check[:3] == ["CMD", "python", "-c"]
    asked = check[3].replace("8000", str(team.port))
    subprocess.run([sys.executable, "-c", asked], check=True, timeout=30)


def test_only_this_machine_reaches_the_site() -> None:
    published = [port for service in COMPOSE["services"].values() for port in service.get("ports", [])]

    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_the_services_share_one_environment() -> None:
    web, worker, beat = (COMPOSE["services"][name]["environment"] for name in ("web", "worker", "beat"))

    assert web == worker == beat
