"""`python -m harness catalogue`: record the tools of tool servers, with sizes."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from harness.catalogue import recording
from harness.cli.parsers import add_command
from harness.extras import part

if TYPE_CHECKING:
    from harness.cli.parsers import Commands

TEACHES: Final = """\
Starts every server that FILE names, and prints the tools that they list: name, description, schema,
server, annotations, and the size of each definition in bytes and in tokens of o200k. The explorer
prices schemas by it that no log holds; `python -m harness measure` reads it, too.

What was wrong with a server or a tool goes to standard error, and into the file under "problems".
Exit code 1: a server was not there, so the catalogue is not whole.

  python -m harness catalogue --mcp-config .mcp.json > catalogue.json"""


def add_parser(commands: Commands) -> None:
    """Describe the command."""
    command = add_command(commands, "catalogue", run, summary="record the tools of tool servers", teaches=TEACHES)
    command.add_argument(
        "--mcp-config", type=Path, default=Path(".mcp.json"), metavar="FILE", help="the servers (%(default)s)"
    )
    command.add_argument(
        "--connect-timeout", type=float, default=30.0, metavar="S", help="time of a server to answer (%(default)s)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Record and print."""
    record = part("harness.mcp.recorder:record", extra="mcp")
    found, whole = record(arguments.mcp_config, seconds=arguments.connect_timeout)
    sys.stderr.writelines(f"{problem}\n" for problem in found.problems)
    text = msgspec.json.format(msgspec.json.encode(recording(found)), indent=2).decode()
    sys.stdout.write(f"{text}\n")
    return 0 if whole else 1
