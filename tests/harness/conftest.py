"""Fixtures of the harness's tests. They need no web framework."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.leaving_out import leave_out

ROOT = Path(__file__).resolve().parents[2]

# What a property says does not depend on how busy the machine is.
settings.register_profile("unhurried", settings(deadline=None))
settings.load_profile("unhurried")


@pytest.fixture(scope="session")
def datasets() -> Path:
    """The folder of tool catalogues and search queries: beside the samples, unless CCWEB_DATASETS names another."""
    beside = Path(os.environ.get("CCWEB_SAMPLES") or ROOT.parent / "shared" / "samples").parent / "datasets"
    folder = Path(os.environ.get("CCWEB_DATASETS") or beside)
    if not folder.is_dir():
        leave_out("no datasets: CCWEB_DATASETS names no folder of tool catalogues")
    return folder
