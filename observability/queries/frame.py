"""What the frame around every page tells."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property

from django.utils import timezone

from observability.models import Conversation


class Frame:
    """Asked only when a template shows it."""

    @cached_property
    def last_event(self) -> datetime | None:
        """The newest time in any log that is not in the future."""
        known = Conversation.objects.filter(last_at__lte=timezone.now())
        return known.order_by("-last_at").values_list("last_at", flat=True).first()
