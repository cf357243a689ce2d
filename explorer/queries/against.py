"""A request held against another one of its run: pieces, tools that changed state, model and settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from explorer.queries.comparison import Comparison, compare
from explorer.queries.composition import Composition, compose
from explorer.queries.moment import Moment, grown
from explorer.queries.sent import sent_before, sent_of
from explorer.queries.tool_sizes import SizedTool, sized_tools
from harness.tokens import Provenance
from observability.models import Request

BEFORE: Final = "before"
"""What an address says for the request before, whichever that is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolChange:
    """A tool whose state or definition is another one. A state is empty where the tool was not on the surface."""

    name: str
    was: str
    now: str
    tokens: int | None
    """Tokens of its schema now, or of the one that it had; None where no log has it."""
    redefined: bool
    on_surface: bool
    """Whether it can be opened at this request."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Against:
    """A request against another one. `grown` is the provider's difference, None without both totals."""

    request: Request
    other: Request
    comparison: Comparison
    tools: list[ToolChange]
    settings: list[tuple[str, str, str]]
    """What it is, what it was, what it is now."""
    grown: int | None
    rewritten: bool
    adjacent: bool
    """Whether the other one is the request before."""
    provenance: Provenance
    """What the tokens of the parts rest on."""
    snapshot: bool
    """Whether the log holds the system prompt and the resident tools of this request."""

    @property
    def later(self) -> bool:
        """Whether this request came after the other one."""
        return self.other.seq < self.request.seq

    @property
    def other_total(self) -> int | None:
        """The provider's total for the other request, where both went to one model; None otherwise."""
        return (self.other.context_tokens or None) if self.other.model == self.request.model else None

    @property
    def unexplained(self) -> int | None:
        """The reported growth less that of the parts."""
        return None if self.grown is None else self.grown - self.comparison.change


def other_request(at: Moment, asked: str) -> Request | None:
    """The request that is asked for: by its number, or else the one before, None before the first.

    Raises Request.DoesNotExist.
    """
    if asked in ("", BEFORE):
        return at.before
    return Request.objects.get(conversation_id=at.conversation.pk, run=at.run, ordinal=int(asked))


def against(at: Moment, now: Composition, other: Request) -> Against:
    """A request against another one of its run."""
    tools = sized_tools(at.run, now.history.at(other.seq), other.model)
    sent = sent_of(now)
    there = sent_before(now, sent, other, tools)
    return Against(
        request=at.request,
        other=other,
        comparison=compare(sent, sent_of(compose(at.run, other, now)) if there is None else there),
        tools=tool_changes(now.tools, tools),
        settings=_settings(at.request, other),
        grown=grown(at.request, other),
        rewritten=other.chain != at.request.chain,
        adjacent=at.before is not None and other.pk == at.before.pk,
        provenance=now.account.parts.provenance,
        snapshot=now.surface.resident_known and now.account.category("system") is not None,
    )


def tool_changes(now: Mapping[str, SizedTool], then: Mapping[str, SizedTool]) -> list[ToolChange]:
    """The tools that changed, in the order of the surface, those that left it last."""
    names = [*now, *(name for name in then if name not in now)]
    changes = (_tool_change(name, now.get(name), then.get(name)) for name in names)
    return [change for change in changes if change.was != change.now or change.redefined]


def _tool_change(name: str, now: SizedTool | None, then: SizedTool | None) -> ToolChange:
    schema = (now or then, then)[now is not None and now.schema is None]
    return ToolChange(
        name=name,
        was=then.tool.state if then else "",
        now=now.tool.state if now else "",
        tokens=schema.schema.tokens if schema and schema.schema else None,
        redefined=_redefined(now, then),
        on_surface=now is not None,
    )


def _redefined(now: SizedTool | None, then: SizedTool | None) -> bool:
    hashes = [each.definition.hash for each in (now, then) if each and each.definition]
    return len(set(hashes)) == 2


def _settings(now: Request, other: Request) -> list[tuple[str, str, str]]:
    rows = (
        ("Model", other.model, now.model),
        ("Provider", other.provider, now.provider),
        ("Client", other.agent_version, now.agent_version),
        ("Markers", _places(other.markers), _places(now.markers)),
    )
    return [(what, was, is_) for what, was, is_ in rows if was != is_]


def _places(markers: str) -> str:
    """The places of a request's markers, as the log has them."""
    try:
        found = msgspec.json.decode(markers) if markers else []
    except msgspec.DecodeError:
        return ""
    rows = found if isinstance(found, list) else []
    return ", ".join(str(each.get("place", "")) for each in rows if isinstance(each, dict))
