"""URLs of the explorer."""

from __future__ import annotations

from django.urls import path

from explorer.views.context import context

urlpatterns = [
    path("conversations/<uid:uid>/context/", context, name="context"),
]
