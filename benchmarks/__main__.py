"""`python -m benchmarks`: run all measurements, or those that are named, and print the figures.

Each step runs in a process of its own with an empty database, so that none sees the memory or
the caches of another.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import django
from django.core.management import call_command

STEPS = {
    "import": ("corpus:sessions", "importing:speed"),
    "profile": ("corpus:sessions", "importing:profile"),
    "refresh": ("corpus:small_files", "importing:refresh"),
    "memory": ("corpus:big_file", "importing:memory"),
    "pages": ("filling:fill", "pages:measure"),
    "context": ("long:write", "contexts:measure"),
    "requests": ("assembling:measure",),
    "planted": ("planted:measure",),
}
"""Of each part: what prepares it, and what measures it."""


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure and print figures.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(STEPS)}; all but profile by default")
    parser.add_argument("--mb", type=int, default=200, help="size of the corpus of the import (default: 200)")
    parser.add_argument(
        "--same-text", action="store_true", help="replicate real logs with fresh ids but the same texts"
    )
    parser.add_argument("--files", type=int, default=1000, help="files of the refresh (default: 1000)")
    parser.add_argument("--big-mb", type=int, default=1000, help="size of the one big file (default: 1000)")
    parser.add_argument("--requests", type=int, default=1_000_000, help="requests behind the pages (default: 1000000)")
    parser.add_argument(
        "--conversations", type=int, default=10_000, help="conversations behind the pages (default: 10000)"
    )
    parser.add_argument(
        "--long-requests", type=int, default=5_000, help="requests of a long conversation (default: 5000)"
    )
    parser.add_argument("--long-mb", type=int, default=200, help="text of a long conversation (default: 200)")
    parser.add_argument("--seeds", type=int, default=20, help="conversations for each planted break (default: 20)")
    parser.add_argument("--folder", type=Path, help="work here and leave it there; a temporary folder by default")
    parser.add_argument("--step", nargs=2, metavar=("STEP", "FOLDER"), help=argparse.SUPPRESS)
    found = parser.parse_args(words)
    if unknown := set(found.parts) - set(STEPS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return found


def main(words: Sequence[str]) -> None:
    """Measure and print."""
    asked = arguments(words)
    if asked.step:
        print(json.dumps(take_step(asked.step[0], Path(asked.step[1]), asked)))
        return
    print(f"Python {platform.python_version()}, {os.cpu_count()} processors, {platform.machine()}, {platform.system()}")
    with tempfile.TemporaryDirectory(prefix="ccweb-bench-") as temporary:
        for part in asked.parts or [part for part in STEPS if part != "profile"]:
            folder = (asked.folder or Path(temporary)) / part
            (folder / "projects").mkdir(parents=True, exist_ok=True)
            for step in STEPS[part]:
                show(step.replace(":", ", "), _in_a_process(step, folder, words))


def take_step(step: str, folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """Run one step here. Its module is imported once Django is set up."""
    django.setup()
    call_command("migrate", verbosity=0, skip_checks=True)
    module, name = step.split(":")
    figures: dict[str, Any] = getattr(importlib.import_module(f"benchmarks.{module}"), name)(folder, asked)
    return figures


def _in_a_process(step: str, folder: Path, words: Sequence[str]) -> dict[str, Any]:
    environment = {
        **os.environ,
        "CCWEB_DATA_DIR": str(folder / "data"),
        "DATABASE_URL": "",
        "DJANGO_SETTINGS_MODULE": "ccweb.settings",
    }
    command = [sys.executable, "-m", "benchmarks", *words, "--step", step, str(folder / "projects")]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    *before, last = done.stdout.rstrip().splitlines()
    print("".join(f"{line}\n" for line in before), end="")
    figures: dict[str, Any] = json.loads(last)
    return figures


def show(title: str, figures: dict[str, Any], indent: str = "") -> None:
    """Print figures, one a line."""
    print(f"{indent}{title}")
    for name, value in figures.items():
        if isinstance(value, dict):
            show(name, value, indent + "  ")
        else:
            print(f"{indent}  {name:<32}{_number(value):>14}", flush=True)


def _number(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.3f}" if value < 10 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    main(sys.argv[1:])
