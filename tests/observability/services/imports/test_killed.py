"""An import that is killed and started again ends with the same rows."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.claude_code_lines import Log, dump, text

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[4]
SKIPPED = {"django_migrations", "sqlite_sequence", "django_content_type", "observability_storestate"}
READING = {"read_at", "at"}


def manage(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """A management command with a data folder of its own."""
    values = {**os.environ, "CCWEB_DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "ccweb.settings"}
    return subprocess.Popen([sys.executable, "manage.py", *words], cwd=ROOT, env=values, stdout=subprocess.DEVNULL)


def rows(folder: Path) -> dict[str, list[str]]:
    """Every table of the database, without ids that count up and times of reading."""
    with sqlite3.connect(folder / "ccweb.sqlite3") as database:
        database.row_factory = sqlite3.Row
        names = [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]
        return {name: _table(database, name) for name in names if name not in SKIPPED}


def _table(database: sqlite3.Connection, name: str) -> list[str]:
    found = [dict(row) for row in database.execute(f'select * from "{name}"')]
    left_out = {"read_at"} | ({"id"} if found and found[0].get("id", 0) < 10**9 else set())
    if name.endswith("quarantinedline"):
        left_out |= READING
    return sorted(repr({key: value for key, value in row.items() if key not in left_out}) for row in found)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some 30 MB of generated logs."""
    folder = tmp_path_factory.mktemp("logs")
    for number in range(60):
        log = Log(session=f"{number:08}-0000-4000-8000-000000000000")
        records = [
            r
            for n in range(60)
            for r in (log.user(f"{number} {n} " + "word " * 800), log.assistant([text("y " * 900)]))
        ]
        (folder / f"{number}.jsonl").write_bytes(b"broken\n" + dump(records))
    return folder


def test_killed_at_any_point_and_started_again_it_ends_with_the_same_rows(logs: Path, tmp_path: Path) -> None:
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
        assert manage(tmp_path / name, "migrate", "-v0").wait() == 0
    began = time.monotonic()
    assert manage(tmp_path / "whole", "import_logs", str(logs)).wait() == 0
    took = time.monotonic() - began
    kills = 0
    for share in (0.5, 0.6, 0.7, 0.8, 0.9):
        process = manage(tmp_path / "killed", "import_logs", str(logs))
        time.sleep(took * share)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait()
    assert manage(tmp_path / "killed", "import_logs", str(logs)).wait() == 0
    assert kills > 0
    assert rows(tmp_path / "killed") == rows(tmp_path / "whole")
