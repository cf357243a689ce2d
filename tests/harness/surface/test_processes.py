"""The same inputs give the same bytes in another process, whatever its hashes and its locale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import locale, sys
from pathlib import Path
from harness import wire
from harness.catalogue import OWN, read_catalogue, recording
from harness.surface import index_text, resolve

locale.setlocale(locale.LC_ALL, "")
catalogue = OWN | read_catalogue(Path(sys.argv[1]))
surface = resolve(catalogue, denied={"list_tags", "get_tag", "ui_*"}, pinned={"issue_read", "issue_write"})
tools = [[tool.spec.definition(), tool.state, tool.reason] for tool in surface.tools]
print(wire.dumps([tools, index_text(surface), surface.report(), recording(catalogue)]).decode())
"""


def printed(file: Path, **environment: str) -> bytes:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(file)],
        check=True,
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
    ).stdout


@pytest.mark.slow
def test_another_process_gives_the_same_bytes(datasets: Path) -> None:
    file = datasets / "mcp_catalogues" / "github_tools.json"
    first = printed(file, PYTHONHASHSEED="1", LC_ALL="C")
    assert len(first) > 100_000
    assert printed(file, PYTHONHASHSEED="2", LC_ALL="C.UTF-8") == first
