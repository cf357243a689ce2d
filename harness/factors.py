"""Factors that were fitted to what providers reported, kept in a file: read strictly, written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from harness.errors import FactorsError
from harness.tokens import BUILT_IN, Content, Factor, Family, Frame, Table

Percent = Annotated[int, Meta(ge=30, le=400)]
"""No tokenizer makes less than 0.3 or more than 4 tokens of one of o200k."""
FramedKind = Literal["tool_call", "tool_result"]
Around = Annotated[int, Meta(ge=0, le=1_000)]
Thousandths = Annotated[int, Meta(ge=0, le=10**6)]
Number = Annotated[int, Meta(ge=1, le=10**9)]
LONGEST: Final = 10**6
"""Bytes of such a file at most."""


class KeptFactor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A factor: see `harness.tokens.Factor`."""

    family: Family
    content: Content
    percent: Percent
    low: Percent
    high: Percent
    observations: Number
    runs: Number
    median: Thousandths
    p90: Thousandths

    def __post_init__(self) -> None:
        """A factor lies in its band."""
        _in_band(self.low, self.percent, self.high)


class KeptFrame(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tokens around a piece of a kind."""

    family: Family
    kind: FramedKind
    tokens: Around
    low: Around
    high: Around

    def __post_init__(self) -> None:
        """Their number lies in its band."""
        _in_band(self.low, self.tokens, self.high)


class Kept(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file. What it does not name stays as it is built in."""

    version: Literal[1] = 1
    fitted_at: datetime
    factors: tuple[KeptFactor, ...] = ()
    frames: tuple[KeptFrame, ...] = ()

    def __post_init__(self) -> None:
        """Each is named once."""
        _once((each.family, each.content) for each in self.factors)
        _once((each.family, each.kind) for each in self.frames)

    @property
    def basis(self) -> str:
        """Where these factors come from."""
        return f"growth and whole prompts in this store, fitted on {self.fitted_at.astimezone(UTC):%Y-%m-%d}"

    def table(self) -> Table:
        """These in the place of the ones that are built in."""
        factors = {(each.family, each.content): _factor(each, self.basis) for each in self.factors}
        frames: dict[tuple[Family, str], Frame] = {
            (each.family, each.kind): Frame(tokens=each.tokens, low=each.low, high=each.high) for each in self.frames
        }
        return Table(factors={**BUILT_IN.factors, **factors}, frames={**BUILT_IN.frames, **frames})


def load(file: Path) -> Kept | None:
    """What a file keeps; None where there is none. Raises FactorsError with whole sentences."""
    try:
        with file.open("rb") as stream:
            data = stream.read(LONGEST + 1)
        if len(data) > LONGEST:
            raise FactorsError(f"The factors in {file} cannot be read: it is too long to be such a file.")
        return msgspec.json.decode(data, type=Kept)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FactorsError(f"The factors in {file} cannot be read: {error}.") from error


def save(file: Path, kept: Kept) -> None:
    """Put a file in the place of the one before, whole. Raises FactorsError."""
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        with fresh.open("wb") as stream:
            stream.write(msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(file)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise FactorsError(f"The factors cannot be kept in {file}: {error.strerror}.") from error


def _factor(kept: KeptFactor, basis: str) -> Factor:
    return Factor(
        percent=kept.percent,
        low=kept.low,
        high=kept.high,
        basis=basis,
        observations=kept.observations,
        runs=kept.runs,
        median=kept.median,
        p90=kept.p90,
    )


def _in_band(low: int, value: int, high: int) -> None:
    if not low <= value <= high:
        raise ValueError(f"{value} is not between {low} and {high}")


def _once(names: Iterable[tuple[str, str]]) -> None:
    seen = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{' '.join(name)} is named twice")
        seen.add(name)
