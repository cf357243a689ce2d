"""Finds tools by what they are for.

    ranker = Ranker(surface.offered)
    found = search_tools(ranker, "assign a ticket to someone")
    found.names, found.text

Everything here is a pure function of the tools and the query: equal ones give equal results.
"""

from __future__ import annotations

from harness.search.ranker import Hit, Ranker
from harness.search.searching import Found, Match, search_tool_bm25, search_tools
from harness.search.tool import SEARCH_TOOL_BM25

__all__ = ["SEARCH_TOOL_BM25", "Found", "Hit", "Match", "Ranker", "search_tool_bm25", "search_tools"]
