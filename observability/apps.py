"""Django's entry to this package."""

from __future__ import annotations

from django.apps import AppConfig
from django.core.checks import register
from django.urls import register_converter

from observability.checks import prices_can_be_read
from observability.converters import Uid


class ObservabilityConfig(AppConfig):
    """Sources, ingest, store."""

    name = "observability"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have the price file checked at the start; make ids of conversations known to addresses."""
        register(prices_can_be_read)
        register_converter(Uid, "uid")
