"""What a command does before it reads or writes: see that the tables are there."""

from __future__ import annotations

from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def prepare() -> None:
    """Make the tables of an embedded database that lacks some; say what to do on one that others share."""
    executor = MigrationExecutor(connection)
    if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return
    if connection.vendor != "sqlite":
        raise CommandError("The database lacks tables of this version. Run: manage.py migrate")
    call_command("migrate", verbosity=0, interactive=False)
