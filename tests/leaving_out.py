"""What a test does where something is missing on a machine. It needs no web framework."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

IN_CI = os.environ.get("CI", "") not in ("", "0", "false")


def leave_out(reason: str) -> NoReturn:
    """Skip, and have it counted in the summary; in CI nothing may be left out."""
    if IN_CI:
        pytest.fail(reason)
    pytest.skip(reason)
