"""How many tokens a text is, without asking anyone: an offline tokenizer times a factor.

The tokenizer is quicktok's o200k_base. A provider's own tokenizer differs from it by a factor
that depends on the model's family and on what the text is; `BUILT_IN` holds these factors as
data, with where each comes from. A process counts with others after `adopt`, which is called
when it starts, if at all. Every count says how it came about:

* reported: the provider's or the log's own figure
* measured: counted from the whole text, times the factor
* estimated: from a number of characters or bytes, where there is no text
* unknown: there is nothing to count; the tokens are 0 and stand in no sum
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal, Protocol

import msgspec
import quicktok

Provenance = Literal["reported", "measured", "estimated", "unknown"]
Content = Literal["schema", "call", "text"]
"""What a text is: a tool's definition as JSON, the JSON of a tool call, or anything else."""
Family = Literal["claude-3", "claude-4.7", "openai", "unknown"]
"""Models that share a tokenizer. "claude-3" is that of Claude 3 to 4.6, "claude-4.7" that of all later ones."""

ENCODING: Final = "o200k_base"


class Factor(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of a family for 100 tokens of o200k: the likeliest, the least and the most.

    `observations` counts the reported figures it was fitted to, from so many `runs`; 0 is a seed that
    was taken over. `median` and `p90` are errors in thousandths: how far a fit that saw nothing of a
    run was off on that run, at the median and at the 90th percentile. `docs/accounting.md` has the
    method and the figures.
    """

    percent: int
    low: int
    high: int
    basis: str
    observations: int = 0
    runs: int = 0
    median: int | None = None
    p90: int | None = None

    @property
    def fitted(self) -> bool:
        """Whether it was fitted to what a provider reported."""
        return self.observations > 0


_SCHEMAS = "117 tools of a GitHub server and five other servers, counted by a reconstruction of the tokenizer"
_LOGS = "code and tool output, 400 kB each, counted by a reconstruction of the tokenizer"
_GROWTH = "growth between requests of Claude Code 2.0 to 2.1, Opus 4.5 and 4.6 and Haiku 4.5"
_OWN = "o200k is the family’s own vocabulary"
_NONE = "nothing is known of this model’s tokenizer; the band spans all known families"

FACTORS: Final[Mapping[tuple[Family, Content], Factor]] = {
    ("claude-3", "schema"): Factor(percent=113, low=111, high=115, basis=_SCHEMAS),
    ("claude-3", "call"): Factor(
        percent=123, low=112, high=128, basis=_GROWTH, observations=192, runs=9, median=59, p90=280
    ),
    ("claude-3", "text"): Factor(
        percent=112, low=106, high=125, basis=_GROWTH, observations=220, runs=10, median=59, p90=280
    ),
    ("claude-4.7", "schema"): Factor(percent=161, low=157, high=170, basis=_SCHEMAS),
    ("claude-4.7", "call"): Factor(percent=161, low=145, high=170, basis=_SCHEMAS),
    ("claude-4.7", "text"): Factor(percent=157, low=140, high=159, basis=_LOGS),
    ("openai", "schema"): Factor(percent=100, low=80, high=105, basis=_OWN + "; its rendering of a schema is not JSON"),
    ("openai", "call"): Factor(percent=100, low=95, high=105, basis=_OWN),
    ("openai", "text"): Factor(percent=100, low=98, high=102, basis=_OWN),
    ("unknown", "schema"): Factor(percent=100, low=90, high=170, basis=_NONE),
    ("unknown", "call"): Factor(percent=100, low=90, high=170, basis=_NONE),
    ("unknown", "text"): Factor(percent=100, low=90, high=160, basis=_NONE),
}


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens that stand around a piece and are in no log: ids, a tool's name, brackets and keys."""

    tokens: int
    low: int
    high: int


NO_FRAME: Final = Frame(tokens=0, low=0, high=0)
FRAMES: Final[Mapping[str, Frame]] = {
    "tool_call": Frame(tokens=66, low=45, high=80),
    "tool_result": Frame(tokens=17, low=10, high=35),
}
"""For Claude. Fitted: 83 for a call with its result, of them 17 around the result, by 17 counts of a whole output."""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """All factors, and what stands around pieces of a kind."""

    factors: Mapping[tuple[Family, Content], Factor]
    frames: Mapping[tuple[Family, str], Frame]

    def frame(self, family: Family, kind: str) -> Frame:
        """What stands around a piece of this kind."""
        return self.frames.get((family, kind), NO_FRAME)


BUILT_IN: Final = Table(
    factors=FACTORS,
    frames={(name, kind): each for name in ("claude-3", "claude-4.7") for kind, each in FRAMES.items()},
)
_in_use = BUILT_IN


def in_use() -> Table:
    """What this process counts with."""
    return _in_use


def adopt(table: Table) -> None:
    """Count with these factors from here on. For the start of a process: nothing that was counted before changes."""
    global _in_use
    _in_use = table


CHARS_PER_TOKEN: Final[Mapping[Content, tuple[int, int, int]]] = {
    "schema": (45, 40, 50),
    "call": (39, 30, 45),
    "text": (39, 30, 45),
}
"""Tenths of characters in a token of o200k: the likeliest, the least and the most."""

MEDIA: Final = ((16_000, 400), (100_000, 1_000))
"""Flat charges for an image or a document: up to so many bytes, so many tokens."""
MEDIA_MOST: Final = 1_600
"""The flat charge above that: what a picture that is scaled down to the usual largest size costs."""

# From which version on a line of models has the newer tokenizer.
_NEW_SINCE: Final[Mapping[str, tuple[int, int]]] = {
    "opus": (4, 7),
    "sonnet": (5, 0),
    "haiku": (5, 0),
    "fable": (0, 0),
    "mythos": (0, 0),
}
_CLAUDE = re.compile(r"(?:^|[^a-z])(opus|sonnet|haiku|fable|mythos)(?:[-. ](\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?)?")
_OPENAI = re.compile(r"(?:^|[/.:])(?:gpt|chatgpt|codex|o[134])(?:[-.]|$)")


class Count(msgspec.Struct, frozen=True, kw_only=True):
    """A number of tokens, how it came about, and the band that it lies in."""

    tokens: int
    low: int
    high: int
    provenance: Provenance


NOTHING: Final = Count(tokens=0, low=0, high=0, provenance="unknown")


class Tokenizer(Protocol):
    """What counts the tokens of a text."""

    def count(self, text: str) -> int:
        """How many there are."""


class Offline:
    """The tokenizer, loaded when it is first needed, once, whatever number of threads ask for it."""

    def __init__(self, encoding: str = ENCODING) -> None:
        self.encoding = encoding
        self._lock = threading.Lock()
        self._loaded: Tokenizer | None = None

    def count(self, text: str) -> int:
        """Tokens of a text in o200k, without any factor. A lone surrogate counts as a replacement character."""
        try:
            return self._tokenizer().count(text)
        except TypeError:
            # The tokenizer takes valid Unicode only.
            return self._tokenizer().count(text.encode("utf-8", "replace").decode())

    def _tokenizer(self) -> Tokenizer:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    loaded: Tokenizer = quicktok.get_encoding(self.encoding)
                    self._loaded = loaded
        return self._loaded


_offline = Offline()
count = _offline.count


@lru_cache(maxsize=1024)
def family(model: str) -> Family:
    """The family of a model, by its name as any provider or cloud writes it."""
    name = model.lower()
    if line := _CLAUDE.search(name):
        version = (int(line[2] or 0), int(line[3] or 0))
        return "claude-4.7" if version >= _NEW_SINCE[line[1]] else "claude-3"
    if "claude" in name:
        return "claude-3"
    return "openai" if _OPENAI.search(name) else "unknown"


def factor(model: str, content: Content) -> Factor:
    """The factor for a model and a kind of content."""
    return _in_use.factors[family(model), content]


def frame(model: str, kind: str) -> Frame:
    """What stands around a piece of this kind."""
    return _in_use.frame(family(model), kind)


def framed(count: Count, by: Frame, number: int) -> Count:
    """A count of so many pieces with what stands around each."""
    return Count(
        tokens=count.tokens + by.tokens * number,
        low=count.low + by.low * number,
        high=count.high + by.high * number,
        provenance=count.provenance,
    )


def reported(tokens: int) -> Count:
    """A figure of the provider or of the log itself."""
    return Count(tokens=tokens, low=tokens, high=tokens, provenance="reported")


def measured(o200k: int, by: Factor) -> Count:
    """A text that was counted whole."""
    return Count(
        tokens=(o200k * by.percent + 50) // 100,
        low=o200k * by.low // 100,
        high=-(-o200k * by.high // 100),
        provenance="measured",
    )


def estimated(chars: int, by: Factor, content: Content) -> Count:
    """A text of which only the length is known."""
    usual, least, most = CHARS_PER_TOKEN[content]
    return Count(
        tokens=(chars * by.percent + 5 * usual) // (10 * usual),
        low=chars * by.low // (10 * most),
        high=-(-chars * by.high // (10 * least)),
        provenance="estimated",
    )


def media(size: int | None) -> Count:
    """An image or a document: a flat charge by its size in bytes; its data is never tokenised."""
    charge = MEDIA_MOST
    if size is not None:
        charge = next((tokens for limit, tokens in MEDIA if size <= limit), MEDIA_MOST)
    return Count(tokens=charge, low=charge // 4, high=charge * 3, provenance="estimated")


def add(*counts: Count) -> Count:
    """The sum. It is as sure as the least sure of its parts that are known."""
    known = [each for each in counts if each.provenance != "unknown"]
    return Count(
        tokens=sum(each.tokens for each in known),
        low=sum(each.low for each in known),
        high=sum(each.high for each in known),
        provenance=_least_sure(known),
    )


def _least_sure(counts: list[Count]) -> Provenance:
    for provenance in ("estimated", "measured", "reported"):
        if any(each.provenance == provenance for each in counts):
            return provenance
    return "unknown"
