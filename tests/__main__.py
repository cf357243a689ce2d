"""Run the tests twice: all of them on SQLite, then those that touch the database on PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

NOTHING_CHOSEN = 5
"""Exit code of pytest where no test fits its arguments."""


def run(name: str, engine: str, report: Path, arguments: list[str]) -> int:
    """One run; its last line goes to `report`. Gives the exit code."""
    print(f"\n===== {name} =====", flush=True)
    values = {"CCWEB_TEST_ENGINE": engine, "CCWEB_TEST_REPORT": str(report)}
    done = subprocess.run([sys.executable, "-m", "pytest", *arguments], env=os.environ | values)
    return 0 if done.returncode == NOTHING_CHOSEN else done.returncode


def main(arguments: list[str]) -> int:
    """Gives the worst exit code."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        codes = [run("SQLite", "sqlite", report, arguments), run("PostgreSQL", "postgresql", report, arguments)]
        print("\n===== Both =====")
        print(report.read_text() if report.exists() else "No test was run.")
    return max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
