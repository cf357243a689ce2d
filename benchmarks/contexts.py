"""The context explorer on very long conversations: the time of its page, and its weight."""

from __future__ import annotations

import argparse
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from django.test import Client, override_settings
from django.urls import reverse

from benchmarks.pages import queries, times
from observability.models import ContextItem, Request, Run
from observability.services.imports import import_paths


def measure(folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """For the first, the middle and the last request of each conversation: times in milliseconds, and weight."""
    import_paths([folder])
    found: dict[str, Any] = {}
    with override_settings(ALLOWED_HOSTS=["testserver"]):
        for run in Run.objects.filter(kind="main").order_by("id"):
            last = Request.objects.filter(run=run).count()
            found[run.uid] = {"requests": last, "items": ContextItem.objects.filter(run=run).count()}
            for name, ordinal in (("first", 1), ("middle", last // 2), ("last", last)):
                found[run.uid][name] = _page(f"{reverse('context', args=[run.uid])}?request={ordinal}")
    return found


def _page(address: str) -> dict[str, Any]:
    began = time.perf_counter()
    text = Client().get(address).content.decode()
    cold = (time.perf_counter() - began) * 1000
    p95, median = times(address)
    nodes = _Nodes()
    nodes.feed(text)
    return {
        "p95_ms": p95,
        "median_ms": median,
        "opened_first_ms": cold,
        "queries": queries(address),
        "kilobytes": len(text.encode()) / 1000,
        "elements": nodes.elements,
    }


class _Nodes(HTMLParser):
    """Counts elements."""

    elements = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements += 1
