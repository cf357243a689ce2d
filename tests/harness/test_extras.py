from __future__ import annotations

import sys

import pytest

from harness.errors import CommandError
from harness.extras import part


def test_a_part_is_found_by_its_name() -> None:
    assert part("harness.wire:dumps", extra="none")([1]) == b"[1]"


def test_what_is_not_installed_is_told_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each == "mcp" or each.startswith(("mcp.", "harness.mcp"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(CommandError, match=r"mcp.* is not installed: pip install 'ccweb-harness\[mcp\]'"):
        part("harness.mcp.servers:opened", extra="mcp")


def test_a_part_that_is_misspelt_is_no_matter_of_installing() -> None:
    with pytest.raises(ModuleNotFoundError):
        part("harness.mpc:opened", extra="mcp")
