from __future__ import annotations

import pytest

from harness.errors import ModeError
from harness.modes import PLAN, mode_of


def test_a_mode_is_found_by_its_name() -> None:
    assert mode_of("plan") is PLAN


def test_a_mode_that_is_not_there_is_said_with_those_that_are() -> None:
    with pytest.raises(ModeError, match="there is no mode 'plam'; the modes are build, plan, review"):
        mode_of("plam")
