"""Tools: definitions, surfaces over time, searches, activations, calls, servers."""

from __future__ import annotations

from django.db import models

from observability.enums import SearchOutcome, ServerState
from observability.models.links import link


class ToolDefinition(models.Model):
    """A tool's whole definition in a project, named by the hash of its canonical JSON. The JSON is a Block of that hash."""

    id = models.BigAutoField(primary_key=True)
    project = link("observability.Project")
    hash = models.BinaryField(max_length=16, db_index=True)
    name = models.TextField(db_index=True)
    server = models.TextField(default="")
    chars = models.BigIntegerField(default=0)
    first_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "hash"], name="definition_once")]


class SurfaceEntry(models.Model):
    """A tool's state from a point of a run on.

    An entry with an empty tool says that the list of that state starts anew here: tools that
    were in that state and are not named again with the same `seq` have left the surface.
    """

    id = models.BigAutoField(primary_key=True)
    project = link("observability.Project")
    conversation = link("observability.Conversation")
    run = link("observability.Run")
    key = models.BigIntegerField()
    at = models.DateTimeField(null=True)
    seq = models.BigIntegerField()
    tool = models.TextField()
    state = models.TextField()
    definition = models.BinaryField(max_length=16, null=True)
    group = models.TextField(default="")
    server = models.TextField(default="")
    reason = models.TextField(default="")
    listing = models.TextField(default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "key"], name="surface_once")]
        indexes = [models.Index(fields=["run", "seq"], name="surface_in_run")]


class ServerReport(models.Model):
    """A tool server that had no tools at some point of a run, and why."""

    id = models.BigAutoField(primary_key=True)
    project = link("observability.Project")
    conversation = link("observability.Conversation")
    run = link("observability.Run")
    key = models.BigIntegerField()
    at = models.DateTimeField(null=True)
    seq = models.BigIntegerField()
    server = models.TextField()
    state = models.TextField(choices=ServerState.choices)
    code = models.TextField(default="")
    error = models.TextField(default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "key"], name="server_once")]
        indexes = [
            models.Index(
                fields=["at", "project", "server", "state", "conversation"],
                condition=models.Q(state__in=["failed", "needs_auth"]),
                name="server_failed",
            )
        ]


class Search(models.Model):
    """A search for tools. `outcome` and `missing` are derived from the surface at that point."""

    id = models.BigAutoField(primary_key=True)
    project = link("observability.Project")
    conversation = link("observability.Conversation", index=True)
    run = link("observability.Run")
    call_key = models.BigIntegerField()
    call = models.TextField()
    at = models.DateTimeField(null=True)
    seq = models.BigIntegerField(default=0)
    tool = models.TextField(default="")
    query = models.TextField(default="")
    form = models.TextField(default="")
    limit = models.IntegerField(null=True)
    matches = models.JSONField(null=True)
    """[{"tool", "score"?}]; null while there is no result."""
    searchable = models.IntegerField(null=True)
    pending = models.JSONField(default=list)
    failed = models.JSONField(default=list)
    error = models.TextField(default="")
    note = models.TextField(default="")
    outcome = models.TextField(choices=SearchOutcome.choices, default=SearchOutcome.OPEN)
    missing = models.JSONField(default=list)
    """Names that `select:` asked for and did not get."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "call_key"], name="search_once")]
        indexes = [
            models.Index(fields=["project", "at"], name="search_project_time"),
            models.Index(
                fields=["at", "project", "query", "outcome", "conversation"],
                condition=models.Q(outcome__in=["miss", "partial", "error"]),
                name="search_failed",
            ),
        ]


class Activation(models.Model):
    """A deferred tool was loaded."""

    id = models.BigAutoField(primary_key=True)
    project = link("observability.Project")
    conversation = link("observability.Conversation", index=True)
    run = link("observability.Run")
    tool = models.TextField()
    trigger = models.TextField(default="unknown")
    search_key = models.BigIntegerField(null=True)
    """`Search.call_key` of the search that led to it."""
    at = models.DateTimeField(null=True)
    seq = models.BigIntegerField(default=0)
    derived = models.BooleanField(default=False)
    """True where it follows from searches and calls, False where the log says so."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "tool", "seq"], name="activation_once")]


class ToolCall(models.Model):
    """A call of a tool. `ok` is null while there is no result."""

    id = models.BigAutoField(primary_key=True)
    project = link("observability.Project")
    conversation = link("observability.Conversation", index=True)
    run = link("observability.Run")
    call_key = models.BigIntegerField()
    call = models.TextField(default="")
    tool = models.TextField(default="")
    at = models.DateTimeField(null=True)
    seq = models.BigIntegerField(default=0)
    ok = models.BooleanField(null=True)
    duration_ms = models.BigIntegerField(null=True)
    result_chars = models.BigIntegerField(null=True)
    request = link("observability.Request", null=True)
    error = models.TextField(default="")
    child_run = models.TextField(default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "call_key"], name="call_once")]
