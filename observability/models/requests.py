"""Requests, where they were seen, and their hourly sums."""

from __future__ import annotations

from django.db import models

from observability.models.links import link, money, tokens, tool_list


class Request(models.Model):
    """One call of the provider, counted once whatever number of files repeat it.

    `seq` orders the requests of a run; `ordinal` is that order from 1, `chain` the number of
    rewrites of the context before it. `lost` and `rebuilt` are set where the request is a break.
    """

    id = models.BigIntegerField(primary_key=True)
    project = link("observability.Project")
    conversation = link("observability.Conversation", related_name="+")
    run = link("observability.Run", related_name="+")
    message_id = models.TextField(default="")
    request_id = models.TextField(default="")
    provider = models.TextField(default="")
    model = models.TextField(default="")
    agent = models.TextField(default="")
    agent_version = models.TextField(default="")
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    seq = models.BigIntegerField(default=0)
    usage = models.TextField(default="{}")
    convention = models.TextField(default="exclusive")
    flags = models.TextField(default="")
    """Space-separated: see `harness.usage`."""
    uncached = tokens()
    read = tokens()
    write_5m = tokens()
    write_1h = tokens()
    write_other = tokens()
    output = tokens()
    reasoning = tokens()
    context_tokens = tokens()
    output_chars = tokens()
    """Characters of its longest fragment."""
    output_recorded = models.BooleanField(default=True)
    stop_reason = models.TextField(default="")
    markers = models.TextField(default="")
    """JSON: the markers as sent, or empty."""
    diagnosis = models.TextField(default="")
    diagnosis_tokens = models.BigIntegerField(null=True)
    cost_pusd = money()
    prompt_pusd = money()
    """The part of the cost that is not output."""

    ordinal = models.IntegerField(default=0)
    chain = models.IntegerField(default=0)
    cold = models.BooleanField(default=False)
    lost = models.BigIntegerField(null=True)
    rebuilt = models.BigIntegerField(null=True)
    rebuilt_pusd = money()
    """What writing the rebuilt tokens cost above reading them."""
    break_reason = models.TextField(default="")
    break_evidence = models.TextField(default="")
    break_confidence = models.TextField(default="")
    break_survived = models.TextField(default="")
    break_subject = models.TextField(default="")
    """The tool, block, versions or models that the reason is about; empty where none is known."""
    break_detail = models.TextField(default="")
    """A sentence with the values that the reason rests on."""
    surface = tool_list()
    """The tools that were declared when it was sent, with their states."""
    loaded = tool_list()
    """The deferred tools whose schemas were in its context."""

    class Meta:
        indexes = [
            models.Index(fields=["conversation", "run", "seq"], name="request_in_run"),
            models.Index(fields=["project", "started_at"], name="request_project_time"),
            models.Index(fields=["started_at"], name="request_time"),
            models.Index(
                fields=["break_reason", "started_at", "project", "conversation", "rebuilt", "rebuilt_pusd", "lost"],
                condition=models.Q(lost__isnull=False),
                name="request_break",
            ),
        ]


class Sighting(models.Model):
    """A run that a request was seen in. It belongs to the one with the earliest `at`; the others inherit it."""

    id = models.BigAutoField(primary_key=True)
    project = link("observability.Project")
    request = link("observability.Request")
    conversation = link("observability.Conversation")
    run = link("observability.Run")
    at = models.DateTimeField(null=True)
    seq = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["request", "run"], name="sighting_once")]
        indexes = [models.Index(fields=["conversation", "run", "seq"], name="sighting_in_run")]


class HourlyRollup(models.Model):
    """Sums over the requests of an hour, kept in the transaction that stores them."""

    id = models.BigAutoField(primary_key=True)
    project = link("observability.Project")
    hour = models.DateTimeField()
    """The start of the hour, in UTC; the year 1970 stands for requests without a time."""
    agent = models.TextField(default="")
    model = models.TextField(default="")
    run_kind = models.TextField(default="main")
    demo = models.BooleanField(default=False)
    requests = models.BigIntegerField(default=0)
    hits = models.BigIntegerField(default=0)
    """Requests that read anything from the cache."""
    uncached = tokens()
    read = tokens()
    write_5m = tokens()
    write_1h = tokens()
    write_other = tokens()
    output = tokens()
    output_not_recorded = models.BigIntegerField(default=0)
    cost_pusd = models.BigIntegerField(default=0)
    unpriced = models.BigIntegerField(default=0)
    breaks = models.BigIntegerField(default=0)
    rebuilt = tokens()
    rebuilt_pusd = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "hour", "agent", "model", "run_kind", "demo"], name="rollup_once"
            )
        ]
        indexes = [models.Index(fields=["hour"], name="rollup_hour")]
