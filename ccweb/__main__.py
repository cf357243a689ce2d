"""The ccweb command: `python -m ccweb run`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Final

import django
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

COMMANDS: Final = {"run": "ccweb.run.run", "watch": "ccweb.watcher.watch"}
"""They import models, so they are loaded once Django is set up."""


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m ccweb", description="See what your agent's requests are made of.")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("run", help="import this machine's agent logs and serve the site")
    serve.add_argument("--host", default="127.0.0.1", help="address to serve on (default: %(default)s)")
    serve.add_argument("--port", type=port, default=8000, help="port to serve on (default: %(default)s)")
    serve.add_argument("--no-watch", dest="watch", action="store_false", help="import no logs and watch for none")
    commands.add_parser("watch", help="import logs and watch for new lines, as long as standard input is open")
    return parser.parse_args(arguments)


def port(text: str) -> int:
    """A port from the command line; 0 takes any free one."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: a number from 0 to 65535")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do it; gives the exit code."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ccweb.settings")
    chosen = vars(options(arguments))
    try:
        django.setup()
        command: Callable[..., int] = import_string(COMMANDS[chosen.pop("command")])
        return command(**chosen)
    except ImproperlyConfigured as error:
        print(f"ccweb cannot start: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main())
