"""manage.py fit_factors: fit the factors of token counts to what the providers reported."""

from __future__ import annotations

import json
import shutil
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from explorer.queries.observations import MOST_RUNS, gather
from explorer.text import Paper
from explorer.text.fits import fits_as_json, render_fits
from harness import factors
from harness.accounting.refit import Refit, kept, refit
from harness.errors import FactorsError
from observability.management.database import prepare


class Command(BaseCommand):
    """Fits, judges each fit on runs that it did not see, and keeps what is better."""

    help = (
        "Fit the factors of token counts to growth and whole prompts whose text is stored and whose size was reported."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """--write, --json and --runs."""
        parser.add_argument("--write", action="store_true", help="keep what is better than the built-in factors")
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument(
            "--runs", type=int, default=MOST_RUNS, help=f"how many of the newest runs to look at (default: {MOST_RUNS})"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Fit and print; with --write, keep."""
        prepare()
        if options["runs"] < 1:
            raise CommandError("--runs must be at least 1.")
        refits = [refit(family, seen) for family, seen in gather(options["runs"]).items()]
        written = self._write(refits) if options["write"] else None
        if options["json"]:
            self.stdout.write(json.dumps(fits_as_json(refits, written)))
            return
        encoding = getattr(self.stdout, "encoding", None) or "utf-8"
        paper = Paper(width=shutil.get_terminal_size((100, 24)).columns, encoding=encoding)
        self.stdout.write(render_fits(refits, paper))
        if written:
            self.stdout.write(f"\n{written} A site that is running takes them over when it starts again.")

    def _write(self, refits: list[Refit]) -> str:
        found = kept(refits, timezone.now())
        try:
            factors.save(settings.FACTORS_FILE, found)
        except FactorsError as error:
            raise CommandError(str(error)) from error
        number = len(found.factors)
        return f"{number} {'factor is' if number == 1 else 'factors are'} kept in {settings.FACTORS_FILE}."
