"""What a break left readable. A read ends where an entry of the cache ends, so its size tells which part still stood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from observability.enums import Survived
from observability.reasons.facts import Facts

NEAR: Final = 0.03
"""Within this part of a size a read may have ended at the same place in a prompt that changed a little."""
HIDDEN: Final = 1024
"""A client's own request, which no log holds, may have added as much behind an earlier request's end."""


@dataclass(frozen=True, slots=True)
class Rest:
    """What was still read. `exact`: it ends at a place known to the token; `words` name the place."""

    part: Survived
    exact: bool = True
    words: str = ""

    @property
    def prefix_stood(self) -> bool:
        """Whether tools and system prompt were read, so that what changed came after them."""
        return self.exact and self.part in (Survived.SYSTEM, Survived.TAIL)


def survived(facts: Facts) -> Rest:
    """Where the read of a break ended."""
    read = facts.now.read
    if not read:
        return Rest(Survived.NOTHING)
    if read in facts.ends:
        return Rest(Survived.SYSTEM, words=f"the tools and the system prompt, {read:,} tokens, were read")
    tail = next((sent for sent in reversed(facts.earlier) if sent.kept == read), None)
    if tail is not None:
        return Rest(Survived.TAIL, words=f"it was read up to the end of request {tail.ordinal}, {read:,} tokens")
    behind = next((sent for sent in reversed(facts.earlier) if 0 < read - sent.kept <= HIDDEN), None)
    if behind is not None and facts.earlier.index(behind) > 0:
        return Rest(
            Survived.TAIL,
            exact=False,
            words=f"it was read to {read - behind.kept:,} tokens beyond the end of request {behind.ordinal}",
        )
    near = next((end for end in facts.ends if abs(read - end) <= NEAR * end), None)
    if near is not None:
        words = f"{read:,} tokens were read, where the tools and the system prompt of this run ended at {near:,}"
        return Rest(Survived.SYSTEM, exact=False, words=words)
    return Rest(Survived.PART, exact=False, words=f"the first {read:,} tokens were read")
