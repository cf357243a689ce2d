"""What the API takes and gives. Tokens are whole numbers, money is a string in USD, times are UTC, null is not known."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from harness.usage import rate_of
from observability.models import Conversation, Request, Run
from observability.queries.report import DIMENSIONS
from observability.queries.scope import TITLES
from observability.queries.tools.asked import SHOWS

PICO: Final = Decimal(10) ** 12
BUCKETS: Final = ("uncached", "cache_read", "cache_write_5m", "cache_write_1h", "cache_write_other")


@extend_schema_field({"type": "string", "format": "decimal", "nullable": True, "example": "0.0412"})
class Usd(serializers.Field[int, Any, str, Any]):
    """Picodollars of the database as an exact decimal string; null where unpriced."""

    def to_representation(self, value: int) -> str:
        """Eight picodollars are "0.000000000008"."""
        return f"{Decimal(value) / PICO:f}"


class Buckets(serializers.Serializer[Any]):
    """Prompt tokens by what the cache did with them, and their sum and rate."""

    uncached = serializers.IntegerField()
    cache_read = serializers.IntegerField(source="read")
    cache_write_5m = serializers.IntegerField(source="write_5m")
    cache_write_1h = serializers.IntegerField(source="write_1h")
    cache_write_other = serializers.IntegerField(source="write_other")
    output = serializers.IntegerField()
    prompt_tokens = serializers.SerializerMethodField()
    cache_rate = serializers.SerializerMethodField()
    cost_usd = Usd(source="cost_pusd")

    def get_prompt_tokens(self, row: Conversation | Request) -> int:
        """All prompt tokens processed."""
        return row.uncached + row.read + row.write_5m + row.write_1h + row.write_other

    def get_cache_rate(self, row: Conversation | Request) -> float | None:
        """Reads over all prompt tokens, writes included; null where there were none."""
        rate = rate_of(read=row.read, prompt=self.get_prompt_tokens(row))
        return None if rate is None else float(rate)


class ConversationShape(Buckets):
    """A main run and all its sub-agents, with sums over the requests that belong to it."""

    uid = serializers.CharField()
    project = serializers.CharField(source="project.key")
    title = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]  # a field of that name, as DRF allows
    agent = serializers.CharField()
    agent_version = serializers.CharField()
    model = serializers.CharField()
    demo = serializers.BooleanField()
    resumed = serializers.BooleanField()
    started_at = serializers.DateTimeField(allow_null=True)
    last_at = serializers.DateTimeField(allow_null=True)
    requests = serializers.IntegerField()
    inherited = serializers.IntegerField()
    sub_agents = serializers.IntegerField()
    output_not_recorded = serializers.IntegerField()
    unpriced_requests = serializers.IntegerField(source="unpriced")
    breaks = serializers.IntegerField()
    rebuilt_tokens = serializers.IntegerField(source="rebuilt")
    searches = serializers.IntegerField()
    search_misses = serializers.IntegerField(source="misses")
    activations = serializers.IntegerField()


class RunShape(serializers.ModelSerializer[Run]):
    """One agent's loop."""

    parent = serializers.CharField(source="parent_uid")  # type: ignore[assignment]

    class Meta:
        model = Run
        fields = [
            "uid",
            "kind",
            "parent",
            "agent",
            "agent_version",
            "model",
            "title",
            "outcome",
            "started_at",
            "last_at",
        ]


class ConversationDetail(ConversationShape):
    """A conversation and its runs."""

    runs = RunShape(many=True)


class RequestShape(Buckets):
    """One call of the provider. `run` and `ordinal` name it within its conversation."""

    run = serializers.CharField(source="run.uid")
    ordinal = serializers.IntegerField()
    message_id = serializers.CharField()
    request_id = serializers.CharField()
    provider = serializers.CharField()
    model = serializers.CharField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    context_tokens = serializers.IntegerField()
    output_recorded = serializers.BooleanField()
    stop_reason = serializers.CharField()
    chain = serializers.IntegerField()
    cold = serializers.BooleanField()
    lost_tokens = serializers.IntegerField(source="lost", allow_null=True)
    rebuilt_tokens = serializers.IntegerField(source="rebuilt", allow_null=True)
    break_reason = serializers.CharField()
    break_evidence = serializers.CharField()
    break_confidence = serializers.CharField()
    break_survived = serializers.CharField()
    break_subject = serializers.CharField()
    break_detail = serializers.CharField()


class ReportQuery(serializers.Serializer[Any]):
    """What the rows of the report stand for."""

    by = serializers.ChoiceField(sorted(DIMENSIONS), default="total")


class ReportShape(serializers.Serializer[Any]):
    """A row of the report, as `manage.py report --json` prints it."""

    key = serializers.CharField()
    requests = serializers.IntegerField()
    uncached = serializers.IntegerField()
    cache_read = serializers.IntegerField()
    cache_write_5m = serializers.IntegerField()
    cache_write_1h = serializers.IntegerField()
    cache_write_other = serializers.IntegerField()
    output = serializers.IntegerField()
    output_not_recorded = serializers.IntegerField()
    prompt_tokens = serializers.IntegerField()
    cache_rate = serializers.FloatField(allow_null=True)
    cost_usd = serializers.CharField(allow_null=True)
    unpriced_requests = serializers.IntegerField()


class ToolQuery(serializers.Serializer[Any]):
    """Filters of the tools. `window` ends with the newest event; `server` is "built-in" for tools of none."""

    window = serializers.ChoiceField(list(TITLES), default="all")
    project = serializers.CharField(required=False)
    agent = serializers.CharField(required=False, max_length=200)
    server = serializers.CharField(required=False, max_length=200)
    search = serializers.CharField(required=False, max_length=200)
    show = serializers.ChoiceField([show for show in SHOWS if show], required=False)


class ToolSums(serializers.Serializer[Any]):
    """Requests in one state. `cost_usd` leaves out the unpriced ones."""

    requests = serializers.IntegerField()
    runs = serializers.IntegerField()
    tokens = serializers.IntegerField()
    cost_usd = Usd(source="cost")
    unpriced_requests = serializers.IntegerField(source="unpriced")


class ToolShape(serializers.Serializer[Any]):
    """A tool. `deferred` counts its line in the index, in all requests that had it; `loaded` its schema in some of them.

    `schema_provenance` says how its tokens are known: measured, estimated or unknown.
    """

    name = serializers.CharField(source="tool")
    server = serializers.CharField()
    group = serializers.CharField()
    schema_tokens = serializers.IntegerField(source="schema", allow_null=True)
    index_tokens = serializers.IntegerField(source="line", allow_null=True)
    schema_provenance = serializers.CharField(source="provenance")
    resident = ToolSums()
    deferred = ToolSums()
    loaded = ToolSums()
    loads = serializers.DictField(child=serializers.IntegerField())
    calls = serializers.IntegerField(source="called.calls")
    failed_calls = serializers.IntegerField(source="called.failed")
    runs_called = serializers.IntegerField(source="called.runs")
    missed = serializers.IntegerField()
    tokens = serializers.IntegerField()
    cost_usd = Usd(source="pusd")
    unpriced_requests = serializers.IntegerField(source="unpriced")
    extra_tokens_if_resident = serializers.IntegerField(source="extra", allow_null=True)
    last_seen = serializers.DateTimeField(source="last", allow_null=True)


NEW: Final = ("requests", "items", "searches", "activations")


class New(serializers.Serializer[Any]):
    """Rows that were not there before."""

    requests = serializers.IntegerField()
    items = serializers.IntegerField()
    searches = serializers.IntegerField()
    activations = serializers.IntegerField()


class Accepted(serializers.Serializer[Any]):
    """Events that are in the database now: how many came, and what they brought."""

    events = serializers.IntegerField()
    new = New()


class Problem(serializers.Serializer[Any]):
    """What was wrong with a request; `line` is the line of its body at fault, from 1."""

    code = serializers.CharField()
    message = serializers.CharField()
    line = serializers.IntegerField(allow_null=True)


class ErrorShape(serializers.Serializer[Any]):
    """Every answer from 400 to 499."""

    error = Problem()


class ConversationQuery(serializers.Serializer[Any]):
    """Filters of the conversations."""

    project = serializers.CharField(required=False)
    agent = serializers.CharField(required=False)
    model = serializers.CharField(required=False)
    source = serializers.CharField(required=False)  # type: ignore[assignment]
    demo = serializers.BooleanField(required=False, allow_null=True, default=None)
    search = serializers.CharField(required=False, max_length=200)
    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False)

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        """Only what was asked for."""
        return {name: value for name, value in values.items() if value is not None}
