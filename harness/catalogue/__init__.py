"""The tools that a run could have: from Python functions, from saved files, and the harness's own."""

from __future__ import annotations

from harness.catalogue.catalogue import LONGEST_DESCRIPTION, Catalogue
from harness.catalogue.files import catalogue_of, read_catalogue, recording, tool_of
from harness.catalogue.functions import from_function
from harness.catalogue.names import mapped, shown
from harness.catalogue.own import BRIDGE, CALL_TOOL, DISCOVERY, OWN, SEARCH_TOOLS
from harness.catalogue.problems import Problem

__all__ = [
    "BRIDGE",
    "CALL_TOOL",
    "DISCOVERY",
    "LONGEST_DESCRIPTION",
    "OWN",
    "SEARCH_TOOLS",
    "Catalogue",
    "Problem",
    "catalogue_of",
    "from_function",
    "mapped",
    "read_catalogue",
    "recording",
    "shown",
    "tool_of",
]
