"""Django's entry to this package."""

from __future__ import annotations

from django.apps import AppConfig


class ObservabilityConfig(AppConfig):
    """Sources, ingest, store."""

    name = "observability"
    default_auto_field = "django.db.models.BigAutoField"
