"""The first page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from observability.queries.overview import overview as read_overview
from observability.queries.places import looked_in
from observability.queries.scope import scope_of
from observability.queries.sources import nothing_read
from observability.services.imports import log_folders


@require_GET
def overview(request: HttpRequest) -> HttpResponse:
    """What the cache did, what an idle session costs, what needs attention; or how to begin."""
    if nothing_read():
        return render(request, "observability/empty.html", {"places": looked_in(log_folders())})
    scope = scope_of(window=request.GET.get("window", ""), project=request.GET.get("project", ""))
    return render(request, "observability/overview.html", {"page": read_overview(scope)})
