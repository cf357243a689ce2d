"""Filters of the context explorer's page."""

from __future__ import annotations

from decimal import Decimal
from urllib.parse import quote

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from explorer.page.tool_tables import WHERE
from explorer.queries.tool_sizes import SizedTool
from explorer.ribbon.plan import ROLES, TRIGGERS
from explorer.ribbon.shapes import Block
from harness.accounting import Account
from observability.figures import percent, shown

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


@register.simple_tag
def lying(blocks: list[Block], query: str) -> SafeString:
    """The parts of a request as rectangles side by side. Markup is made here because there may be hundreds."""
    return mark_safe("".join(_lying(block, escape(query)) for block in blocks))  # noqa: S308 - each part is escaped


@register.simple_tag
def standing(blocks: list[Block]) -> SafeString:
    """The parts of a request as rectangles one below the other."""
    return mark_safe("".join(map(_standing, blocks)))  # noqa: S308 - nothing in it is from a log


def _lying(block: Block, query: str) -> str:
    """Markup of a part. `query` is escaped; a role, an anchor and a pattern are words of our own, places are numbers."""
    place = f'x="{block.at}" width="{block.long}" height="96"'
    title = f"<title>{escape(shown(block.title))}</title>" if block.title else ""
    if not block.anchor:
        hatch = f'<rect {place} fill="url(#{block.pattern})" pointer-events="none"/>' if block.pattern else ""
        return f'<rect class="f-{block.role}" {place}>{title}</rect>{hatch}'
    leads = f"item={quote(block.ref)}#h-item" if block.ref else f"kind={block.anchor}#h-list"
    cut = " cutl" if block.cut else ""
    return f'<a href="?{query}&amp;{leads}" tabindex="-1">{title}<rect class="seg{cut} f-{block.role}" {place}/></a>'


def _standing(block: Block) -> str:
    place = f'x="34" y="{block.at}" width="64" height="{block.long}"'
    hatch = f'<rect {place} fill="url(#{block.pattern})"/>' if block.pattern else ""
    return f'<rect class="f-{block.role}" {place}/>{hatch}'


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
