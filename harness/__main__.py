"""The request path of an agent, and tools to look at it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Final

from harness.cli import bench_search, catalogue, mcp, measure, run, schema
from harness.cli.parsers import Parser
from harness.errors import HarnessError

COMMANDS: Final = (run, mcp, catalogue, measure, bench_search, schema)
"""The modules of harness.cli that are commands, in the order in which the help lists them."""


def parser() -> Parser:
    """The parser of the whole command line."""
    whole = Parser(prog="python -m harness", description=__doc__)
    commands = whole.add_subparsers(required=True, metavar="COMMAND", title="commands")
    for module in COMMANDS:
        module.add_parser(commands)
    return whole


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0, 1 for a "no", 2 where it could not do what it was asked, 130 where it was stopped."""
    arguments = parser().parse_args(words)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except HarnessError as error:
        sys.stderr.write(f"python -m harness: {error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        return 130
    except BrokenPipeError:
        # The reader has seen enough. What is still buffered must not fail once more when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        sys.stderr.write(f"python -m harness: {error.filename or 'a file'}: {error.strerror or error}\n")
        return 2
    return code


if __name__ == "__main__":
    raise SystemExit(main())
