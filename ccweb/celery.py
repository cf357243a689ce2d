"""Celery: `celery -A ccweb worker` and `celery -A ccweb beat`, where a broker is set."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ccweb.settings")
app = Celery("ccweb")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
