"""All URLs."""

from __future__ import annotations

from django.urls import include, path

from ccweb.favicon import favicon
from ccweb.health import healthz

urlpatterns = [
    path("", include("explorer.urls")),
    path("", include("observability.urls")),
    path("", include("observability.api.urls")),
    path("favicon.ico", favicon, name="favicon"),
    path("healthz", healthz, name="healthz"),
]
