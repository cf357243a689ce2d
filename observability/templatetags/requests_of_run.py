"""Addresses of requests and runs of a conversation, and the heads of the table of requests."""

from __future__ import annotations

from urllib.parse import urlencode

from django import template
from django.template import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

from observability.forms.conversation import Wanted
from observability.queries.conversation import RunRow
from observability.queries.run_requests import Sort

register = template.Library()


@register.simple_tag(takes_context=True)
def request_url(context: Context, run: RunRow, ordinal: int) -> str:
    """The context explorer at a request of a run. The page's context names the explorer's address."""
    return f"{context['context_page']}?{urlencode({'run': run.uid, 'request': ordinal})}"


@register.simple_tag
def run_url(run: RunRow) -> str:
    """This page with another run shown."""
    return "?" if run.is_main else "?" + urlencode({"run": run.uid})


@register.simple_tag
def page_url(wanted: Wanted, number: int, step: int) -> str:
    """This page with the next or previous page of its table."""
    return wanted.at_page(number + step)


@register.simple_tag
def events_url(wanted: Wanted, number: int, step: int) -> str:
    """This page with the next or previous part of what happened."""
    return wanted.at_events(number + step)


@register.simple_tag
def sort_head(wanted: Wanted, sort: Sort, title: str, kind: str = "") -> SafeString:
    """The head of a column that can be sorted by, marked where it is."""
    here = wanted.sort == sort
    order = "descending" if wanted.descending else "ascending"
    mark = (" ↓" if wanted.descending else " ↑") if here else ""
    state = format_html(' aria-sort="{}"', order) if here else ""
    return format_html(
        '<th scope="col" class="n {}"{}><a href="{}#requests">{}{}</a></th>',
        kind,
        state,
        wanted.sorted_by(sort),
        title,
        mark,
    )
