"""What was read: files, lines set aside, records not understood, imports begun from the web."""

from __future__ import annotations

from django.db import models

from observability.enums import FileState, JobState
from observability.models.links import link


class ImportedFile(models.Model):
    """A log file and how far it was read. It moves on in the transaction that stores its rows."""

    id = models.BigIntegerField(primary_key=True)
    source = models.TextField()
    path = models.TextField(unique=True)
    project = link("observability.Project", null=True)
    conversation = link("observability.Conversation", null=True, index=True)
    state = models.TextField(choices=FileState.choices, default=FileState.READING)
    error = models.TextField(default="")
    demo = models.BooleanField(default=False)
    inode = models.TextField(default="")
    size = models.BigIntegerField(default=0)
    mtime_ns = models.BigIntegerField(default=0)
    offset = models.BigIntegerField(default=0)
    head = models.BinaryField(default=b"")
    """Hash of the first bytes, to notice a file that was replaced."""
    tail = models.BinaryField(default=b"")
    """Hash of the last bytes before `offset`."""
    reader_state = models.BinaryField(default=b"")
    lines = models.BigIntegerField(default=0)
    request_lines = models.BigIntegerField(default=0)
    """Lines that carry a request's usage: more than one of them may tell of one request."""
    duplicate_lines = models.BigIntegerField(default=0)
    first_at = models.DateTimeField(null=True)
    last_at = models.DateTimeField(null=True)
    read_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["source"], name="file_source")]


class QuarantinedLine(models.Model):
    """A line that was set aside (`kept` False), or read with a flag (`kept` True), and why."""

    id = models.BigAutoField(primary_key=True)
    project = link("observability.Project", null=True)
    file = link("observability.ImportedFile", null=True, related_name="quarantined", index=True)
    line = models.BigIntegerField()
    offset = models.BigIntegerField(default=0)
    reason = models.TextField()
    preview = models.TextField(default="")
    kept = models.BooleanField(default=False)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["file", "line", "reason"], name="quarantined_once")]


class UnknownRecord(models.Model):
    """A record type, attachment type or key that the reader does not know, and how often it was seen in a file."""

    id = models.BigAutoField(primary_key=True)
    project = link("observability.Project", null=True)
    file = link("observability.ImportedFile", index=True)
    source = models.TextField()
    kind = models.TextField()
    name = models.TextField()
    seen = models.BigIntegerField(default=0)
    first_at = models.DateTimeField(null=True)
    last_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["file", "kind", "name"], name="unknown_once")]


class StoreState(models.Model):
    """One row: a number that every writing replaces. What was read under the same number still holds."""

    THE_ONE = 1

    id = models.BigIntegerField(primary_key=True)
    written = models.BigIntegerField()


class ImportJob(models.Model):
    """An import begun from the web. The task may run twice or be lost; this row says what is still to do."""

    id = models.BigAutoField(primary_key=True)
    project = link("observability.Project", null=True)
    paths = models.JSONField(default=list)
    state = models.TextField(choices=JobState.choices, default=JobState.WAITING)
    error = models.TextField(default="")
    counts = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
