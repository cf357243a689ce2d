"""Small marks that pages share: where a number comes from, keys of a legend, bars, badges and glyphs.

Shapes and colours are those of `base.css`; words always stand beside them.
"""

from __future__ import annotations

from typing import Final

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from harness.usage import rate_of
from observability import figures
from observability.charts.bars import PATTERNS, Segment, segments
from observability.enums import SearchOutcome

register = template.Library()

SOURCES: Final = {"reported": "rep", "measured": "mea", "estimated": "est", "unknown": "unk"}

GLYPHS: Final = {
    "cross": '<path d="M1.5 1.5l7 7M8.5 1.5l-7 7"/>',
    "barred": '<circle cx="5" cy="5" r="4"/><path d="M2.2 7.8l5.6 -5.6"/>',
    "triangle": '<path d="M5 1l4.2 8H.8z"/>',
    "circle": '<circle cx="5" cy="5" r="4"/>',
    "half": '<circle cx="5" cy="5" r="4"/><path class="solid" d="M5 1a4 4 0 0 1 0 8z"/>',
    "full": '<circle class="solid" cx="5" cy="5" r="4"/>',
    "waiting": '<circle cx="5" cy="5" r="4" stroke-dasharray="2 1.6"/>',
    "tick": '<path d="M1 5.5l2.8 2.8L9 2"/>',
    "square": '<rect x="1.5" y="1.5" width="7" height="7"/>',
    "fold": '<path d="M1 2h8M1 8h8M5 3v4M3.5 5.5L5 7l1.5-1.5"/>',
    "branch": '<path d="M2 1v8M2 5h4a2 2 0 0 1 2 2v2"/>',
    "arrow": '<path d="M1 5h8M6 2l3 3-3 3"/>',
}

OUTCOMES: Final = {
    SearchOutcome.HIT: "tick",
    SearchOutcome.PARTIAL: "half",
    SearchOutcome.MISS: "barred",
    SearchOutcome.RESIDENT: "full",
    SearchOutcome.ERROR: "cross",
    SearchOutcome.OPEN: "waiting",
}


@register.simple_tag
def prov(source: str) -> SafeString:
    """The mark of where a number comes from: reported, measured, estimated or unknown."""
    return format_html(
        '<span class="prov prov-{}" title="{}"><span class="sr">{}</span></span>', SOURCES[source], source, source
    )


@register.simple_tag
def key(role: str) -> SafeString:
    """The key of a role in a legend or a table."""
    hatch = _patterned(PATTERNS[role], "0", "12", "12") if role in PATTERNS else mark_safe("")
    return format_html(
        '<svg class="key" viewBox="0 0 12 12" aria-hidden="true"><rect class="f-{}" width="12" height="12" rx="1.5"/>{}</svg>',
        role,
        hatch,
    )


@register.simple_tag
def glyph(name: str, *, bad: bool = False) -> SafeString:
    """A glyph in front of a finding or an event."""
    return format_html(
        '<svg class="g{}" viewBox="0 0 10 10" aria-hidden="true">{}</svg>', " bad" if bad else "", _shape(name)
    )


@register.simple_tag
def badge(name: str, text: str, tone: str = "") -> SafeString:
    """A badge: a glyph and a word. `tone` is "", "bad", "on" or "soft"; `name` may be empty."""
    mark = format_html('<svg viewBox="0 0 10 10" aria-hidden="true">{}</svg>', _shape(name)) if name else ""
    return format_html('<span class="badge{}">{}{}</span>', f" {tone}" if tone else "", mark, figures.shown(text))


@register.simple_tag
def outcome(value: str) -> SafeString:
    """The badge of how a tool search ended."""
    known = SearchOutcome(value) if value in SearchOutcome.values else None
    return badge(OUTCOMES[known], str(known.label)) if known else badge("circle", value)


@register.simple_tag
def bar(read: int, written: int, uncached: int, size: str = "") -> SafeString:
    """Read, written and uncached as one bar. `size` is "" (8 px) or "xl" (16 px)."""
    parts = segments([("read", "read", read), ("write", "written", written), ("uncached", "uncached", uncached)])
    return part_bar(parts, cache_words(read, written, uncached), size)


@register.simple_tag
def part_bar(parts: list[Segment], label: str, size: str = "") -> SafeString:
    """Segments as one bar with a name for screen readers."""
    height = "16" if size == "xl" else "8"
    body = format_html_join("", "{}", ((_segment(part, height),) for part in parts))
    kind = "bar-xl" if size == "xl" else "bar"
    return format_html('<svg class="{}" role="img" aria-label="{}">{}</svg>', kind, label, body)


def cache_words(read: int, written: int, uncached: int) -> str:
    """The sentence that names a bar of the three cache buckets."""
    whole = read + written + uncached
    named = ((read, "read"), (written, "written"), (uncached, "uncached"))
    if not whole:
        return "no prompt tokens"
    return ", ".join(f"{figures.percent(rate_of(read=value, prompt=whole))} {word}" for value, word in named)


def _segment(part: Segment, height: str) -> SafeString:
    hatch = _patterned(part.pattern, part.x, part.width, height) if part.pattern else mark_safe("")
    return format_html(
        '<g><title>{}</title><rect class="f-{}" x="{}" y="0" width="{}" height="{}"/>{}</g>',
        f"{part.label}, {figures.number(part.value)} tokens",
        part.role,
        part.x,
        part.width,
        height,
        hatch,
    )


def _patterned(pattern: str, x: str, width: str, height: str) -> SafeString:
    return format_html('<rect x="{}" y="0" width="{}" height="{}" fill="url(#{})"/>', x, width, height, pattern)


def _shape(name: str) -> SafeString:
    return mark_safe(GLYPHS[name])  # noqa: S308 - our own constant
