"""Names that clients give to what matters here. Data, not rules: a client that is not here is not judged."""

from __future__ import annotations

from typing import Final

SEARCHERS: Final = frozenset(
    ("ToolSearch", "MCPSearch", "tool_search", "search_tools", "tool_search_tool_regex", "tool_search_tool_bm25")
)
"""Tools that find deferred ones."""
CALLERS: Final = frozenset(("tool_call", "call_tool"))
"""Tools that call a deferred one by its name."""
PAIRS: Final = (("qwen", "tool_search", "tool_call"),)
"""Clients, in lower case, whose bridge has two halves that only work together: the search, and the call."""

NEEDED: Final = (
    (
        "qwen",
        "project memory",
        frozenset(("read_file", "grep_search", "glob", "run_shell_command", "write_file", "edit")),
    ),
    ("qwen", "automatic extraction of memories", frozenset(("read_file", "grep_search", "glob", "write_file", "edit"))),
)
"""Background agents of a client, and the tools that each cannot work without."""

SHELLS: Final = frozenset(("Bash", "bash", "shell", "run_shell_command", "run_terminal_cmd", "exec_command"))
"""Tools that run a command line."""
