"""What a text is found by: its words, split, folded, without stop words, as stems.

>>> terms("Fetches the PDFs' pageCount for naïve HTTPServers")
['fetch', 'pdf', 'page', 'count', 'naiv', 'http', 'server']
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from harness.search.stemming import stem

_SAY_NOTHING: Final = """
a about above after again against all also am an and any are as at be because been before being below between both
but by can could did do does doing down during each else few for from further had has have having he her here hers
herself him himself his how i if in into is it its itself just let lets may me might more most must my myself no
nor not now of off on once only or other our ours ourselves out over own same shall she should so some such than
that the their theirs them themselves then there these they this those through to too under until up us very was
we were what when where which while who whom why will with would you your yours yourself yourselves
d ll m o re s t ve y don doesn didn isn aren wasn won couldn shouldn wouldn im ive
hello hey hi like need needs please thank thanks going want wanted wants
"""
STOP_WORDS: Final = frozenset(_SAY_NOTHING.split())
"""English words that say nothing about a task, and the courtesies of a request."""

_WORD: Final = re.compile(r"[^\W_]+")
_PIECE: Final = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\WA-Za-z0-9_]+")
_UNSPACED: Final = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Scripts that are written without spaces, or with spaces between phrases: their words are taken as pairs of signs."""


_LETTERS: Final = str.maketrans(
    {
        "ß": "ss",
        "ẞ": "SS",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "ı": "i",
    }
)
"""Latin letters that are no letter with a mark."""
MOST_PIECES: Final = 12
"""A Latin word of more pieces is encoded data, not a word."""


def folded(text: str) -> str:
    """The text in plain Latin letters where it is Latin, without diacritics."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return unicodedata.normalize("NFC", "".join(sign for sign in decomposed if not unicodedata.combining(sign)))


def split(text: str) -> Iterator[list[str]]:
    """The words of a text, each as its pieces in lower case: "getHTTPStatus2" is get, http, status, 2."""
    for word in _WORD.findall(folded(text)):
        pieces: list[str] = []
        for piece in _PIECE.findall(word):
            if len(piece) > 1 and _UNSPACED.match(piece):
                pieces += (piece[at : at + 2] for at in range(len(piece) - 1))
            else:
                pieces.append(piece.lower())
        if len(pieces) <= MOST_PIECES or not word.isascii():
            yield pieces


def telling(piece: str) -> bool:
    """Whether a piece says anything: it is no stop word and no single Latin letter or digit."""
    return piece not in STOP_WORDS and not (len(piece) == 1 and piece.isascii())


def terms(text: str) -> list[str]:
    """What a text is indexed by, in order, with repetitions."""
    return [stem(piece) for pieces in split(text) for piece in pieces if telling(piece)]
