"""Tools: definitions, surfaces over time, searches, activations, calls, servers."""

from __future__ import annotations

from django.db import models

from observability.enums import SearchOutcome, ServerState
from observability.models.links import link, tool_list


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


class ToolList(models.Model):
    """Tools with their states, as they stood at requests: the same list is stored once, under its hash, as a text is."""

    id = models.BigIntegerField(primary_key=True)


class ListedTool(models.Model):
    """A tool of a list. `state` is one of the run log's, or "loaded" in the list of what was loaded."""

    id = models.BigAutoField(primary_key=True)
    list = link("observability.ToolList")
    tool = models.TextField()
    state = models.TextField()
    definition = models.BinaryField(max_length=16, null=True)
    server = models.TextField(default="")
    group = models.TextField(default="")
    listing = models.TextField(default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["list", "tool"], name="listed_once")]
        indexes = [models.Index(fields=["tool"], name="listed_tool")]


class SurfaceUse(models.Model):
    """The requests of a run in an hour that carried one list of tools, kept in the transaction that stores them.

    `surface` is what was declared, `loaded` the deferred tools whose schemas were in the context. Requests
    without prompt tokens are left out. A tool is at the very start of a prompt, so what a token of it cost
    is what the first token cost: read, written or neither. `start_pusd` is the sum of that over the requests.
    """

    id = models.BigAutoField(primary_key=True)
    project = link("observability.Project")
    conversation = link("observability.Conversation", index=True)
    run = link("observability.Run")
    hour = models.DateTimeField()
    """As in HourlyRollup."""
    agent = models.TextField(default="")
    model = models.TextField(default="")
    demo = models.BooleanField(default=False)
    surface = tool_list()
    loaded = tool_list()
    requests = models.BigIntegerField(default=0)
    unpriced = models.BigIntegerField(default=0)
    start_pusd = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "hour", "model", "surface", "loaded"], name="surface_use_once")
        ]
        indexes = [models.Index(fields=["hour"], name="surface_use_hour")]


class ToolUse(models.Model):
    """Calls of a tool in an hour of a run. Calls of requests that belong to another run are counted there."""

    id = models.BigAutoField(primary_key=True)
    project = link("observability.Project")
    conversation = link("observability.Conversation", index=True)
    run = link("observability.Run")
    hour = models.DateTimeField()
    """As in HourlyRollup."""
    agent = models.TextField(default="")
    demo = models.BooleanField(default=False)
    tool = models.TextField()
    calls = models.BigIntegerField(default=0)
    failed = models.BigIntegerField(default=0)
    """Those that ended in an error."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "hour", "tool"], name="tool_use_once")]
        indexes = [models.Index(fields=["tool", "hour"], name="tool_use_tool")]
