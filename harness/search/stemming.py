"""The stem of an English word, by M. F. Porter's algorithm (1980), so that "booking" finds "book"."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

SHORTEST: Final = 4
"""Shorter words stay as they are: there is little to win and much to confuse."""

_DERIVED: Final = {
    "ational": "ate",
    "ization": "ize",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "tional": "tion",
    "biliti": "ble",
    "entli": "ent",
    "ousli": "ous",
    "ation": "ate",
    "alism": "al",
    "aliti": "al",
    "iviti": "ive",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "alli": "al",
    "ator": "ate",
    "logi": "log",
    "bli": "ble",
    "eli": "e",
}
_FURTHER: Final = {
    "icate": "ic",
    "ative": "",
    "alize": "al",
    "iciti": "ic",
    "ical": "ic",
    "ness": "",
    "ful": "",
}
_ENDINGS: Final = "ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al er ic ou"
_LAST: Final = dict.fromkeys(_ENDINGS.split(), "")


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a lower-case word. What is not plain English letters comes back as it is."""
    if len(word) < SHORTEST or not (word.isascii() and word.isalpha()):
        return word
    word = _without_past(_singular(word))
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = f"{word[:-1]}i"
    word = _replaced(_replaced(word, _DERIVED, longer_than=0), _FURTHER, longer_than=0)
    return _tidy(_replaced(word, _LAST, longer_than=1))


def _shape(word: str) -> str:
    """Consonants as c, vowels as v; a y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """How often a consonant follows a vowel: about the number of syllables that are closed."""
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    """Whether it ends consonant, vowel, consonant, as "hop" does; then an e was there before -ing."""
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _singular(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_past(word: str) -> str:
    """Without -ed and -ing, with the e that they took."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for suffix in ("ed", "ing"):
        base = word.removesuffix(suffix)
        if base != word and "v" in _shape(base):
            return _mended(base)
    return word


def _mended(base: str) -> str:
    if base.endswith(("at", "bl", "iz")):
        return f"{base}e"
    if _ends_double(base) and base[-1] not in "lsz":
        return base[:-1]
    return f"{base}e" if _measure(base) == 1 and _ends_short(base) else base


def _replaced(word: str, endings: dict[str, str], *, longer_than: int) -> str:
    """Replace the first ending that fits, if enough of the word stands before it."""
    for suffix, by in endings.items():
        if word.endswith(suffix):
            base = word.removesuffix(suffix)
            kept = suffix == "ion" and base[-1:] not in ("s", "t")
            return base + by if _measure(base) > longer_than and not kept else word
    return word


def _tidy(word: str) -> str:
    """Without a last e, and with one l of two, where the word is long enough."""
    if word.endswith("e"):
        base = word[:-1]
        if _measure(base) > 1 or (_measure(base) == 1 and not _ends_short(base)):
            word = base
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
