"""The lists that the store keeps of each request's tools are those that the explorer reads back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from explorer.queries.surface import surface
from observability.demo import demo_events
from observability.models import ListedTool, Request, Run
from observability.services.events import store_events
from observability.services.imports import import_paths

pytestmark = pytest.mark.django_db
Told = dict[str, tuple[str, bytes | None]]


def listed(number: int) -> Told:
    rows = ListedTool.objects.filter(list=number).values_list("tool", "state", "definition")
    return {tool: (state, bytes(definition) if definition else None) for tool, state, definition in rows}


def read_back(run: Run, seq: int) -> tuple[Told, Told]:
    """What was declared, and what was loaded, as the explorer has it."""
    here = surface(run, seq).of("resident", "deferred", "loaded", "unsure", "withheld", "denied")
    late = {"loaded": "deferred", "unsure": "deferred"}
    declared = {tool.name: (late.get(tool.state, tool.state), tool.definition) for tool in here}
    return declared, {tool.name: ("loaded", tool.definition) for tool in here if tool.state == "loaded"}


def assert_equal() -> None:
    requests = list(Request.objects.select_related("run").exclude(surface=0))
    assert requests
    for request in requests[:: max(1, len(requests) // 60)]:
        declared, loaded = read_back(request.run, request.seq)
        assert listed(request.loaded_id) == loaded
        assert listed(request.surface_id).items() <= declared.items()
        assert declared.keys() - listed(request.surface_id).keys() <= loaded.keys()


def test_of_the_demo() -> None:
    store_events(demo_events(datetime(2026, 11, 20, 12, tzinfo=UTC)), source="demo")
    assert_equal()


def test_of_real_logs(samples: Path) -> None:
    import_paths([samples / "claude_code"])
    assert_equal()
