"""URLs of the API."""

from __future__ import annotations

from django.urls import path
from drf_spectacular.views import SpectacularAPIView

from observability.api import views

urlpatterns = [
    path("api/v1/events", views.Events.as_view(), name="api-events"),
    path("api/v1/conversations", views.Conversations.as_view(), name="api-conversations"),
    path("api/v1/conversations/<uid:uid>/requests", views.Requests.as_view(), name="api-requests"),
    path("api/v1/conversations/<uid:uid>", views.OneConversation.as_view(), name="api-conversation"),
    path("api/v1/report", views.Report.as_view(), name="api-report"),
    path("api/v1/tools", views.Tools.as_view(), name="api-tools"),
    path("api/v1/schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("api/v1/docs/", views.Docs.as_view(), name="api-docs"),
    path("api/v1/<path:rest>", views.Nowhere.as_view()),
]
