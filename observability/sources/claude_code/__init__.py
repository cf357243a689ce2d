"""Claude Code session transcripts (JSONL).

The format is internal to its vendor. What is known of it here comes from real transcripts of
versions 2.0.76 to 2.1.287; anything else is counted as unknown and passed over, never fatal.
"""

from __future__ import annotations

from observability.sources.claude_code.source import ClaudeCode

__all__ = ["ClaudeCode"]
