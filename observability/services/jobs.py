"""Imports begun from the web: a row says what is to do, a task does it.

A task may run twice or be lost: `run_import` claims its row, and `requeue_lost` finds rows
that nobody works on.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Final

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import Q
from django.utils import timezone
from kombu.exceptions import OperationalError

from observability.enums import JobState
from observability.errors import ObservabilityError
from observability.models import ImportJob
from observability.services import background
from observability.services.imports import import_paths

logger = logging.getLogger(__name__)

TASK: Final = "observability.tasks.run_import"
UNCLAIMED: Final = timedelta(minutes=5)
"""A job that waits longer has lost its task."""
UNFINISHED: Final = timedelta(hours=1)
"""A job that runs longer has lost its worker: in that time a worker reads over 100 GB."""


def begin_import(*, paths: Sequence[str]) -> ImportJob:
    """Have files or folders imported behind the web request. The answer need not wait for it."""
    job = ImportJob.objects.create(paths=list(paths))
    transaction.on_commit(partial(hand_over, job.pk))
    return job


def hand_over(job_id: int) -> None:
    """Give a job to a worker, or to this process's background where there is no broker."""
    if settings.CELERY_TASK_ALWAYS_EAGER:
        background.submit(partial(run_import, job_id))
        return
    try:
        current_app.send_task(TASK, [job_id])
    except OperationalError as error:
        logger.warning("Import job %d waits, the broker does not answer: %s", job_id, error)


def run_import(job_id: int) -> None:
    """Do a job, unless it is done or somebody does it."""
    waiting = ImportJob.objects.filter(pk=job_id, state=JobState.WAITING)
    if not waiting.update(state=JobState.RUNNING, started_at=timezone.now(), error=""):
        return
    job = ImportJob.objects.get(pk=job_id)
    try:
        job.counts = import_paths(job.paths)
        job.state = JobState.DONE
    except (ObservabilityError, OSError, DatabaseError) as error:
        logger.exception("Import job %d failed.", job_id)
        job.state, job.error = JobState.FAILED, str(error)
    job.finished_at = timezone.now()
    job.save(update_fields=["state", "counts", "error", "finished_at"])


def requeue_lost(*, unclaimed: timedelta = UNCLAIMED, unfinished: timedelta = UNFINISHED) -> int:
    """Hand over again what waits or runs for too long; gives the number of such jobs."""
    now = timezone.now()
    forgotten = Q(state=JobState.WAITING, created_at__lte=now - unclaimed)
    abandoned = Q(state=JobState.RUNNING, started_at__lte=now - unfinished)
    lost = list(ImportJob.objects.filter(forgotten | abandoned).values_list("pk", flat=True))
    ImportJob.objects.filter(abandoned, pk__in=lost).update(state=JobState.WAITING)
    for job_id in lost:
        hand_over(job_id)
    return len(lost)
