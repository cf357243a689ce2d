"""The icon where browsers look for it by themselves: beside documents that name none, such as JSON."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.views.decorators.http import require_GET


@require_GET
def favicon(request: HttpRequest) -> HttpResponse:
    """To the icon of the pages."""
    return redirect(static("icon.svg"))
