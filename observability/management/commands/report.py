"""manage.py report: requests, tokens, rate and cost."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from observability.management.database import prepare
from observability.queries.report import DIMENSIONS, ReportRow, report

HEAD = ("", "requests", "prompt", "read", "written", "uncached", "rate", "output", "cost")


class Command(BaseCommand):
    """Prints the report as a table or as JSON."""

    help = "Requests, tokens by bucket, cache rate with writes included, and cost."

    def add_arguments(self, parser: CommandParser) -> None:
        """--by and --json."""
        parser.add_argument("--by", choices=list(DIMENSIONS), default="total", help="what a row is (default: total)")
        parser.add_argument("--json", action="store_true", help="print a JSON list of rows")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print it."""
        prepare()
        rows = report(options["by"])
        if options["json"]:
            self.stdout.write(json.dumps([row.as_json() for row in rows]))
            return
        cells = [HEAD, *(_cells(row) for row in rows)]
        widths = [max(len(line[column]) for line in cells) for column in range(len(HEAD))]
        for line in cells:
            first, rest = line[0].ljust(widths[0]), zip(line[1:], widths[1:], strict=True)
            self.stdout.write("  ".join([first, *(text.rjust(width) for text, width in rest)]).rstrip())


def _cells(row: ReportRow) -> tuple[str, ...]:
    written = row.cache_write_5m + row.cache_write_1h + row.cache_write_other
    rate = "–" if row.cache_rate is None else f"{row.cache_rate:.1%}"
    counts = (row.requests, row.prompt_tokens, row.cache_read, written, row.uncached)
    cost = "unpriced" if row.cost_usd is None else f"${float(row.cost_usd):,.2f}"
    return (row.key, *(f"{count:,}" for count in counts), rate, f"{row.output:,}", cost)
