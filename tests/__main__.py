"""Run the tests: those of the harness by themselves, the rest on SQLite, and what touches the database on PostgreSQL too.

With arguments for pytest all of this is one choice of tests, made twice, in the environment that this runs in.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests import alone

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
    codes = [] if arguments else [harness()]
    chosen = arguments or ["--ignore=tests/harness"]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        codes += [run("SQLite", "sqlite", report, chosen), run("PostgreSQL", "postgresql", report, chosen)]
        print("\n===== Both =====")
        print(report.read_text() if report.exists() else "No test was run.")
    return max(codes)


def harness() -> int:
    """The tests of the harness where there is no Django. Gives the exit code."""
    print("\n===== The harness by itself, installed, without Django =====", flush=True)
    return alone.main([])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
