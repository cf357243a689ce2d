"""URLs of the explorer."""

from __future__ import annotations

from django.urls import path

from explorer.views.context import context
from explorer.views.counting import counting
from explorer.views.reading import context_json, context_text
from explorer.views.tools import tool, tools

urlpatterns = [
    path("tokens/", counting, name="counting"),
    path("conversations/<uid:uid>/context/", context, name="context"),
    path("conversations/<uid:uid>/context.json", context_json, name="context-json"),
    path("conversations/<uid:uid>/context.txt", context_text, name="context-text"),
    path("tools/", tools, name="tools"),
    path("tools/<uid:name>/", tool, name="tool"),
]
