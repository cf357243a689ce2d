"""Log files into the store: found, read from where reading stopped, and watched."""

from __future__ import annotations

from observability.services.imports.importing import import_paths, refresh
from observability.services.imports.places import Folder, log_folders

__all__ = ["Folder", "import_paths", "log_folders", "refresh"]
