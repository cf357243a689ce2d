"""The harness by itself: its wheel is built, installed where there is no Django, and tested there.

    python -m tests.alone [arguments for pytest]

Nothing is downloaded. The environment is new and gets the wheel; what the wheel says it needs,
and what the tests need, is linked into it from the environment that this runs in. A dependency
that the wheel does not name is therefore not there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
TESTS_NEED = ("pytest", "pytest-randomly", "hypothesis", "PyYAML", "psutil")
NEVER = ("django", "celery", "rest_framework", "playwright", "observability", "explorer", "ccweb")
COPIED = ("tests/__init__.py", "tests/leaving_out.py", "tests/harness", "docs")
INI = """[pytest]
strict = true
addopts = -ra --import-mode=importlib --durations=5 --durations-min=2
pythonpath = .
filterwarnings = error
testpaths = tests
markers = slow: takes seconds because it starts real processes
"""


def build(folder: Path) -> Path:
    """Build the wheel, from a copy, so that nothing is left behind among the sources."""
    source = folder / "source"
    shutil.copytree(ROOT / "harness", source, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    offline = ["--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*pip, "wheel", *offline, "--wheel-dir", str(folder), str(source)], check=True)
    return next(folder.glob("*.whl"))


def install(wheel: Path, folder: Path) -> Path:
    """A new environment with the wheel and what it needs. Returns its Python."""
    venv.create(folder, symlinks=True, with_pip=False)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "--python", str(python)]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", str(wheel)], check=True)
    place = next(folder.glob("lib/python*/site-packages"))
    own = next(metadata.distributions(path=[str(place)]))
    extras = own.metadata.get_all("Provides-Extra") or []
    _link(needed([*_wanted(own, extras), *map(Requirement, TESTS_NEED)]), place)
    return python


def needed(requirements: Iterable[Requirement]) -> list[metadata.Distribution]:
    """The installed distributions that these and all that they need are."""
    found: dict[tuple[str, str], metadata.Distribution] = {}
    waiting = [(each, extra) for each in requirements for extra in ("", *each.extras)]
    while waiting:
        requirement, extra = waiting.pop()
        if (requirement.name.lower(), extra) in found:
            continue
        distribution = metadata.distribution(requirement.name)
        found[requirement.name.lower(), extra] = distribution
        waiting += [(each, more) for each in _wanted(distribution, [extra]) for more in ("", *each.extras)]
    return list({each.metadata["Name"]: each for each in found.values()}.values())


def _wanted(distribution: metadata.Distribution, extras: Iterable[str]) -> list[Requirement]:
    every = map(Requirement, distribution.requires or [])
    named = ["", *extras]
    return [
        each for each in every if each.marker is None or any(each.marker.evaluate({"extra": name}) for name in named)
    ]


def _link(distributions: Iterable[metadata.Distribution], place: Path) -> None:
    for distribution in distributions:
        tops = {Path(str(file)).parts[0] for file in distribution.files or []} - {"..", "__pycache__"}
        for top in sorted(tops):
            target = place / top
            if not target.exists():
                target.symlink_to(Path(str(distribution.locate_file(top))))


def test(python: Path, folder: Path, arguments: list[str]) -> int:
    """Run the harness's tests in a copy that has nothing else. Gives pytest's exit code."""
    for name in COPIED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, target)
    (folder / "pytest.ini").write_text(INI)
    here = os.environ.get("CCWEB_SAMPLES") or str(ROOT.parent / "shared" / "samples")
    datasets = os.environ.get("CCWEB_DATASETS") or str(Path(here).parent / "datasets")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DJANGO", "COV"))}
    values = {**kept, "CCWEB_SAMPLES": here, "CCWEB_DATASETS": datasets}
    return subprocess.run([str(python), "-m", "pytest", *arguments], cwd=folder, env=values).returncode


def absent(python: Path, folder: Path) -> list[str]:
    """Which of what must not be there cannot be imported."""
    look = "import importlib.util as u, sys; print(*(n for n in sys.argv[1:] if u.find_spec(n) is None))"
    done = subprocess.run([str(python), "-c", look, *NEVER], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.split()


def main(arguments: list[str]) -> int:
    """Build, install, test. Gives pytest's exit code."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = install(build(folder), folder / "environment")
        work = folder / "work"
        work.mkdir()
        assert absent(python, work) == list(NEVER)
        subprocess.run([folder / "environment" / "bin" / "ccweb-harness", "--help"], check=True, capture_output=True)
        return test(python, work, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
