from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.__main__ import COMMANDS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "harness/README.md")] + sorted(
    (ROOT / "docs").rglob("*.md")
)


def test_every_setting_is_in_the_table() -> None:
    read = set(re.findall(r'env\.\w+\("(\w+)"', (ROOT / "ccweb" / "settings.py").read_text()))
    assert read <= set(re.findall(r"^\| `(\w+)` \|", README, re.M))


def test_every_command_of_manage_is_named() -> None:
    commands = {path.stem for path in ROOT.glob("*/management/commands/[a-z]*.py")}
    assert "context" in commands
    assert commands <= set(re.findall(r"`manage\.py (\w+)", README))


def test_every_command_of_the_harness_is_named() -> None:
    commands = {module.__name__.rpartition(".")[2].replace("_", "-") for module in COMMANDS}
    page = (ROOT / "docs" / "harness.md").read_text()
    assert [
        name
        for name in commands
        if f"| `{name}" not in page or f"`{name}" not in README.replace("python -m harness ", "")
    ] == []


def test_every_target_of_make_is_named_somewhere() -> None:
    targets = re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(), re.M)
    text = README + (ROOT / "CONTRIBUTING.md").read_text()
    assert {"run", "setup", "test", "check", "bench"} <= {target for target in targets if f"make {target}" in text}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_within_the_repository_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_decision_has_a_number_of_its_own() -> None:
    numbers = [path.name[:4] for path in sorted((ROOT / "docs/adr").glob("*.md"))]
    assert numbers == [f"{number:04}" for number in range(1, len(numbers) + 1)]
