"""What the providers' prompt caches do, as data. Every figure can be replaced: `msgspec.structs.replace(rules, …)`.

Read in the vendors' documentation between August and November 2026. Where a page contradicts
another, or says nothing, the comment beside the figure does too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Final, Literal, TypeVar

import msgspec

Tier = Literal["tools", "system", "messages"]
"""The three parts of a prefix, in the order in which they are hashed."""
TIERS: Final[tuple[Tier, ...]] = ("tools", "system", "messages")
Setting = Literal["speed", "citations", "web_search", "tool_choice", "images", "thinking", "effort"]
"""What is not a block of the prefix and is part of its key all the same."""
Mechanism = Literal["markers", "implicit"]
"""`markers`: written and looked up where `cache_control` stands. `implicit`: every block's end is remembered."""

Figure = TypeVar("Figure")

MINUTES_OR_AN_HOUR: Final = MappingProxyType({"5m": timedelta(minutes=5), "1h": timedelta(hours=1)})


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """Prices as multiples of a model's base price of input."""

    read: Decimal
    write_5m: Decimal = Decimal("1.25")
    write_1h: Decimal = Decimal(2)
    write_other: Decimal = Decimal("1.25")
    uncached: Decimal = Decimal(1)


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """How one provider's cache works. In pairs of a pattern and a figure, the first pattern found in the name holds."""

    name: str
    mechanism: Mechanism = "markers"
    most_markers: int = 4
    lookback: int = 20
    """Positions that a marker looks at, its own among them."""
    lifetimes: Mapping[str, timedelta] = MINUTES_OR_AN_HOUR
    """By the `ttl` of a marker. They count from the start of the request that wrote or read the entry."""
    lifetime: str = "5m"
    """That of a marker that names none of them."""
    marks_the_end: bool = False
    """The last block is a marker where the request names none."""
    minimums: tuple[tuple[str, int], ...] = ()
    """Tokens up to a marker below which it does nothing, without an error."""
    minimum: int = 1024
    increment: int = 1
    """Reads are a whole multiple of this."""
    bills_writes: bool = True
    """Whether the usage tells writes from other input."""
    keeps_thinking: str = ""
    """Models that keep the thinking of earlier turns. All others lose it when the user speaks again."""
    reach: Mapping[Setting, Tier] = {}
    """The first tier that a setting is part of the key of; every later tier follows."""
    reads: tuple[tuple[str, Decimal], ...] = ()
    read: Decimal = Decimal("0.1")

    def minimum_for(self, model: str) -> int:
        """The least cacheable prefix of a model, in tokens."""
        return _first(self.minimums, model, self.minimum)

    def rates_for(self, model: str) -> Rates:
        """What reads and writes of a model cost."""
        return Rates(read=_first(self.reads, model, self.read))

    def lifetime_of(self, ttl: str | None) -> str:
        """The lifetime that a marker's `ttl` stands for."""
        return ttl if ttl is not None and ttl in self.lifetimes else self.lifetime

    def keeps_thinking_of(self, model: str) -> bool:
        """Whether thinking of earlier turns stays in the prefix."""
        return bool(self.keeps_thinking) and re.search(self.keeps_thinking, plain(model)) is not None


def plain(model: str) -> str:
    """A model's name as the patterns have it: lower case, dashes for dots, no date at its end."""
    return re.sub(r"-\d{8}(?=$|-v\d|@)", "", model.lower().replace(".", "-").replace("@", "-"))


def _first(pairs: tuple[tuple[str, Figure], ...], model: str, otherwise: Figure) -> Figure:
    name = plain(model)
    return next((value for pattern, value in pairs if re.search(pattern, name)), otherwise)


ANTHROPIC: Final = Rules(
    name="anthropic",
    # The claude-api skill of July 2026 has 4,096 for Opus 4.8 and 4.7. Bedrock has a table of its own.
    minimums=(
        (r"mythos-preview", 2048),
        (r"opus-5|sonnet-5-5|fable-5|mythos-5", 512),
        (r"opus-4-[56](?!\d)|haiku-4-5", 4096),
        (r"opus-4-7|haiku-3-5|3-5-haiku", 2048),
    ),
    keeps_thinking=r"opus-(4-[5-9]|[5-9])|sonnet-(4-[6-9]|[5-9])|fable|mythos",
    # Thinking and effort reach further with some models, which the documentation does not name.
    reach={
        "speed": "system",
        "citations": "system",
        "web_search": "system",
        "tool_choice": "messages",
        "images": "messages",
        "thinking": "messages",
        "effort": "messages",
    },
    reads=((r"(opus|sonnet)-5-5", Decimal("0.05")), (r"(fable|mythos)-5-[12]", Decimal("0.025"))),
)

OPENAI: Final = Rules(
    name="openai",
    lifetimes={"30m": timedelta(minutes=30)},
    lifetime="30m",
    marks_the_end=True,
    # `allowed_tools` and `tool_choice` leave the prefix as it is.
    reach={"images": "messages"},
    keeps_thinking=r".",
)
"""GPT-5.6 and later: writes are reported and billed. Its lookups are wider than 20 positions for explicit markers."""

OPENAI_IMPLICIT: Final = Rules(
    name="openai_implicit",
    mechanism="implicit",
    # In memory for 5 to 10 minutes, at most an hour; 24 h where retention is asked for.
    lifetimes={"memory": timedelta(minutes=5), "24h": timedelta(hours=24)},
    lifetime="memory",
    increment=128,
    bills_writes=False,
    keeps_thinking=r".",
)
"""Models before GPT-5.6, and servers that only look like OpenAI: nothing is marked and no write is reported."""

_BILLED: Final = re.compile(r"gpt-(5-(?:[6-9]|\d\d)|[6-9]|\d\d)(?!\d)")


def rules_for(provider: str, model: str) -> Rules:
    """The rules of a provider for a model. Whatever is not known to be otherwise caches implicitly."""
    if provider == "anthropic":
        return ANTHROPIC
    return OPENAI if provider == "openai" and _BILLED.search(plain(model)) else OPENAI_IMPLICIT
