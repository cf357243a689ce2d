"""Two texts as one, with what was taken out and what was put in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Final, Literal

Kind = Literal["same", "gap", "out", "in"]
WORDS: Final = re.compile(r"\w+\s*|[^\w\s]\s*|\s+")
MOST: Final = 2_500
"""Words, or else lines, of each text that are compared after what both begin and end with."""
AROUND: Final = 240
"""Characters that are shown on either side of a change."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of the text. A gap stands for so many characters that both have; its text is their number."""

    kind: Kind
    text: str


def difference(before: str, after: str) -> list[Stretch] | None:
    """What changed, word by word, or line by line in longer texts; None where they are too long to compare."""
    for old, new in (
        (WORDS.findall(before), WORDS.findall(after)),
        (before.splitlines(keepends=True), after.splitlines(keepends=True)),
    ):
        found = _compared(old, new)
        if found is not None:
            return list(_folded(found))
    return None


def _compared(old: Sequence[str], new: Sequence[str]) -> list[Stretch] | None:
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(middle_old), len(middle_new)) > MOST:
        return None
    found = [Stretch("same", "".join(new[:start]))]
    for tag, i, j, k, m in SequenceMatcher(None, middle_old, middle_new).get_opcodes():
        if tag == "equal":
            found.append(Stretch("same", "".join(middle_new[k:m])))
        else:
            found += [Stretch("out", "".join(middle_old[i:j])), Stretch("in", "".join(middle_new[k:m]))]
    found.append(Stretch("same", "".join(new[len(new) - end :] if end else ())))
    return [each for each in found if each.text]


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _folded(found: Sequence[Stretch]) -> Iterator[Stretch]:
    """Long stretches that both have are cut to what stands around a change."""
    for place, each in enumerate(found):
        head = AROUND if place else 0
        tail = AROUND if place + 1 < len(found) else 0
        rest = len(each.text) - head - tail
        if each.kind != "same" or rest <= AROUND:
            yield each
            continue
        if head:
            yield Stretch("same", each.text[:head])
        yield Stretch("gap", str(rest))
        if tail:
            yield Stretch("same", each.text[-tail:])
