"""Files that no program imports: the image, and what comes from others."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_image_holds_every_package_and_folder_that_the_site_needs() -> None:
    copied = set(re.findall(r"^COPY (\w+) \1$", (ROOT / "Dockerfile").read_text(), re.MULTILINE))

    assert copied == {"ccweb", "explorer", "harness", "observability", "templates", "static"}


def test_help_names_every_target() -> None:
    shown = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    targets = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)

    assert re.findall(r"^  make (\w+)", shown, re.MULTILINE) == targets[1].split()  # type: ignore[index]
