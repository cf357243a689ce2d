"""What the harness says of itself as a distribution is true."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement

import ccweb
import harness
from tests.alone import needed

FOLDER = Path(harness.__file__).parent
PROJECT = tomllib.loads((FOLDER / "pyproject.toml").read_text())


def _imported() -> Iterator[str]:
    for path in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from (each.name.partition(".")[0] for each in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module.partition(".")[0]


def _tops(requirements: list[str]) -> set[str]:
    files = (file for each in needed(map(Requirement, requirements)) for file in each.files or [])
    return {Path(str(file)).parts[0].removesuffix(".py") for file in files}


def test_every_package_is_listed() -> None:
    found = {path.parent.relative_to(FOLDER.parent) for path in FOLDER.rglob("__init__.py")}
    assert sorted(".".join(path.parts) for path in found) == PROJECT["tool"]["setuptools"]["packages"]


def test_everything_that_is_imported_comes_with_it_or_with_an_extra() -> None:
    extras = [each for named in PROJECT["project"]["optional-dependencies"].values() for each in named]
    there = _tops([*PROJECT["project"]["dependencies"], *extras])
    assert set(_imported()) - set(sys.stdlib_module_names) - {"harness"} <= there


def test_without_extras_it_stays_light() -> None:
    assert not _tops(PROJECT["project"]["dependencies"]) & {"anthropic", "openai", "mcp", "django", "pydantic"}


def test_licence_and_version_are_those_of_the_whole() -> None:
    assert (FOLDER / "LICENSE").read_text() == (FOLDER.parent / "LICENSE").read_text()
    assert harness.__version__ == ccweb.__version__
