"""Hold functions and files to their budget: `python -m tests.sizes`."""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("ccweb", "explorer", "harness", "observability", "benchmarks", "tests")
FILE_LINES = 400
FUNCTION_LINES = 60
FUNCTION_P95 = 40


def sources() -> list[Path]:
    """All Python files but generated ones."""
    found = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    return [path for path in found if "migrations" not in path.parts]


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Name and lines of each function of a file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
            yield name, (node.end_lineno or node.lineno) - node.lineno + 1


def complaints(paths: list[Path]) -> list[str]:
    """What is over its budget."""
    lines = {path: len(path.read_text().splitlines()) for path in paths}
    sizes = [pair for path in paths for pair in functions(path)]
    found = [f"{path.relative_to(ROOT)} has {count} lines" for path, count in lines.items() if count > FILE_LINES]
    found += [f"{name} has {count} lines" for name, count in sizes if count > FUNCTION_LINES]
    p95 = statistics.quantiles([count for _, count in sizes], n=20)[-1]
    if p95 > FUNCTION_P95:
        found.append(f"the 95th percentile of functions is {p95:.0f} lines")
    return found


if __name__ == "__main__":
    found = complaints(sources())
    print("\n".join(found) or "Sizes: all within budget.")
    sys.exit(bool(found))
