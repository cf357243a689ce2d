"""`python -m harness schema`: the JSON Schema of the run log."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from harness import runlog
from harness.cli.parsers import add_command
from harness.errors import CommandError

if TYPE_CHECKING:
    from harness.cli.parsers import Commands

TEACHES: Final = """\
docs/run-log.schema.json is this schema:
  python -m harness schema docs/run-log.schema.json           write it
  python -m harness schema --check docs/run-log.schema.json   exit code 1 where the file is out of date"""


def add_parser(commands: Commands) -> None:
    """Describe the command."""
    command = add_command(commands, "schema", schema, summary="the JSON Schema of the run log", teaches=TEACHES)
    command.add_argument("file", nargs="?", type=Path, help="where to write it; the terminal where left out")
    command.add_argument("--check", action="store_true", help="compare with the file instead of writing it")


def schema_text() -> str:
    """The JSON Schema of the run log as it stands in docs/run-log.schema.json."""
    return msgspec.json.format(msgspec.json.encode(runlog.json_schema()), indent=2).decode() + "\n"


def schema(arguments: argparse.Namespace) -> int:
    """Write the schema to a file or to the terminal, or say whether the file is up to date."""
    text = schema_text()
    if arguments.file is None:
        if arguments.check:
            raise CommandError("--check needs the file to compare with")
        sys.stdout.write(text)
        return 0
    if not arguments.check:
        arguments.file.write_text(text, encoding="utf-8")
        return 0
    if arguments.file.is_file() and arguments.file.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{arguments.file} is not up to date. Run: python -m harness schema {arguments.file}\n")
    return 1
