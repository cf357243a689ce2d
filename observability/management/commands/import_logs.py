"""manage.py import_logs: read log files into the store."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from observability.management.database import prepare
from observability.services.imports import log_folders, refresh
from observability.services.imports.discovery import find


class Command(BaseCommand):
    """Reads what is new, newest files first."""

    help = "Import agent logs: files or folders, by default the usual folders of the agents on this machine."

    def add_arguments(self, parser: CommandParser) -> None:
        """PATH… and --json."""
        parser.add_argument("paths", nargs="*", metavar="PATH")
        parser.add_argument("--json", action="store_true", help="print one JSON object with what was new")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import, with a progress bar on a terminal."""
        prepare()
        paths = options["paths"] or [folder.path for folder in log_folders() if folder.path.is_dir()]
        if not paths:
            raise CommandError("No log folder was found. Name a file or folder: manage.py import_logs PATH")
        found = find(paths)
        if options["paths"] and all(file.error for file in found) and found:
            raise CommandError(f"{found[0].path} cannot be read: {found[0].error}.")
        quiet = options["json"] or not sys.stderr.isatty()
        with tqdm(total=sum(f.size for f in found), unit="B", unit_scale=True, disable=quiet, desc="Importing") as bar:
            counts = refresh(found, tell=lambda read: _move(bar, read))
        self._say(counts.as_json(), as_json=options["json"])

    def _say(self, counts: dict[str, Any], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(counts))
            return
        self.stdout.write(
            "{files:,} files, {lines:,} lines read in {seconds} s: {requests:,} new requests, {searches:,} searches "
            "({search_misses:,} missed), {activations:,} tools loaded, {duplicate_lines:,} lines known already, "
            "{quarantined:,} set aside, {unknown_records:,} records or keys not understood.".format(**counts)
        )


def _move(bar: tqdm[Any], read: int) -> None:
    bar.update(read)
