"""The frame around every page: its navigation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django import template
from django.http import HttpRequest
from django.template import Context
from django.urls import reverse

register = template.Library()

PAGES: Final = (
    ("overview", "Overview", ("overview",)),
    ("conversations", "Conversations", ("conversations", "conversation", "context")),
    ("cache", "Cache", ("cache",)),
    ("tools", "Tools", ("tools", "tool")),
    ("sources", "Sources", ("sources", "counting")),
)
"""URL name, title, and the URL names of pages that belong under it. Only pages that exist."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An entry of the navigation; `current` is "page", "true" (a page under it) or ""."""

    title: str
    url: str
    current: str


@register.inclusion_tag("partials/nav.html", takes_context=True)
def nav(context: Context) -> dict[str, list[Entry]]:
    """The main navigation, with the page that is being shown marked."""
    request = context.get("request")
    here = request.resolver_match.url_name if isinstance(request, HttpRequest) and request.resolver_match else ""
    return {"entries": [_entry(name, title, below, here or "") for name, title, below in PAGES]}


def _entry(name: str, title: str, below: tuple[str, ...], here: str) -> Entry:
    current = "page" if here == name else "true" if here in below else ""
    return Entry(title=title, url=reverse(name), current=current)
