"""`python -m harness bench-search`: how well tools are found, beside a plain baseline."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

import msgspec

from harness.cli.parsers import add_command
from harness.search.bench import Half, Measured, measure, read_sets

if TYPE_CHECKING:
    from harness.cli.parsers import Commands

TEACHES: Final = """\
DIR holds sets of tools and queries, one folder each: tools.jsonl with a tool a line, queries.jsonl
with {"query", "expected": [names]} a line. Recall at k is the share of the expected tools that is
among the first k, as a mean over the queries. The ranker was tuned on the half "tuned" of the
queries only; "held_out" is the other. docs/search.md has the method.

  python -m harness bench-search datasets
  python -m harness bench-search --half held_out --json datasets"""


def add_parser(commands: Commands) -> None:
    """Describe the command."""
    command = add_command(commands, "bench-search", run, summary="how well tools are found", teaches=TEACHES)
    command.add_argument("folder", type=Path, metavar="DIR", help="the sets")
    command.add_argument("--half", choices=get_args(Half), default="all", help="the queries to take (%(default)s)")
    command.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    found = list(measure(read_sets(arguments.folder), arguments.half))
    if arguments.json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in as_text(found))
    return 0


def as_text(found: Sequence[Measured]) -> Iterator[str]:
    """The measurements as lines for a terminal, with the mean over the sets."""
    yield f"{'set':<16} {'ranker':<9} {'queries':>7} {'recall@1':>9} {'recall@5':>9} {'recall@10':>9} {'ms p99':>8}"
    for each in found:
        recalls = f"{each.recall_at_1:>9.3f} {each.recall_at_5:>9.3f} {each.recall_at_10:>9.3f}"
        yield f"{each.set:<16} {each.ranker:<9} {each.queries:>7,} {recalls} {each.ms_p99:>8.2f}"
    for ranker in dict.fromkeys(each.ranker for each in found):
        mine = [each for each in found if each.ranker == ranker]
        sums = [sum(getattr(each, name) for each in mine) for name in ("recall_at_1", "recall_at_5", "recall_at_10")]
        yield f"{'mean over sets':<16} {ranker:<9} {'':>7} " + " ".join(f"{each / len(mine):>9.3f}" for each in sums)
