"""The list of conversations."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_GET

from observability.queries.conversations import asked_for, conversation_list


@require_GET
def conversations(request: HttpRequest) -> HttpResponse:
    """The list as the URL asks for it; for htmx only the part that changes."""
    page = conversation_list(asked_for(request.GET.dict()))
    partial = (
        request.headers.get("HX-Request") == "true" and request.headers.get("HX-History-Restore-Request") != "true"
    )
    template = "partials/conversation_list.html" if partial else "observability/conversations.html"
    response = render(request, template, {"page": page})
    patch_vary_headers(response, ["HX-Request"])
    return response
