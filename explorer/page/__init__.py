"""The context explorer's page, as one object that its template reads."""

from __future__ import annotations

from explorer.page.build import ContextPage, context_page

__all__ = ["ContextPage", "context_page"]
