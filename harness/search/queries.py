"""The forms of a query: plain words, `select:NAME,NAME`, and words of which some must be in the name (`+word`)."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from harness.runlog import SearchForm

_SELECT: Final = re.compile(r"\s*select\s*:(.*)", re.IGNORECASE | re.DOTALL)
_REQUIRED: Final = re.compile(r"(?<!\S)\+([^\W\d]\S*)")
_QUOTES: Final = " \t\r\n\"'`"


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A query, taken apart."""

    form: SearchForm
    words: str = ""
    """What tools are ranked by."""
    required: tuple[str, ...] = ()
    """What must be in a tool's name, in lower case."""
    names: tuple[str, ...] = ()
    """The tools that are asked for by name."""


def understood(query: str) -> Asked:
    """Take a query apart. Quotation marks around names are dropped, and a name counts once."""
    select = _SELECT.fullmatch(query)
    if select is not None:
        names = (name.strip(_QUOTES) for name in select[1].split(","))
        return Asked(form="select", names=tuple(dict.fromkeys(name for name in names if name)))
    required = tuple(dict.fromkeys(word.casefold() for word in _REQUIRED.findall(query)))
    if required:
        return Asked(form="required_word", words=_REQUIRED.sub(r"\1", query), required=required)
    return Asked(form="words", words=query)
