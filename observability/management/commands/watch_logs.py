"""manage.py watch_logs: import the logs of this machine and keep up with them."""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from tqdm import tqdm

from observability.management.database import prepare
from observability.services.imports import log_folders
from observability.services.imports.discovery import find
from observability.services.imports.watching import existing, keep_up


class Command(BaseCommand):
    """Runs until it is told to stop."""

    help = "Import the logs in the usual folders, or in those named, and watch them for new lines."

    def add_arguments(self, parser: CommandParser) -> None:
        """PATH…"""
        parser.add_argument("paths", nargs="*", metavar="PATH")

    def handle(self, *args: Any, **options: Any) -> None:
        """Watch until SIGINT or SIGTERM."""
        prepare()
        stop = threading.Event()
        for sign in (signal.SIGINT, signal.SIGTERM):
            signal.signal(sign, lambda *_: stop.set())
        folders = [Path(path).expanduser().absolute() for path in options["paths"]]
        folders = folders or [folder.path for folder in log_folders()]
        total = sum(file.size for file in find(existing(folders)))
        with tqdm(total=total, unit="B", unit_scale=True, disable=not sys.stderr.isatty(), desc="Importing") as bar:
            keep_up(folders, stop, tell=lambda read: _move(bar, read))


def _move(bar: tqdm[Any], read: int) -> None:
    bar.update(read)
    if bar.total and bar.n >= bar.total:
        bar.close()
