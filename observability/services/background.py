"""Work that goes on behind web requests where no broker is set: one thread of this process, one job after another."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable

from django.db import connections

logger = logging.getLogger(__name__)
_waiting: queue.Queue[Callable[[], object]] = queue.Queue()
_starting = threading.Lock()
_thread: threading.Thread | None = None


def submit(job: Callable[[], object]) -> None:
    """Have a job done soon. It ends with the process, so what must not be lost stands in the database."""
    global _thread
    _waiting.put(job)
    with _starting:
        if _thread is None:
            _thread = threading.Thread(target=_work, name="background", daemon=True)
            _thread.start()


def wait() -> None:
    """Return when all jobs are done."""
    _waiting.join()


def _work() -> None:
    while True:
        job = _waiting.get()
        try:
            job()
        except Exception:  # the thread outlives any job
            logger.exception("A job in the background failed.")
        finally:
            connections.close_all()
            _waiting.task_done()
