"""All URLs."""

from __future__ import annotations

from django.urls import include, path

from ccweb.health import healthz

urlpatterns = [
    path("", include("explorer.urls")),
    path("", include("observability.urls")),
    path("", include("observability.api.urls")),
    path("healthz", healthz, name="healthz"),
]
