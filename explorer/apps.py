"""Django's entry to this package."""

from __future__ import annotations

from django.apps import AppConfig
from django.conf import settings

from explorer.factors import take_over


class ExplorerConfig(AppConfig):
    """What a request is made of."""

    name = "explorer"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Count tokens with the factors that were fitted to this store, where there are any."""
        take_over(settings.FACTORS_FILE)
