"""The tools page, and the page of one tool."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_GET

from observability.queries.tools.asked import asked_for
from observability.queries.tools.one import tool_page
from observability.queries.tools.page import tools_page


@require_GET
def tools(request: HttpRequest) -> HttpResponse:
    """All tools as the URL asks for them; for htmx only the part that changes."""
    page = tools_page(asked_for(request.GET.dict()))
    partial = (
        request.headers.get("HX-Request") == "true" and request.headers.get("HX-History-Restore-Request") != "true"
    )
    template = "explorer/tools/list.html" if partial else "explorer/tools.html"
    response = render(request, template, {"page": page})
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_GET
def tool(request: HttpRequest, name: str) -> HttpResponse:
    """One tool, in the period, project and agent that the URL asks for."""
    page = tool_page(name, asked_for(request.GET.dict())) if "\0" not in name else None
    if page is None:
        raise Http404("There is no such tool.")
    return render(request, "explorer/tool.html", {"page": page})
