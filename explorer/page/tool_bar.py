"""The bar that compares what tools take with what they would take, all resident."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.page.tool_tables import Tools


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolBar:
    """Places and lengths in per cent of the longer bar. `named`: there is room for a label on the resident part."""

    resident: str
    index: str
    index_middle: str
    loaded_at: str
    loaded: str
    sent: str
    saved: str
    all: str
    named: bool


def tool_bar(tools: Tools) -> ToolBar:
    """Draw the bar."""
    saved = max(0, tools.saved or 0)
    whole = max(tools.sent + saved, tools.all_resident, 1)

    def share(value: float) -> str:
        return f"{value * 100 / whole:.3f}%"

    return ToolBar(
        resident=share(tools.resident_tokens),
        index=share(tools.index_tokens),
        index_middle=share(tools.resident_tokens + tools.index_tokens / 2),
        loaded_at=share(tools.resident_tokens + tools.index_tokens),
        loaded=share(tools.loaded_tokens),
        sent=share(tools.sent),
        saved=share(saved),
        all=share(tools.all_resident),
        named=tools.resident_tokens / whole > 0.1,
    )
