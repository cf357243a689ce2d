"""What every page knows."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from observability.queries.frame import Frame


def site(request: HttpRequest) -> dict[str, object]:
    """The version and the last event, shown in the footer."""
    return {"ccweb_version": settings.VERSION, "frame": Frame()}
