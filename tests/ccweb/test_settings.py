from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def manage(folder: Path, *words: str, **values: str) -> subprocess.CompletedProcess[str]:
    """`manage.py` in an environment of its own."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "CCWEB_DATA_DIR": str(folder / "data"), **values}
    command = [sys.executable, str(ROOT / "manage.py"), *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CCWEB_DEBUG", "perhaps"),
        ("CCWEB_STORE_TEXT", "some"),
        ("CCWEB_LOG_LEVEL", "LOUD"),
        ("CCWEB_MAX_BODY_MB", "0"),
        ("CCWEB_DATA_DIR", "/dev/null"),
        ("DATABASE_URL", "mysql://somewhere/ccweb"),
        ("DATABASE_URL", "postgres://user@host:port/name"),
        ("DATABASE_URL", "nonsense"),
        ("CELERY_BROKER_URL", "nonsense"),
        ("CELERY_BROKER_URL", "amqp://somewhere"),
    ],
)
def test_a_value_that_cannot_be_read_stops_the_start_with_a_sentence(tmp_path: Path, name: str, value: str) -> None:
    done = manage(tmp_path, "check", **{name: value})

    assert done.returncode == 1
    assert done.stderr.startswith(f"ccweb cannot start: {name} ")
    assert done.stderr.count("\n") == 1


def test_the_secret_key_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    manage(tmp_path, "check")
    key = tmp_path / "data" / "secret-key"
    first = key.read_text()
    manage(tmp_path, "check")

    assert key.read_text() == first
    assert len(first) >= 50
    assert key.stat().st_mode & 0o777 == 0o600


def test_a_deployment_behind_https_passes_djangos_checks(tmp_path: Path) -> None:
    values = {"CCWEB_SECURE": "1", "CCWEB_SECRET_KEY": os.urandom(40).hex(), "CCWEB_ALLOWED_HOSTS": "ccweb.example"}

    done = manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **values)

    assert done.returncode == 0, done.stderr
