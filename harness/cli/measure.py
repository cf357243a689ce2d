"""`python -m harness measure`: what deferral saves on saved catalogues."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from harness.catalogue import OWN, Catalogue, read_catalogue
from harness.cli.parsers import add_command
from harness.modes import BUILD, MODES
from harness.surface.measuring import Measurement, measure

if TYPE_CHECKING:
    from harness.cli.parsers import Commands

TEACHES: Final = """\
A file holds what a tool server answered to tools/list, or a catalogue that `python -m harness
catalogue` recorded. Before: the harness's own tools and all of the files', each with its full
schema in every request. After: the residents of the mode with their schemas, and the index, which
names the rest. Tools that the mode denies are on neither side. Tokens are those of the o200k_base
encoding, whatever the model: compare shares, not bills.

  python -m harness measure github_tools.json memory_tools.json
  python -m harness measure --mode plan --json *.json"""


def add_parser(commands: Commands) -> None:
    """Describe the command."""
    command = add_command(commands, "measure", run, summary="what tool deferral saves on saved tools", teaches=TEACHES)
    command.add_argument("files", nargs="+", type=Path, metavar="FILE", help="saved tools of one or more servers")
    command.add_argument("--mode", choices=list(MODES), default=BUILD.name, help="the mode of the run (%(default)s)")
    command.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """Measure and print. What was wrong with single tools goes to standard error."""
    catalogue = OWN
    for file in arguments.files:
        catalogue |= read_catalogue(file)
    found = measure(catalogue, MODES[arguments.mode])
    sys.stderr.writelines(f"{problem}\n" for problem in catalogue.problems)
    if arguments.json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(as_json(found, catalogue)), indent=2).decode() + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in as_text(found))
    return 0


def as_json(found: Measurement, catalogue: Catalogue) -> dict[str, Any]:
    """The measurement, with what is derived from it and what was wrong with the files."""
    raw: dict[str, Any] = msgspec.to_builtins(found)
    held_back = [{**msgspec.to_builtins(each), "held_back_tokens": each.held_back_tokens} for each in found.held_back]
    problems = [msgspec.to_builtins(each) for each in catalogue.problems]
    return {**raw, "saved_share": round(found.saved_share, 4), "held_back": held_back, "problems": problems}


def as_text(found: Measurement) -> Iterator[str]:
    """The measurement as lines for a terminal."""
    yield f"Mode {found.mode}: {found.report}"
    yield ""
    yield f"before_tokens  {found.before_tokens:>7,}  every admitted tool resident"
    yield (
        f"after_tokens   {found.after_tokens:>7,}  {found.resident_tokens:,} of residents,"
        f" {found.index_tokens:,} of the index"
    )
    yield f"saved_share    {found.saved_share:>7.3f}"
    yield f"resident       {found.resident:>7,}"
    yield f"deferred       {found.deferred:>7,}"
    yield f"index_tokens   {found.index_tokens:>7,}"
    yield f"Tokens of {found.encoding}."
    if found.held_back:
        yield ""
        yield " schema   index  held back  tool"
    for each in found.held_back:
        yield f"{each.schema_tokens:>7,} {each.index_tokens:>7,} {each.held_back_tokens:>10,}  {each.name}"
