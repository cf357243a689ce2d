"""The context explorer: what one request was made of."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from explorer.forms import ContextForm
from explorer.page import context_page
from explorer.page.reader import read
from explorer.page.through_time import through_time
from explorer.queries.moment import conversation_of, moment
from observability.models import Conversation, Request, Run


@require_GET
def context(request: HttpRequest, uid: str) -> HttpResponse:
    """One request of a conversation; without a number, the last one of the main run."""
    form = ContextForm(request.GET)
    if not form.is_valid():
        raise Http404("There is no such request.")
    asked = form.cleaned_data
    try:
        at = moment(uid, run_uid=asked["run"], ordinal=asked["request"])
    except (Conversation.DoesNotExist, Run.DoesNotExist, Request.DoesNotExist) as error:
        raise Http404("There is no such request.") from error
    if at is None:
        return render(request, "explorer/no_request.html", {"conversation": conversation_of(uid)})
    page = context_page(at, server=asked["server"], totals=bool(asked["totals"]))
    reader = read(at, page.now, form.to_read(), page.earlier_turns)
    try:
        time = through_time(at, page.now, page.plan, page.strip, asked=asked["against"], kept=form.kept())
    except Request.DoesNotExist as error:
        raise Http404("There is no such request to compare with.") from error
    return render(request, "explorer/context.html", {"page": page, "reader": reader, "time": time})
