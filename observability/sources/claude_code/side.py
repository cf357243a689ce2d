"""The small file beside a sub-agent's transcript: who it is and which call began it."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import PurePath
from typing import Any, Final

import msgspec

from observability.sources.base import Place
from observability.sources.claude_code import fields
from observability.sources.claude_code.texts import MOST_TITLE

DESCRIPTION_RANK: Final = 10
_PREFIX: Final = "agent-"


def name_for(path: PurePath) -> str | None:
    """The name of the side file of a transcript; None for a main one."""
    return f"{path.stem}.meta.json" if path.stem.startswith(_PREFIX) else None


@dataclass(frozen=True)
class Side:
    """What a side file says; empty where there is none or it cannot be read."""

    facts: dict[str, Any] = field(default_factory=dict)
    hash: str = ""
    nested: bool = False
    """A sub-agent began it, not the main run: only the call can tell which."""

    @classmethod
    def read(cls, place: Place) -> Side:
        """Of the file at a place."""
        text = place.side_files.get(name_for(place.path) or "", "")
        if not text:
            return cls()
        try:
            told = msgspec.json.decode(text.encode("utf-8", "replace"))
        except (msgspec.DecodeError, RecursionError):
            return cls()
        if not isinstance(told, dict):
            return cls()
        digest = blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
        return cls(_facts(told), digest, nested=(fields.loose_whole(told, "spawnDepth") or 0) > 1)


def _facts(told: dict[str, Any]) -> dict[str, Any]:
    title = fields.loose_text(told, "description")
    return {
        "parent_call": fields.loose_name(told, "toolUseId"),
        "profile": fields.loose_name(told, "agentType"),
        "title": title[:MOST_TITLE] if title else None,
        "title_rank": DESCRIPTION_RANK if title else None,
    }
