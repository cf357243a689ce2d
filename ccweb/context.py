"""What every page knows."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, object]:
    """The version shown in the footer."""
    return {"ccweb_version": settings.VERSION}
