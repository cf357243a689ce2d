"""What deferral saves on a catalogue, counted on what is really sent.

Tokens are those of o200k_base, without a factor: a share is about the same in any tokenizer, and
this one needs no network. Tools are counted as the JSON of their definitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from harness import tokens, wire
from harness.modes import BUILD, Mode
from harness.surface.index import index_entry, index_text
from harness.surface.resolving import resolve
from harness.tools import ToolSpec


class HeldBack(msgspec.Struct, frozen=True, kw_only=True):
    """A deferred tool: the tokens of its schema, and those of its name in the index."""

    name: str
    group: str
    server: str
    schema_tokens: int
    index_tokens: int

    @property
    def held_back_tokens(self) -> int:
        """What each request is spared: the schema less the entry that stands for it."""
        return self.schema_tokens - self.index_tokens


class Measurement(msgspec.Struct, frozen=True, kw_only=True):
    """A catalogue with deferral and without it, in one mode.

    `before_tokens`: every admitted tool is resident, and there are no tools for discovery.
    `after_tokens`: the residents and the index. `held_back` has the dearest first.
    """

    mode: str
    encoding: str
    before_tokens: int
    after_tokens: int
    resident: int
    deferred: int
    withheld: int
    denied: int
    resident_tokens: int
    index_tokens: int
    report: str
    held_back: tuple[HeldBack, ...]

    @property
    def saved_share(self) -> float:
        """The share of the tokens before that is saved."""
        return 1 - self.after_tokens / self.before_tokens if self.before_tokens else 0.0


def measure(catalogue: Mapping[str, ToolSpec], mode: Mode = BUILD) -> Measurement:
    """Measure a catalogue, which holds the harness's own tools too where they are to count."""
    before, after = resolve(catalogue, mode=mode, deferral=False), resolve(catalogue, mode=mode)
    resident_tokens, index_tokens = block_tokens(after.resident), tokens.count(index_text(after))
    held_back = [_held_back(tool) for tool in after.deferred]
    return Measurement(
        mode=mode.name,
        encoding=tokens.ENCODING,
        before_tokens=block_tokens(before.resident),
        after_tokens=resident_tokens + index_tokens,
        resident=len(after.resident),
        deferred=len(after.deferred),
        withheld=len(after.withheld),
        denied=len(after.denied),
        resident_tokens=resident_tokens,
        index_tokens=index_tokens,
        report=after.report(),
        held_back=tuple(sorted(held_back, key=lambda each: (-each.held_back_tokens, each.name))),
    )


def block_tokens(tools: Iterable[ToolSpec]) -> int:
    """Tokens of the tools of a request, as one JSON list; 0 of none."""
    definitions = [tool.definition() for tool in tools]
    return tokens.count(wire.dumps(definitions).decode()) if definitions else 0


def _held_back(tool: ToolSpec) -> HeldBack:
    return HeldBack(
        name=tool.name,
        group=tool.group,
        server=tool.server,
        schema_tokens=tokens.count(wire.dumps(tool.definition()).decode()),
        index_tokens=tokens.count(index_entry(tool)),
    )
