"""manage.py context: what one request was made of, as text or as JSON."""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from explorer.document import document
from explorer.page import context_page
from explorer.queries.naming import NoSuchRequest, named
from explorer.text import Paper, render
from explorer.text.paper import clean
from observability.management.database import prepare


class Command(BaseCommand):
    """Prints the figures of a request's page."""

    help = "What a request was made of: parts, cache, tools, and a signed residual."

    def add_arguments(self, parser: CommandParser) -> None:
        """CONVERSATION, --request, --run, --detail and --json."""
        parser.add_argument(
            "conversation", metavar="CONVERSATION", help="a uid, the beginning of one, or “last” for the most recent"
        )
        parser.add_argument("--request", type=int, metavar="N", help="the number of the request (default: the last)")
        parser.add_argument("--run", default="", metavar="UID", help="the run (default: the main one)")
        parser.add_argument("--detail", action="store_true", help="a row for each tool, file, block, skill and server")
        parser.add_argument("--json", action="store_true", help="print the request as a JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        """Find the request and print it."""
        prepare()
        try:
            at = named(options["conversation"], run=options["run"], ordinal=options["request"])
        except NoSuchRequest as error:
            raise CommandError(clean(error)) from error
        page = context_page(at, totals=True)
        if options["json"]:
            self._say(json.dumps(document(page), indent=2))
            return
        colour = not options["no_color"] and (options["force_color"] or _may_colour(terminal=self.stdout.isatty()))
        encoding = getattr(self.stdout, "encoding", None) or "utf-8"
        paper = Paper(width=shutil.get_terminal_size((100, 24)).columns, encoding=encoding, colour=colour)
        self._say(render(page, paper, whole=options["detail"]))

    def _say(self, text: str) -> None:
        """Print it. A reader that has seen enough, as in a pipe to head, is no error."""
        try:
            self.stdout.write(text)
            self.stdout.flush()
        except BrokenPipeError:
            # What is still buffered must go somewhere when Python ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _may_colour(*, terminal: bool) -> bool:
    return terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
