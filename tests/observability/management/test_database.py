"""Commands find their tables, or make them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
def test_the_first_command_of_all_makes_the_tables(tmp_path: Path) -> None:
    values = {**os.environ, "CCWEB_DATA_DIR": str(tmp_path / "data"), "DJANGO_SETTINGS_MODULE": "ccweb.settings"}
    words = [sys.executable, "manage.py", "report", "--json"]
    done = subprocess.run(words, cwd=ROOT, env=values, capture_output=True, text=True, check=True)
    assert [row["requests"] for row in json.loads(done.stdout)] == [0]


@pytest.mark.django_db
def test_a_command_leaves_a_database_that_has_its_tables_alone() -> None:
    out = StringIO()
    call_command("report", json=True, stdout=out)
    assert json.loads(out.getvalue())[0]["key"] == "total"
