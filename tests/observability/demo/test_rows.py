from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command

from harness.catalogue import OWN
from harness.loop.items import tools_of
from harness.loop.prompts import system_of
from harness.modes import BUILD
from harness.runlog import AnyEvent, Buckets, ContextAppended, Item, RequestFinished, RunStarted, SurfaceDeclared
from harness.surface import resolve
from observability.demo import load_demo, remove_demo
from observability.demo.catalogue import office
from observability.models import Conversation, HourlyRollup, Project, Request, StoreState
from observability.services.events import store_events

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def _tables() -> dict[str, list[Any]]:
    """All rows by table, but for the one that says that something was written."""
    models = [each for each in apps.get_app_config("observability").get_models() if each is not StoreState]
    return {model.__name__: sorted(map(str, model._default_manager.values())) for model in models}


def _someone_elses() -> Iterator[AnyEvent]:
    """A conversation of one's own that happens to hold a text and a tool of the demo."""
    head = {"conversation": "own", "run": "own", "project": "mine", "at": NOW}
    yield RunStarted(id="1", agent="mine", model="claude-opus-5-5", **head)  # type: ignore[arg-type]
    yield SurfaceDeclared(id="2", tools=tools_of(resolve(OWN | office())), complete=True, **head)  # type: ignore[arg-type]
    system = system_of(BUILD, sub_agent=False)[0]
    item = Item(kind="system", text=system, chars=len(system))
    yield ContextAppended(id="3", items=[item], **head)  # type: ignore[arg-type]
    buckets = Buckets(uncached=10, output=1)
    yield RequestFinished(id="4", request="own-1", model="claude-opus-5-5", buckets=buckets, **head)  # type: ignore[arg-type]


def test_loading_twice_changes_nothing() -> None:
    load_demo(NOW)
    before = _tables()
    load_demo(NOW + timedelta(hours=3))
    assert _tables() == before


def test_the_demo_is_marked_in_conversations_and_sums() -> None:
    load_demo(NOW)
    assert not Conversation.objects.filter(demo=False).exists()
    assert not HourlyRollup.objects.filter(demo=False).exists()
    assert sum(HourlyRollup.objects.values_list("requests", flat=True)) == Request.objects.count()


def test_removing_leaves_no_row_behind() -> None:
    load_demo(NOW)
    assert remove_demo().conversations == 6
    assert {name: rows for name, rows in _tables().items() if rows} == {}


def test_removing_touches_nothing_else() -> None:
    store_events(_someone_elses(), source="own")
    before = _tables()
    load_demo(NOW)
    remove_demo()
    assert _tables() == before


def test_a_project_that_holds_other_conversations_stays() -> None:
    load_demo(NOW)
    own = Conversation.objects.get(uid="demo-invoices")
    Conversation.objects.create(id=1, uid="own", project_id=own.project_id)
    remove_demo()
    assert Project.objects.filter(id=own.project_id).exists()


def test_removing_where_there_is_no_demo_does_nothing() -> None:
    assert remove_demo().rows == 0


def test_one_command_loads_and_removes() -> None:
    said = StringIO()
    call_command("demo", "load", stdout=said)
    call_command("demo", "remove", stdout=said)
    assert said.getvalue().startswith("6 demo conversations are there.")
    assert "Removed 6 demo conversations" in said.getvalue()
