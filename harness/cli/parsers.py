"""What every command has in common: its help, and one sentence for what is wrong."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction["Parser"]
    """Where a command adds itself."""

Run = Callable[[argparse.Namespace], int]
"""Runs a command on its arguments and returns the exit code."""


class Parser(argparse.ArgumentParser):
    """A parser that keeps the lines of its help as written, and says what is wrong in one sentence."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": argparse.RawDescriptionHelpFormatter, **options})

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(2, f"{self.prog}: {message.rstrip('.')}. Help: {self.prog} --help\n")


def at_least_one(text: str) -> int:
    """A count on the command line. Raises ArgumentTypeError where it is none, or below 1."""
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 up")
    return int(text)


def add_command(commands: Commands, name: str, run: Run, *, summary: str, teaches: str = "") -> Parser:
    """Add a command. `summary` stands in the list of commands, `teaches` is the rest of its own help."""
    text = f"{summary[0].upper()}{summary[1:]}."
    command = commands.add_parser(name, help=summary, description=f"{text}\n\n{teaches}".rstrip())
    command.set_defaults(run=run)
    return command
