"""Filters of the context explorer's page."""

from __future__ import annotations

from decimal import Decimal
from urllib.parse import quote

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

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
    return format_html_join("", "{}", ((_lying(block, query),) for block in blocks))


@register.simple_tag
def standing(blocks: list[Block]) -> SafeString:
    """The parts of a request as rectangles one below the other."""
    return format_html_join("", "{}", ((_standing(block),) for block in blocks))


def _lying(block: Block, query: str) -> SafeString:
    place = format_html('x="{}" width="{}" height="96"', block.at, block.long)
    if not block.anchor:
        hatch = format_html('<rect {} fill="url(#{})" pointer-events="none"/>', place, block.pattern)
        title = format_html("<title>{}</title>", shown(block.title)) if block.title else ""
        return format_html(
            '<rect class="f-{}" {}>{}</rect>{}', block.role, place, title, hatch if block.pattern else ""
        )
    address = f"?{query}&item={quote(block.ref)}#h-item" if block.ref else f"?{query}&kind={block.anchor}#h-list"
    return format_html(
        '<a href="{}" tabindex="-1"><title>{}</title><rect class="seg{} f-{}" {}/></a>',
        address,
        shown(block.title),
        " cutl" if block.cut else "",
        block.role,
        place,
    )


def _standing(block: Block) -> SafeString:
    place = format_html('x="34" y="{}" width="64" height="{}"', block.at, block.long)
    hatch = format_html('<rect {} fill="url(#{})"/>', place, block.pattern) if block.pattern else ""
    return format_html('<rect class="f-{}" {}/>{}', block.role, place, hatch)


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
