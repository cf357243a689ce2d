"""Texts that are stored once: their characters, their tokens, and the text itself where it was kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeVar

import zstandard
from django.db import OperationalError, connection, transaction

from harness import tokens
from observability.enums import Codec
from observability.models import Block

T = TypeVar("T")
WHOLE: Final = (Codec.PLAIN, Codec.ZSTD)
"""Codecs that keep the whole text."""
CHUNK: Final = 500
PATIENCE_MS: Final = 200
"""How long counts wait for a writer; then they are made again when next needed."""


@dataclass(frozen=True, kw_only=True)
class StoredText:
    """A stored text. `text` is None where nothing was kept, a beginning where not `complete`.

    `tokens` is its count by the offline tokenizer (o200k, no factor), where it was made.
    """

    text: str | None
    chars: int
    tokens: int | None
    complete: bool


@dataclass(frozen=True, kw_only=True)
class Size:
    """How large a stored text is; `tokens` (o200k) is None where the whole text was not kept."""

    chars: int
    tokens: int | None


def texts(hashes: Iterable[bytes]) -> dict[bytes, StoredText]:
    """The stored texts of some hashes; a hash that is not stored is left out."""
    found = {}
    for some in _chunks(hashes):
        for hash_, codec, data, chars, count in Block.objects.filter(hash__in=some).values_list(
            "hash", "codec", "data", "chars", "tokens"
        ):
            found[bytes(hash_)] = StoredText(
                text=decoded(codec, bytes(data)), chars=chars, tokens=count, complete=codec in WHOLE
            )
    return found


def decoded(codec: str, data: bytes) -> str | None:
    """The text in a block's data; None where none was kept."""
    if codec == Codec.NONE:
        return None
    raw = zstandard.ZstdDecompressor().decompressobj().decompress(data) if codec == Codec.ZSTD else data
    return raw.decode("utf-8", "replace")


def beginning(codec: str, data: bytes, chars: int) -> str:
    """The first characters of the text in a block's data, read no further than that; empty where none was kept."""
    if codec == Codec.ZSTD:
        data = zstandard.ZstdDecompressor().stream_reader(data).read(4 * chars)
    return "" if codec == Codec.NONE else data[: 4 * chars].decode("utf-8", "replace")[:chars]


def sizes(hashes: Iterable[bytes]) -> dict[bytes, Size]:
    """How large some stored texts are. Tokens that were never counted are counted now, and kept."""
    found, uncounted = {}, []
    for some in _chunks(hashes):
        for hash_, codec, chars, count in Block.objects.filter(hash__in=some).values_list(
            "hash", "codec", "chars", "tokens"
        ):
            found[bytes(hash_)] = Size(chars=chars, tokens=count)
            if count is None and codec in WHOLE:
                uncounted.append(bytes(hash_))
    for hash_, count in count_tokens(uncounted).items():
        found[hash_] = Size(chars=found[hash_].chars, tokens=count)
    return found


def count_tokens(hashes: Iterable[bytes], counter: Callable[[str], int] = tokens.count) -> dict[bytes, int]:
    """Count whole texts with the offline tokenizer and keep the counts. Texts that were not kept are left out."""
    counts: dict[bytes, int] = {}
    for some in _chunks(hashes):
        rows = Block.objects.filter(hash__in=some, codec__in=WHOLE).values_list("hash", "codec", "data")
        made = {bytes(hash_): counter(decoded(codec, bytes(data)) or "") for hash_, codec, data in rows.iterator()}
        _keep(made)
        counts |= made
    return counts


def _keep(counts: dict[bytes, int]) -> None:
    """Store counts, unless a writer holds the database: a page does not wait for an import."""
    if not counts:
        return
    table = connection.ops.quote_name(Block._meta.db_table)
    sql = f"UPDATE {table} SET tokens = %s WHERE hash = %s AND tokens IS NULL"  # noqa: S608 - our own name
    try:
        with _impatient(), transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(sql, [(count, hash_) for hash_, count in sorted(counts.items())])
    except OperationalError:
        return


@contextmanager
def _impatient() -> Iterator[None]:
    """Wait for a lock a moment only."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    usual = int(connection.settings_dict["OPTIONS"].get("timeout", 5)) * 1000
    _busy_timeout(PATIENCE_MS)
    try:
        yield
    finally:
        _busy_timeout(usual)


def _busy_timeout(milliseconds: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA busy_timeout = {milliseconds:d}")


def _chunks(values: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    rest = iter(dict.fromkeys(values))
    while some := list(islice(rest, size)):
        yield some
