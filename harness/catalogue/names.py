"""Names and titles that every provider takes.

Providers want a tool's name to be 1 to 64 of the characters a-z, A-Z, 0-9, _ and -. Tool
servers use others, so a foreign name is mapped, never refused as long as something of it stays:
each other character becomes `_`, and of a longer name the end is replaced by a hash of the whole,
so that two long names which begin alike stay two.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final

from harness.errors import UnfitTool

LONGEST_NAME: Final = 64
LONGEST_TITLE: Final = 60
RESERVED: Final = frozenset(("call_tool", "search_tools"))
"""Names of the tools that reach deferred tools. They come with deferral, and no catalogue may have them."""
PROVIDER_RULE: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")

_OTHER = re.compile(r"[^a-zA-Z0-9_-]")
_HASH_DIGITS = 8


def is_name(name: str) -> bool:
    """Whether every provider takes this name as it is."""
    return PROVIDER_RULE.match(name) is not None


def mapped(name: str) -> str:
    """The name that is sent for a foreign name. Raises UnfitTool where nothing of it would stay."""
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise UnfitTool("its name holds half a character, which no server could be sent") from error
    plain = _OTHER.sub("_", name)
    if not plain.strip("_-"):
        raise UnfitTool("its name has none of the characters a-z, A-Z and 0-9" if name else "it has no name")
    return plain if len(plain) <= LONGEST_NAME else told_apart(name)


def told_apart(name: str) -> str:
    """The same with a hash of the foreign name at its end, which no other name gives."""
    digest = blake2b(name.encode(), digest_size=_HASH_DIGITS // 2).hexdigest()
    return f"{_OTHER.sub('_', name)[: LONGEST_NAME - _HASH_DIGITS - 1]}_{digest}"


def shown(text: str, longest: int = LONGEST_TITLE) -> str:
    """A foreign text as one line of printable characters, cut to a length: for titles, places and messages."""
    printable = "".join(each if each.isprintable() else " " for each in text)
    line = " ".join(printable.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
