"""Celery tasks. Each calls one service; where there is no broker, the same services run in the background."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task

from observability.services import jobs


@shared_task
def run_import(job_id: int) -> None:
    """Do an import that was begun from the web."""
    jobs.run_import(job_id)


@shared_task
def requeue_lost(*, everything: bool = False) -> None:
    """Find jobs that lost their task or worker; with `everything`, all that are not done."""
    if everything:
        jobs.requeue_lost(unclaimed=timedelta(), unfinished=timedelta())
    else:
        jobs.requeue_lost()
