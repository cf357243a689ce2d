"""`python -m ccweb run`: migrate, import behind the site, serve, and stop cleanly."""

from __future__ import annotations

import errno
import gc
import signal
import socket
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.db import DatabaseError
from waitress.server import create_server

from ccweb.tick import Tick
from ccweb.watcher import Watcher
from observability.figures import counted, size
from observability.services import background
from observability.services.imports import Folder, discovery, log_folders
from observability.sources.registry import SOURCES
from observability.tasks import requeue_lost

THREADS: Final = 8


def run(*, host: str, port: int, watch: bool) -> int:
    """Serve until told to stop; gives the exit code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ExitStack() as stack:
        try:
            listener = stack.enter_context(socket.create_server((host, port)))
        except OSError as error:
            print(not_bound(host, port, error), file=sys.stderr)
            return 1
        try:
            call_command("migrate", verbosity=0, interactive=False)
        except DatabaseError as error:
            print(f"ccweb cannot start: the database cannot be used: {str(error).splitlines()[0]}", file=sys.stderr)
            return 1
        stack.callback(print, "Stopped.", flush=True)
        for line in announcement(listener, log_folders() if watch else []):
            print(line, flush=True)
        begin(stack, watch=watch)
        serve(listener)
    return 0


def begin(stack: ExitStack, *, watch: bool) -> None:
    """Start what goes on behind the site; the stack ends it."""
    if watch:
        stack.callback(Watcher().stop)
    if settings.CELERY_TASK_ALWAYS_EAGER:
        # Nobody but this process does jobs: whatever is unfinished was left by an earlier one.
        background.submit(partial(requeue_lost, everything=True))
        stack.callback(Tick().stop)
    stack.callback(ignore_signals)


def ignore_signals() -> None:
    """Let nothing interrupt the end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def serve(listener: socket.socket) -> None:
    """Answer requests until a signal ends it."""
    server = create_server(
        get_wsgi_application(), sockets=[listener], threads=THREADS, max_request_body_size=settings.MOST_SENT
    )
    # What is loaded by now lives as long as the process: the collector need not walk it again with every large page.
    gc.freeze()
    server.run()


def not_bound(host: str, port: int, error: OSError) -> str:
    """Why the site cannot be served, in a sentence."""
    if error.errno == errno.EADDRINUSE:
        return f"ccweb cannot serve: port {port} is in use. Choose another one: make run PORT={port + 1}"
    return f"ccweb cannot serve on {host}, port {port}: {error.strerror or error}."


def announcement(listener: socket.socket, folders: list[Folder]) -> list[str]:
    """What a person at a terminal wants to know: where logs are looked for, what is there, and the URL."""
    lines, files = [], 0
    for folder in folders:
        found = [file for file in discovery.find([folder.path]) if not file.error]
        files += len(found)
        there = f"{counted(len(found), 'file')}, {size(sum(file.size for file in found))}" if found else folder.found
        lines.append(f"{SOURCES[folder.source].title} logs: {at_home(folder.path)} ({there})")
    if folders and not files:
        lines.append("No log was found. The site shows how to get one, and offers demo conversations.")
    host, port = listener.getsockname()[:2]
    return [*lines, f"ccweb is at http://{host}:{port}/ (Ctrl-C stops it)"]


def at_home(path: Path) -> str:
    """A path, with ~ for the home folder."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
