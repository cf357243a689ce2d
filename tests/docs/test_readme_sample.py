"""The README shows what a command prints of a real log."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from observability.services.imports import import_paths
from tests.golden import hold

README = Path(__file__).parents[2] / "README.md"


@pytest.mark.django_db
def test_the_context_of_a_real_request_is_what_the_command_prints(
    samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    import_paths([samples / "claude_code" / "btctax-subagent-2.1.220-partial.jsonl"])
    out = StringIO()
    call_command("context", "2b9d8116", "--detail", stdout=out)
    hold(
        README, out.getvalue(), between=("$ .venv/bin/python manage.py context 2b9d8116 --detail\n", "```\n</details>")
    )
