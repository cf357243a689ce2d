from __future__ import annotations

import pytest
from django.utils.module_loading import import_string

from ccweb import tick
from ccweb.celery import app
from tests.servers import wait_for


def test_the_periodic_tasks_run_when_they_are_due(monkeypatch: pytest.MonkeyPatch, settings) -> None:
    submitted = []
    settings.CELERY_BEAT_SCHEDULE = {
        "soon": {"task": "observability.tasks.requeue_lost", "schedule": 0.05},
        "late": {"task": "observability.tasks.run_import", "schedule": 3600.0},
    }
    monkeypatch.setattr(tick.background, "submit", submitted.append)
    ticking = tick.Tick(pause=0.01)
    wait_for(lambda: len(submitted) > 1)
    ticking.stop()

    assert {task.name for task in submitted} == {"observability.tasks.requeue_lost"}


def test_every_periodic_task_exists(settings) -> None:
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        assert import_string(entry["task"]).name in app.tasks
