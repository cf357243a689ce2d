"""The Conversations page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET


@require_GET
def conversations(request: HttpRequest) -> HttpResponse:
    """Show it."""
    return render(request, "observability/conversations.html")
