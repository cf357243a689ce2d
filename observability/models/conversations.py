"""Projects, conversations and their runs."""

from __future__ import annotations

from django.db import models

from observability.models.links import link, money, tokens


class Project(models.Model):
    """What conversations are grouped by: a repository or folder that agents worked in."""

    id = models.BigIntegerField(primary_key=True)
    key = models.TextField(unique=True)
    name = models.TextField()

    def __str__(self) -> str:
        return self.name


class Conversation(models.Model):
    """A main run and all its sub-agents. The counts below are derived from its requests, searches and runs."""

    id = models.BigIntegerField(primary_key=True)
    project = link("observability.Project")
    project_rank = models.IntegerField(default=0)
    """How the project is known: 2 named by the sender, 1 by the working directory, 0 not at all."""
    uid = models.TextField()
    title = models.TextField(default="")
    title_rank = models.BigIntegerField(default=-1)
    source = models.TextField(default="")
    agent = models.TextField(default="")
    agent_version = models.TextField(default="")
    model = models.TextField(default="")
    cwd = models.TextField(default="")
    branch = models.TextField(default="")
    demo = models.BooleanField(default=False)
    resumed = models.BooleanField(default=False)
    started_at = models.DateTimeField(null=True)
    last_at = models.DateTimeField(null=True)

    requests = models.IntegerField(default=0)
    inherited = models.IntegerField(default=0)
    sub_agents = models.IntegerField(default=0)
    uncached = tokens()
    read = tokens()
    write_5m = tokens()
    write_1h = tokens()
    write_other = tokens()
    output = tokens()
    output_not_recorded = models.IntegerField(default=0)
    prompt = tokens()
    rate_ppm = models.IntegerField(null=True)
    cost_pusd = money()
    unpriced = models.IntegerField(default=0)
    breaks = models.IntegerField(default=0)
    rebuilt = tokens()
    rebuilt_pusd = money()
    searches = models.IntegerField(default=0)
    misses = models.IntegerField(default=0)
    activations = models.IntegerField(default=0)
    idle_raw = models.BigIntegerField(null=True)
    idle_user_chars = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "uid"], name="conversation_once")]
        indexes = [
            models.Index(fields=["uid"], name="conversation_uid"),
            models.Index(fields=["-last_at"], name="conversation_last"),
            models.Index(fields=["project", "-last_at"], name="conversation_project_last"),
            models.Index(fields=["-started_at"], name="conversation_started"),
        ]

    def __str__(self) -> str:
        return self.title or self.uid


class Run(models.Model):
    """One agent's loop: the main one, a sub-agent's, or one that compacts."""

    id = models.BigIntegerField(primary_key=True)
    project = link("observability.Project")
    conversation = link("observability.Conversation", related_name="runs", index=True)
    uid = models.TextField()
    kind = models.TextField(default="main")
    parent_uid = models.TextField(default="")
    parent_call = models.TextField(default="")
    agent = models.TextField(default="")
    agent_version = models.TextField(default="")
    profile = models.TextField(default="")
    mode = models.TextField(default="")
    provider = models.TextField(default="")
    model = models.TextField(default="")
    title = models.TextField(default="")
    title_rank = models.BigIntegerField(default=-1)
    deferral = models.BooleanField(null=True)
    reports_activations = models.BooleanField(default=False)
    outcome = models.TextField(default="unknown")
    totals = models.JSONField(null=True)
    started_at = models.DateTimeField(null=True)
    last_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["conversation", "uid"], name="run_once")]

    def __str__(self) -> str:
        return self.title or self.uid
