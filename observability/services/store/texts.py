"""Texts are stored once, under their hash, compressed, as much of them as the setting says."""

from __future__ import annotations

from collections.abc import Callable

import zstandard
from django.conf import settings
from django.db import connection

from observability.enums import Codec
from observability.models import Block
from observability.services.store import bulk

PREVIEW_CHARS = 400
SMALL = 160
"""Bytes below which compression wins nothing."""
LEVEL = 1

BLOCKS = bulk.Table(Block, ("hash", "codec", "data", "chars"), ("hash",))


def store(texts: dict[bytes, str]) -> None:
    """Store texts that are not there yet."""
    new = _missing(texts)
    pack = _packer(settings.STORE_TEXT)
    rows = []
    for address in new:
        text = texts[address]
        codec, data = pack(text)
        rows.append((address, codec, data, len(text)))
    bulk.write(BLOCKS, rows)


def _missing(texts: dict[bytes, str]) -> list[bytes]:
    known: set[bytes] = set()
    with connection.cursor() as cursor:
        for chunk in bulk.chunks(texts):
            marks = ", ".join(["%s"] * len(chunk))
            cursor.execute(f"SELECT hash FROM {BLOCKS.name} WHERE hash IN ({marks})", chunk)  # noqa: S608 - marks only
            known.update(bytes(address) for (address,) in cursor.fetchall())
    return [address for address in texts if address not in known]


def _packer(policy: str) -> Callable[[str], tuple[str, bytes]]:
    return {"full": _Full().pack, "preview": _preview, "none": _nothing}[policy]


class _Full:
    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=LEVEL, write_content_size=True)

    def pack(self, text: str) -> tuple[str, bytes]:
        data = text.encode("utf-8", "replace")
        if len(data) < SMALL:
            return Codec.PLAIN.value, data
        packed = self.compressor.compress(data)
        return (Codec.ZSTD.value, packed) if len(packed) < len(data) else (Codec.PLAIN.value, data)


def _preview(text: str) -> tuple[str, bytes]:
    if len(text) <= PREVIEW_CHARS:
        return Codec.PLAIN.value, text.encode("utf-8", "replace")
    return Codec.PREVIEW.value, text[:PREVIEW_CHARS].encode("utf-8", "replace")


def _nothing(text: str) -> tuple[str, bytes]:
    return Codec.NONE.value, b""
