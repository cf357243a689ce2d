"""Context: what was appended, when it was rewritten, and its text, stored once."""

from __future__ import annotations

from django.db import models

from observability.enums import Codec
from observability.models.links import link


class Block(models.Model):
    """A text, stored once. `tokens` is its count by the offline tokenizer, made when a page needs it.

    `data` is the last column: SQLite then reads the counts without walking through the text.
    """

    id = models.BigAutoField(primary_key=True)
    hash = models.BinaryField(max_length=16, unique=True)
    codec = models.TextField(choices=Codec.choices, default=Codec.PLAIN)
    chars = models.BigIntegerField(default=0)
    tokens = models.BigIntegerField(null=True)
    data = models.BinaryField(default=b"")


class ContextItem(models.Model):
    """One piece of context of a run. Append-only; ordered by `seq`, then `idx`.

    `replacing`: from here on, earlier items of the same kind no longer stand.
    """

    id = models.BigAutoField(primary_key=True)
    project = link("observability.Project")
    conversation = link("observability.Conversation")
    run = link("observability.Run")
    key = models.BigIntegerField()
    """Hash of the event's id and the place in it."""
    variant = models.BigIntegerField(default=0)
    """Hash of the content: an id that repeats with other content is another item, whichever came first."""
    at = models.DateTimeField(null=True)
    seq = models.BigIntegerField()
    idx = models.IntegerField(default=0)
    kind = models.TextField()
    label = models.TextField(default="")
    owner = models.TextField(default="")
    text_hash = models.BinaryField(max_length=16, null=True)
    chars = models.BigIntegerField(default=0)
    hidden_chars = models.BigIntegerField(default=0)
    media_bytes = models.BigIntegerField(null=True)
    tokens = models.BigIntegerField(null=True)
    """As the log says, where it does."""
    call = models.BigIntegerField(null=True)
    """Hash of the call id: ties a tool call to its result and to ToolCall.call_key."""
    request = link("observability.Request", null=True)
    replacing = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "key", "variant"], name="item_once")]
        indexes = [models.Index(fields=["run", "seq", "idx"], name="item_in_run")]


class Rewrite(models.Model):
    """A point at which the conversation part of the context was replaced: a new epoch starts."""

    id = models.BigAutoField(primary_key=True)
    project = link("observability.Project")
    conversation = link("observability.Conversation", index=True)
    run = link("observability.Run")
    key = models.BigIntegerField()
    at = models.DateTimeField(null=True)
    seq = models.BigIntegerField()
    kind = models.TextField()
    trigger = models.TextField(default="")
    tokens_before = models.BigIntegerField(null=True)
    tokens_after = models.BigIntegerField(null=True)
    kept_tools = models.JSONField(null=True)
    """Names that stay loaded; null where the log does not say."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "key"], name="rewrite_once")]
