"""How tokens are counted."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from explorer.page.counting import counting_page


@require_GET
def counting(request: HttpRequest) -> HttpResponse:
    """The factors in use, what each rests on, and how far it may be off."""
    return render(request, "explorer/counting.html", {"page": counting_page(settings.FACTORS_FILE)})
