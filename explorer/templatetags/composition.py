"""Filters of the context explorer's page."""

from __future__ import annotations

from decimal import Decimal

from django import template

from explorer.page.tool_tables import WHERE
from explorer.queries.tool_sizes import SizedTool
from explorer.ribbon.plan import ROLES, TRIGGERS
from harness.accounting import Account
from observability.figures import percent

register = template.Library()


@register.filter
def share_of(tokens: int, account: Account) -> str:
    """A share of a request, fine enough for one tool: 0.95 %."""
    return percent(account.share(tokens), 2)


@register.filter
def hundredth(value: int) -> str:
    """A factor that is kept in per cent: 1.61."""
    return f"{Decimal(value) / 100:.2f}"


@register.filter
def role(kind: str) -> str:
    """The fill of a category."""
    return ROLES[kind]


@register.filter
def trigger(sized: SizedTool) -> str:
    """What loaded a tool: search “assign a ticket”, or a direct call."""
    loading = sized.tool.loading
    if loading is None:
        return ""
    words = TRIGGERS.get(loading.trigger, loading.trigger)
    return f"search “{loading.query[:80]}”" if loading.query else words


@register.filter
def where(sized: SizedTool) -> str:
    """Where the definition of a tool comes from."""
    if sized.definition is None or sized.schema is None:
        return "schema not in any log"
    return WHERE[sized.definition.where]
