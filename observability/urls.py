"""URLs of the pages of this package."""

from __future__ import annotations

from django.urls import path

from observability.views.cache import cache
from observability.views.conversation import conversation
from observability.views.conversations import conversations
from observability.views.overview import overview
from observability.views.sources import demo, imports, jobs, look_again, sources

urlpatterns = [
    path("", overview, name="overview"),
    path("conversations/", conversations, name="conversations"),
    path("conversations/<uid:uid>/", conversation, name="conversation"),
    path("cache/", cache, name="cache"),
    path("sources/", sources, name="sources"),
    path("sources/import/", imports, name="import"),
    path("sources/look-again/", look_again, name="look-again"),
    path("sources/jobs/", jobs, name="jobs"),
    path("demo/", demo, name="demo"),
]
