"""What is checked when the site starts."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

from observability import price_overlay
from observability.errors import PricesUnreadable


def prices_can_be_read(**_: Any) -> list[CheckMessage]:
    """An overlay file that cannot be used stops the start."""
    try:
        price_overlay.load(settings.PRICES_FILE)
    except PricesUnreadable as error:
        return [Error(str(error), id="observability.E001")]
    return []
