from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from kombu.exceptions import OperationalError

from observability.enums import JobState
from observability.models import ImportJob
from observability.services import background, jobs

HOUR = timedelta(hours=1)


@pytest.fixture
def handed_over(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ids of the jobs that were given to a worker; nobody does them."""
    given: list[int] = []
    monkeypatch.setattr(jobs, "hand_over", given.append)
    return given


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """An empty log."""
    file = tmp_path / "log.jsonl"
    file.touch()
    yield file


def job(state: JobState, age: timedelta = timedelta()) -> ImportJob:
    made = ImportJob.objects.create(state=state, started_at=timezone.now() - age)
    ImportJob.objects.update(created_at=timezone.now() - age)
    return made


def test_a_job_is_handed_over_after_the_commit(
    db: None, handed_over: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        made = jobs.begin_import(paths=["a", "b"])
        assert not handed_over

    assert handed_over == [made.pk]
    assert (made.paths, made.state) == (["a", "b"], JobState.WAITING)


def test_without_a_broker_this_process_does_it_in_the_background(transactional_db: None, log: Path) -> None:
    made = jobs.begin_import(paths=[str(log)])
    background.wait()
    made.refresh_from_db()

    assert made.state == JobState.DONE
    assert made.counts["requests"] == 0
    assert made.started_at <= made.finished_at


def test_a_job_that_somebody_does_is_not_done_twice(db: None, log: Path) -> None:
    made = job(JobState.RUNNING)
    jobs.run_import(made.pk)
    made.refresh_from_db()

    assert made.state == JobState.RUNNING


@pytest.mark.parametrize("error", [OSError("The disk is full."), jobs.ObservabilityError("No.")])
def test_a_job_that_fails_says_why(db: None, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(paths: list[str]) -> None:
        raise error

    monkeypatch.setattr(jobs, "import_paths", fail)
    made = job(JobState.WAITING)
    jobs.run_import(made.pk)
    made.refresh_from_db()

    assert (made.state, made.error) == (JobState.FAILED, str(error))


@pytest.mark.parametrize("state", [JobState.WAITING, JobState.RUNNING])
def test_a_job_that_nobody_works_on_is_handed_over_again(db: None, handed_over: list[int], state: JobState) -> None:
    made = job(state, HOUR)

    assert jobs.requeue_lost() == 1
    assert handed_over == [made.pk]
    made.refresh_from_db()
    assert made.state == JobState.WAITING


@pytest.mark.parametrize(
    ("state", "age"),
    [
        (JobState.WAITING, timedelta(minutes=4)),
        (JobState.RUNNING, timedelta(minutes=59)),
        (JobState.DONE, HOUR * 9),
        (JobState.FAILED, HOUR * 9),
    ],
)
def test_other_jobs_are_left_alone(db: None, handed_over: list[int], state: JobState, age: timedelta) -> None:
    job(state, age)

    assert jobs.requeue_lost() == 0
    assert not handed_over


def test_a_broker_that_does_not_answer_leaves_the_job_waiting(
    db: None, settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*arguments: Any) -> None:
        raise OperationalError("refused")

    settings.CELERY_TASK_ALWAYS_EAGER = False
    monkeypatch.setattr(jobs.current_app, "send_task", refuse)
    jobs.hand_over(7)

    assert "Import job 7 waits, the broker does not answer: refused" in caplog.text


def test_a_job_in_the_background_that_fails_does_not_stop_the_next(caplog: pytest.LogCaptureFixture) -> None:
    done: list[int] = []

    def fail() -> None:
        raise ValueError

    background.submit(fail)
    background.submit(lambda: done.append(1))
    background.wait()

    assert done == [1]
    assert "A job in the background failed." in caplog.text
