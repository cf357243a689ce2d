"""manage.py import_catalogue: definitions of tools from recorded catalogues."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from harness.catalogue import read_catalogue
from harness.errors import CatalogueError
from observability.management.database import prepare
from observability.services.catalogues import store_catalogue


class Command(BaseCommand):
    """Reads catalogues that `python -m harness catalogue` recorded, or a server's answer to tools/list."""

    help = "Take the definitions of tools from recorded catalogues, for tools whose schemas no log holds."

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE… and --server."""
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--server", default="", help="the server of tools that name none")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import each file and say what was in it; what is wrong with single tools is said and passed over."""
        prepare()
        for file in options["files"]:
            try:
                catalogue = read_catalogue(file, server=options["server"])
            except (CatalogueError, OSError) as error:
                raise CommandError(f"{file}: {error}") from error
            for problem in catalogue.problems:
                self.stderr.write(str(problem))
            count = store_catalogue(catalogue, at=timezone.now())
            self.stdout.write(f"{file}: {count:,} definitions of tools.")
