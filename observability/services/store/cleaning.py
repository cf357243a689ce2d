"""Text from a log, made fit for a column: PostgreSQL holds no NUL, and names have a bound."""

from __future__ import annotations

from typing import Any, Final

from observability.identity import key

NAME_MOST: Final = 200
LINE_MOST: Final = 2000


def text(value: str | None, most: int = LINE_MOST) -> str:
    """A text of at most `most` characters, without NUL; None gives an empty one."""
    if not value:
        return ""
    if len(value) > most:
        value = value[: most - 1] + "…"
    return value.replace("\x00", "\ufffd") if "\x00" in value else value


def keys(value: Any) -> Any:
    """An object of a log with its names, and the texts in it, fit for a column."""
    if isinstance(value, dict):
        return {name(key): keys(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [keys(inner) for inner in value]
    return text(value) if isinstance(value, str) else value


def name(value: str) -> str:
    """A name that stays one of a kind when it is cut: a long one ends in a hash of the whole."""
    if len(value) <= NAME_MOST:
        return value.replace("\x00", "\ufffd") if "\x00" in value else value
    return f"{text(value, NAME_MOST - 20)}~{key(value):x}"
