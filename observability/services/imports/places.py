"""Where the agents of this machine keep their logs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Folder:
    """A folder that was looked into, and what stands there."""

    source: str
    path: Path

    @property
    def found(self) -> str:
        """What is there, in words."""
        if not self.path.is_dir():
            return "no such folder"
        if not os.access(self.path, os.R_OK | os.X_OK):
            return "no rights to read"
        return "found" if any(self.path.rglob("*.jsonl")) else "empty"


def log_folders(environment: Mapping[str, str] | None = None) -> list[Folder]:
    """The usual folders, each once: Claude Code's home, and those that CLAUDE_CONFIG_DIR names."""
    values = os.environ if environment is None else environment
    named = [Path(part.strip()).expanduser() for part in values.get("CLAUDE_CONFIG_DIR", "").split(",") if part.strip()]
    home = Path(values.get("HOME") or Path.home())
    roots = [*named, home / ".claude", home / ".config" / "claude"]
    folders = [root if root.name == "projects" else root / "projects" for root in roots]
    return [
        Folder("claude_code", folder) for folder in dict.fromkeys(folders) if folder in folders[:-1] or folder.is_dir()
    ]
