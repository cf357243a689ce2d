"""The command line of this package: `python -m harness`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from harness import runlog


def schema_text() -> str:
    """The JSON Schema of the run log as it stands in docs/run-log.schema.json."""
    return msgspec.json.format(msgspec.json.encode(runlog.json_schema()), indent=2).decode() + "\n"


def schema(arguments: argparse.Namespace) -> int:
    """Write the schema to a file or to the terminal, or say whether the file is up to date."""
    text = schema_text()
    if arguments.file is None:
        sys.stdout.write(text)
        return 0
    if not arguments.check:
        arguments.file.write_text(text, encoding="utf-8")
        return 0
    if arguments.file.is_file() and arguments.file.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{arguments.file} is not up to date. Run: python -m harness schema {arguments.file}\n")
    return 1


def main(words: Sequence[str] | None = None) -> int:
    """Run one subcommand and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m harness", description=__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("schema", help="the JSON Schema of the run log")
    command.add_argument("file", nargs="?", type=Path, help="where to write it; the terminal where left out")
    command.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    command.set_defaults(run=schema)
    arguments = parser.parse_args(words)
    code: int = arguments.run(arguments)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
