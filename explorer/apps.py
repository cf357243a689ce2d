"""Django's entry to this package."""

from __future__ import annotations

from django.apps import AppConfig


class ExplorerConfig(AppConfig):
    """What a request is made of."""

    name = "explorer"
    default_auto_field = "django.db.models.BigAutoField"
