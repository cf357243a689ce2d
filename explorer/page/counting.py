"""How tokens are counted: the factors in use, what each rests on, and how far it may be off."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

from harness import factors, tokens
from harness.accounting.refit import ENOUGH, RUNS
from harness.errors import FactorsError
from harness.factors import Kept
from harness.tokens import Content, Factor, Family, Frame
from observability.figures import counted, percent, size

TITLES: Final[dict[Family, str]] = {
    "claude-3": "Claude 3 to 4.6",
    "claude-4.7": "Claude Opus 4.7 and later, Sonnet 5, Haiku 5, Fable",
    "openai": "OpenAI",
    "unknown": "Any other model",
}
CONTENTS: Final[dict[Content, str]] = {"text": "Text", "call": "Tool calls", "schema": "Schemas"}
AROUND: Final = {"tool_call": "around a call", "tool_result": "around its result"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A factor of a kind of content."""

    title: str
    factor: Factor

    @property
    def state(self) -> str:
        """Fitted, or a seed."""
        return "fitted" if self.factor.fitted else "seed"

    @property
    def errors(self) -> str:
        """How far it was off on runs that the fit had not seen: median and 90th percentile; empty for a seed."""
        if self.factor.median is None or self.factor.p90 is None:
            return ""
        return f"{_thousandths(self.factor.median)} · {_thousandths(self.factor.p90)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Counting:
    """How the tokens of a family of models are counted."""

    family: Family
    rows: list[Row]
    frames: list[tuple[str, Frame]]

    @property
    def title(self) -> str:
        """The family, by its models."""
        return TITLES[self.family]

    @property
    def as_list(self) -> list[Counting]:
        """This family alone, for the table of factors."""
        return [self]

    @property
    def around(self) -> int:
        """Tokens around a call and its result together."""
        return sum(frame.tokens for _, frame in self.frames)

    @property
    def around_low(self) -> int:
        """The least that may be."""
        return sum(frame.low for _, frame in self.frames)

    @property
    def around_high(self) -> int:
        """The most that may be."""
        return sum(frame.high for _, frame in self.frames)

    @property
    def say(self) -> str:
        """What the counts of this family rest on, in a sentence."""
        text = self.rows[0].factor
        if text.fitted:
            said = f"Text is fitted to {counted(text.observations, 'count')} of the provider, of {counted(text.runs, 'run')}"
            if text.median is None or text.p90 is None:
                return f"{said}."
            off = f"by {_thousandths(text.median)} at the median and {_thousandths(text.p90)} at the 90th percentile"
            return f"{said}; on runs that a fit had not seen it was off {off}."
        if self.family == "unknown":
            return "There is no fit for this model, and nothing is known of its tokenizer: the band spans all known families."
        return "There is no fit for this model’s family: its factors are seeds, taken over from counts made elsewhere."


@dataclass(frozen=True, kw_only=True, slots=True)
class CountingPage:
    """All families; and the file of fitted factors, with what is wrong with it."""

    families: list[Counting]
    file: Path
    kept: Kept | None
    broken: str
    stale: bool
    """The file says otherwise than what this process counts with."""
    enough: int = ENOUGH
    runs: int = RUNS

    @property
    def media(self) -> list[tuple[str, int]]:
        """Flat charges: up to which size, how many tokens."""
        bounds = [(f"up to {size(limit)}", charge) for limit, charge in tokens.MEDIA]
        return [*bounds, ("larger, or of unknown size", tokens.MEDIA_MOST)]

    @property
    def chars(self) -> list[tuple[str, Decimal, Decimal, Decimal]]:
        """Characters in a token of o200k, for text that was not kept: the likeliest, the least and the most."""
        found = []
        for content, title in CONTENTS.items():
            usual, least, most = (Decimal(tenths) / 10 for tenths in tokens.CHARS_PER_TOKEN[content])
            found.append((title, usual, least, most))
        return found


def counting(model: str) -> Counting:
    """How the tokens of a model are counted, in this process."""
    return _of(tokens.family(model))


def counting_page(file: Path) -> CountingPage:
    """The page. `file` is where fitted factors are kept."""
    kept, broken = None, ""
    try:
        kept = factors.load(file)
    except FactorsError as error:
        broken = str(error)
    should = kept.table() if kept else tokens.BUILT_IN
    return CountingPage(
        families=[_of(family) for family in TITLES],
        file=file,
        kept=kept,
        broken=broken,
        stale=not broken and should != tokens.in_use(),
    )


def _of(family: Family) -> Counting:
    table = tokens.in_use()
    return Counting(
        family=family,
        rows=[Row(title=title, factor=table.factors[family, content]) for content, title in CONTENTS.items()],
        frames=[(title, table.frame(family, kind)) for kind, title in AROUND.items()],
    )


def _thousandths(value: int) -> str:
    return percent(Decimal(value) / 1_000)
