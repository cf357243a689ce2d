"""manage.py demo load | remove."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from observability.demo import load_demo, remove_demo
from observability.management.database import prepare


class Command(BaseCommand):
    """Demo conversations: put them there, or take them away."""

    help = "Load six demo conversations, or remove every trace of them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One word says what to do."""
        parser.add_argument("action", choices=["load", "remove"])

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it and say what was done."""
        prepare()
        if options["action"] == "load":
            self.stdout.write(
                f"{load_demo(timezone.now())} demo conversations are there. `demo remove` takes them away."
            )
            return
        removed = remove_demo()
        self.stdout.write(f"Removed {removed.conversations} demo conversations ({removed.rows:,} rows).")
