"""Watches the log folders: what is there first, newest first, then every change."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from watchfiles import watch

from observability.services.imports import discovery
from observability.services.imports.importing import Counts, Tell, refresh

LOOK_AGAIN_MS: Final = 5000
"""So often all folders are looked through, whatever the system says of changes: some tell nothing."""


def keep_up(folders: Sequence[Path], stop: threading.Event, *, tell: Tell | None = None) -> Counts:
    """Import what is there, then watch until `stop` is set. Gives the counts of the first import."""
    first = refresh(discovery.find(existing(folders)), tell=tell)
    while not stop.is_set():
        _wait(existing(folders), stop)
        if not stop.is_set():
            refresh(discovery.find(existing(folders)))
    return first


def existing(folders: Sequence[Path]) -> list[Path]:
    """Those of the folders that are there now: one may come later."""
    return [folder for folder in folders if folder.is_dir()]


def _wait(folders: list[Path], stop: threading.Event) -> None:
    """Until something changes, at most LOOK_AGAIN_MS."""
    if not folders:
        stop.wait(LOOK_AGAIN_MS / 1000)
        return
    changes = watch(
        *folders, stop_event=stop, rust_timeout=LOOK_AGAIN_MS, yield_on_timeout=True, raise_interrupt=True, debounce=400
    )
    next(iter(changes), None)
