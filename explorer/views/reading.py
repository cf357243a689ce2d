"""A request for programs and for the clipboard: as JSON, and the whole text of one item."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET

from explorer.document import document
from explorer.forms import ContextForm
from explorer.item_document import item_document, items
from explorer.page import ContextPage, context_page
from explorer.queries.moment import moment
from explorer.queries.reading import Reading, reading
from observability.figures import shown
from observability.models import Conversation, Request, Run


@require_GET
def context_json(request: HttpRequest, uid: str) -> HttpResponse:
    """The figures of a request and what it holds, or with `item` one item with its whole text."""
    page, ref = _asked(request, uid)
    if not ref:
        return _json(document(page) | {"items": items(page)})
    return _json(item_document(page, _reading(page, ref)))


@require_GET
def context_text(request: HttpRequest, uid: str) -> HttpResponse:
    """The whole text of an item as far as it was kept, as plain text in which control characters are signs."""
    page, ref = _asked(request, uid)
    found = _reading(page, ref)
    if found.text is None:
        raise Http404("The text was not kept.")
    return HttpResponse(shown(found.pretty), content_type="text/plain; charset=utf-8")


def _asked(request: HttpRequest, uid: str) -> tuple[ContextPage, str]:
    form = ContextForm(request.GET)
    if not form.is_valid():
        raise Http404("There is no such request.")
    asked = form.cleaned_data
    try:
        at = moment(uid, run_uid=asked["run"], ordinal=asked["request"])
    except (Conversation.DoesNotExist, Run.DoesNotExist, Request.DoesNotExist) as error:
        raise Http404("There is no such request.") from error
    if at is None:
        raise Http404("This run made no request of its own.")
    return context_page(at, totals=not asked["item"]), asked["item"]


def _reading(page: ContextPage, ref: str) -> Reading:
    found = reading(page.at.run, page.now, ref) if ref else None
    if found is None:
        raise Http404("There is no such item.")
    return found


def _json(value: object) -> HttpResponse:
    """All but ASCII is escaped, so that a terminal shows nothing that turns its text around."""
    return JsonResponse(value, safe=False, json_dumps_params={"indent": 2, "ensure_ascii": True})
