"""How the tokens of a page were counted."""

from __future__ import annotations

from django import template

from explorer.page.counting import Counting, counting

register = template.Library()


@register.inclusion_tag("explorer/context/counted.html")
def how_counted(model: str) -> dict[str, Counting]:
    """The factors of a model: what they rest on, how many counts, and their bands."""
    return {"counting": counting(model)}
