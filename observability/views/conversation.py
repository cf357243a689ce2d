"""The page of one conversation."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from observability.charts.requests import picture
from observability.charts.requests_figure import figure
from observability.forms.conversation import Wanted
from observability.models import Conversation, Run
from observability.queries.conversation_page import conversation_page


@require_GET
def conversation(request: HttpRequest, uid: str) -> HttpResponse:
    """Show what happened in a conversation, request by request."""
    wanted = Wanted.of(request.GET)
    try:
        page = conversation_page(
            uid,
            run=wanted.run,
            number=wanted.page,
            sort=wanted.sort,
            descending=wanted.descending,
            events=wanted.events,
        )
    except (Conversation.DoesNotExist, Run.DoesNotExist) as error:
        raise Http404("No such conversation, or no such run in it.") from error
    context_page = reverse("context", args=[uid])
    to_request = f"{context_page}?{urlencode({'run': page.shown.uid if page.shown else ''})}&request="
    drawn = picture(page, request_url=to_request, part_url=wanted.part, start=wanted.start, end=wanted.end)
    shown = {
        "page": page,
        "wanted": wanted,
        "picture": drawn,
        "figure": figure(page, drawn.frame) if drawn else None,
        "context_page": context_page,
        "to_request": to_request,
    }
    return render(request, "observability/conversation.html", shown)
