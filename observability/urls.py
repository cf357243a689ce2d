"""URLs of the pages of this package."""

from __future__ import annotations

from django.urls import path

from observability.views.conversations import conversations
from observability.views.overview import overview
from observability.views.sources import sources

urlpatterns = [
    path("", overview, name="overview"),
    path("conversations/", conversations, name="conversations"),
    path("sources/", sources, name="sources"),
]
