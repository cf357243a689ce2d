"""What stands before every view."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseForbidden

SAFE = ("GET", "HEAD", "OPTIONS")
FOREIGN = ("cross-site", "same-site")
"""A page of another port of this machine is same-site to a browser, and foreign to us."""


def same_site_only(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Refuse what another site's page asks for: nobody but this machine's user is meant to read or write here.

    A foreign Host (which a name that is made to point here would send) is answered with 400.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        request.get_host()
        if is_foreign(request):
            return HttpResponseForbidden("Requests from another site are refused.", content_type="text/plain")
        return get_response(request)

    return middleware


def is_foreign(request: HttpRequest) -> bool:
    """Whether another site's page made the request. A link from there that is followed is not foreign.

    Browsers say so in Sec-Fetch-Site; old ones at least name the Origin. Other programs send neither.
    """
    headers = request.headers
    navigates = request.method in SAFE and headers.get("Sec-Fetch-Mode") == "navigate"
    if site := headers.get("Sec-Fetch-Site"):
        return site in FOREIGN and not navigates
    origin = headers.get("Origin")
    return origin is not None and origin != f"{request.scheme}://{request.get_host()}"
