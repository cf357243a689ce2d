"""Periodic tasks where no broker is set: the list of `celery beat`, done by this process's background."""

from __future__ import annotations

import threading
import time
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from observability.services import background


class Tick:
    """Submits each task of CELERY_BEAT_SCHEDULE when it is due."""

    def __init__(self, pause: float = 1.0) -> None:
        self._pause = pause
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tick", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Submit nothing more."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        entries: list[dict[str, Any]] = list(settings.CELERY_BEAT_SCHEDULE.values())
        last = [time.monotonic()] * len(entries)
        while not self._stopping.wait(self._pause):
            for number, entry in enumerate(entries):
                if time.monotonic() - last[number] >= entry["schedule"]:
                    last[number] = time.monotonic()
                    background.submit(import_string(entry["task"]))
