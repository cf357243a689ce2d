"""Time of each page on the server: the 95th percentile of 50 warm requests, with the worst filter and sort."""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext, override_settings
from django.urls import NoReverseMatch, reverse

from observability.models import Conversation, Request, Run
from observability.queries.cache.groups import BY
from observability.queries.conversations import SORTS

REQUESTS = 50
WARM = 3


def measure(folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """For each page the worst of its addresses, in milliseconds."""
    found: dict[str, Any] = {}
    with override_settings(ALLOWED_HOSTS=["testserver"]):
        for page, addresses in _pages().items():
            timed = [(*times(address), address) for address in addresses]
            worst, median, address = max(timed)
            found[page] = {
                "p95_ms": worst,
                "median_ms": median,
                "queries": queries(address),
                "kilobytes": len(Client().get(address).content) / 1000,
                "address": address[:90],
                "best_p95_ms": min(timed)[0],
            }
    return found


def times(address: str) -> tuple[float, float]:
    """The 95th percentile and the median: far apart, something else was running."""
    client = Client()
    for _ in range(WARM):
        assert client.get(address).status_code == 200, address
    gc.freeze()  # as the server does before it serves
    times = []
    for _ in range(REQUESTS):
        began = time.perf_counter()
        client.get(address)
        times.append((time.perf_counter() - began) * 1000)
    return statistics.quantiles(times, n=20)[-1], statistics.median(times)


def queries(address: str) -> int:
    """How many queries a page makes."""
    with CaptureQueriesContext(connection) as captured:
        Client().get(address)
    return len(captured)


def _pages() -> dict[str, list[str]]:
    pages = {
        "overview": [reverse("overview") + query for query in ("", "?window=24h", "?window=30d", "?window=all")],
        "cache": list(_caches()),
        "conversations": list(_conversation_lists()),
        "conversation": list(_conversations()),
        "context": list(_contexts()),
        "tools": list(_tools()),
        "tool": [reverse("tool", args=["search"]) + query for query in ("", "?window=30d")],
        "sources": [reverse("sources")],
    }
    return {page: addresses for page, addresses in pages.items() if addresses}


def _caches() -> Iterator[str]:
    """Each comparison over the longest periods, and one with a reason."""
    for window in ("30d", "all"):
        for by in BY:
            yield f"{reverse('cache')}?window={window}&by={by}"
    yield f"{reverse('cache')}?window=all&reason=lifetime"


def _conversation_lists() -> Iterator[str]:
    """Every sort, and every filter with the sort that helps it least; the last page too."""
    base = reverse("conversations") + "?window=all&"
    for sort in SORTS:
        yield f"{base}sort=-{sort}"
    project = Conversation.objects.values_list("project_id", flat=True).first()
    for query in (
        "q=zone",
        "q=nothing-like-this",
        "with=break",
        "with=miss",
        "model=acme-coder-2",
        f"project={project}",
        "reason=lifetime",
        "missed=find+a+tool",
    ):
        yield f"{base}{query}&sort=-cost"
    yield f"{base}page=200&sort=title"


def _tools() -> Iterator[str]:
    """All tools, in every period, and with the filters that leave most and least."""
    project = Conversation.objects.values_list("project_id", flat=True).first()
    for query in ("", "window=24h", "window=30d", "agent=Claude+Code&sort=-cost", f"project={project}", "show=unused"):
        yield f"{reverse('tools')}?{query}"


def _conversations() -> Iterator[str]:
    """The longest one and one of middling length."""
    by_length = Conversation.objects.order_by("-requests").values_list("uid", flat=True)
    for uid in (by_length[0], by_length[by_length.count() // 2]):
        address = reverse("conversation", args=[uid])
        yield address
        yield f"{address}?sort=cost&dir=desc&page=2" if uid == by_length[0] else f"{address}?sort=cost"


def _contexts() -> Iterator[str]:
    """The last request of the longest run, and of a middling one."""
    by_length = Conversation.objects.order_by("-requests").values_list("id", "uid")
    for conversation, uid in (by_length[0], by_length[by_length.count() // 2]):
        run = Run.objects.filter(conversation_id=conversation, kind="main").get()
        last = Request.objects.filter(run_id=run.id).order_by("-ordinal").values_list("ordinal", flat=True)[0]
        try:
            yield f"{reverse('context', args=[uid])}?run={run.uid}&request={last}"
        except NoReverseMatch:
            return
