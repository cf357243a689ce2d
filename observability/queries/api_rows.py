"""Rows that the API gives out, page by page."""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict

from django.db.models import Prefetch, Q, QuerySet

from observability.models import Conversation, Project, Request, Run
from observability.queries.tools.asked import asked_for
from observability.queries.tools.figures import ToolFigures
from observability.queries.tools.page import listed_tools


class ConversationFilter(TypedDict, total=False):
    """What may be asked for. Times bound the last activity: `since` is in, `until` is not."""

    project: str
    agent: str
    model: str
    source: str
    demo: bool
    search: str
    since: datetime
    until: datetime


def conversations(wanted: ConversationFilter) -> QuerySet[Conversation]:
    """Conversations, the one with the latest activity first."""
    exact = {
        "project": "project__key",
        "agent": "agent",
        "model": "model",
        "source": "source",
        "demo": "demo",
        "since": "last_at__gte",
        "until": "last_at__lt",
    }
    rows = Conversation.objects.filter(**{exact[name]: value for name, value in wanted.items() if name in exact})
    if text := wanted.get("search"):
        rows = rows.filter(Q(title__icontains=text) | Q(uid__icontains=text))
    return rows.select_related("project").order_by("-last_at", "id")


class ToolFilter(TypedDict, total=False):
    """What may be asked for of tools; `project` is a project's key."""

    window: str
    project: str
    agent: str
    server: str
    search: str
    show: str


def tools(wanted: ToolFilter) -> list[ToolFigures]:
    """Tools, the dearest first: the rows of the tools page. Of a project that is not known there are none."""
    names = {"window": "window", "agent": "agent", "server": "server", "search": "q", "show": "show"}
    values = {ours: str(wanted[theirs]) for theirs, ours in names.items() if theirs in wanted}  # type: ignore[literal-required]
    if key := wanted.get("project"):
        found = Project.objects.filter(key=key).values_list("id", flat=True).first()
        if found is None:
            return []
        values["project"] = str(found)
    return listed_tools(asked_for(values))


def conversation(uid: str) -> Conversation:
    """The conversation of that uid with its runs, the latest where projects share it. Raises Conversation.DoesNotExist."""
    runs = Prefetch("runs", Run.objects.order_by("started_at", "id"))
    found = conversations({}).filter(uid=uid).prefetch_related(runs).first()
    if found is None:
        raise Conversation.DoesNotExist(uid)
    return found


def requests(of: Conversation) -> QuerySet[Request]:
    """The requests that belong to a conversation, run by run in their order."""
    return Request.objects.filter(conversation=of).select_related("run").order_by("run_id", "seq", "id")
