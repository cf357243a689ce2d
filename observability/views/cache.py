"""What the prompt cache did."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from observability.queries.cache.page import cache_page
from observability.queries.places import looked_in
from observability.queries.scope import scope_of
from observability.queries.sources import nothing_read
from observability.services.imports import log_folders


@require_GET
def cache(request: HttpRequest) -> HttpResponse:
    """The rate over time, what broke it, and what it saved; or how to begin."""
    if nothing_read():
        return render(request, "observability/empty.html", {"places": looked_in(log_folders())})
    asked = {name: request.GET.get(name, "") for name in ("window", "project", "by", "reason")}
    scope = scope_of(window=asked["window"], project=asked["project"])
    page = cache_page(scope, by=asked["by"], reason=asked["reason"])
    return render(request, "observability/cache.html", {"page": page})
