"""What stands before every view."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseForbidden

SAFE = ("GET", "HEAD", "OPTIONS")


def same_site_only(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Refuse requests that another site's page makes: nobody but this machine's user is meant to read or write here."""

    def middleware(request: HttpRequest) -> HttpResponse:
        site = request.headers.get("Sec-Fetch-Site", "")
        navigating = request.method in SAFE and request.headers.get("Sec-Fetch-Mode") == "navigate"
        if site in ("cross-site", "same-site") and not navigating:
            return HttpResponseForbidden("Requests from another site are refused.", content_type="text/plain")
        return get_response(request)

    return middleware
