"""Wiring only: settings, URLs, Celery, the ccweb command."""

from __future__ import annotations

from ccweb.celery import app as celery_app

__version__ = "0.1.0"
__all__ = ["celery_app"]
