"""Fetch the scripts of others that pages use, pinned, from npm into static/vendor.

Run it after changing a version in PINNED: `python scripts/vendor.py`. It writes each file, its
licence and `versions.json`, which a test compares with the files and with PINNED.
"""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import tarfile
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

VENDOR = Path(__file__).resolve().parent.parent / "static" / "vendor"


@dataclass(frozen=True)
class Pinned:
    """A package of npm and the one file of it that is kept."""

    package: str
    version: str
    licence: str
    member: str
    file: str


PINNED = (
    Pinned("htmx.org", "2.0.11", "0BSD", "dist/htmx.min.js", "htmx.min.js"),
    Pinned("plotly.js-basic-dist-min", "4.1.1", "MIT", "plotly-basic.min.js", "plotly-basic.min.js"),
)


def fetch(pinned: Pinned, folder: Path) -> tarfile.TarFile:
    """The package as npm has it."""
    command = ["npm", "pack", "--silent", f"{pinned.package}@{pinned.version}"]
    name = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.split()[-1]
    return tarfile.open(fileobj=io.BytesIO((folder / name).read_bytes()))


def member(package: tarfile.TarFile, name: str) -> bytes:
    """One file of a package."""
    file = package.extractfile(f"package/{name}")
    if file is None:
        raise FileNotFoundError(name)
    return file.read()


def keep(pinned: Pinned, folder: Path) -> dict[str, str]:
    """Write a package's file and licence; its entry for versions.json."""
    package = fetch(pinned, folder)
    body = member(package, pinned.member)
    (VENDOR / pinned.file).write_bytes(body)
    (VENDOR / f"{pinned.file}.LICENSE").write_bytes(member(package, "LICENSE"))
    return {**asdict(pinned), "sha256": hashlib.sha256(body).hexdigest()}


def main() -> None:
    """Fetch all of them."""
    VENDOR.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        entries = [keep(pinned, Path(folder)) for pinned in PINNED]
    (VENDOR / "versions.json").write_text(json.dumps(entries, indent=2) + "\n")


if __name__ == "__main__":
    main()
