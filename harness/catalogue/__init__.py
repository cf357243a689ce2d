"""The tools that a run could have: from Python functions, from saved files, and the harness's own."""

from __future__ import annotations

from harness.catalogue.catalogue import LONGEST_DESCRIPTION, Catalogue
from harness.catalogue.problems import Problem, Refused

__all__ = ["LONGEST_DESCRIPTION", "Catalogue", "Problem", "Refused"]
