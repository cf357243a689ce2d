from __future__ import annotations

import pytest
import zstandard

from observability.enums import Codec
from observability.identity import text_hash
from observability.models import Block
from observability.queries import blocks

pytestmark = pytest.mark.django_db
TEXT = "Grüße, 世界! " * 50


def stored(codec: Codec, data: bytes, text: str = TEXT) -> bytes:
    Block.objects.create(hash=text_hash(text), codec=codec, data=data, chars=len(text))
    return text_hash(text)


def compressed() -> bytes:
    return stored(Codec.ZSTD, zstandard.ZstdCompressor().compress(TEXT.encode()))


def test_a_compressed_text_reads_as_it_was() -> None:
    hash_ = compressed()
    assert blocks.texts([hash_])[hash_] == blocks.StoredText(text=TEXT, chars=len(TEXT), tokens=None, complete=True)


def test_a_plain_text_reads_as_it_was() -> None:
    hash_ = stored(Codec.PLAIN, TEXT.encode())
    assert blocks.texts([hash_])[hash_].text == TEXT


def test_a_preview_is_not_complete() -> None:
    hash_ = stored(Codec.PREVIEW, TEXT[:40].encode())
    found = blocks.texts([hash_])[hash_]
    assert (found.text, found.complete) == (TEXT[:40], False)


def test_a_text_that_was_not_kept_is_none() -> None:
    hash_ = stored(Codec.NONE, b"")
    assert blocks.texts([hash_])[hash_].text is None


def test_a_hash_that_is_not_stored_is_left_out() -> None:
    assert blocks.texts([b"0" * 16]) == {}


def test_whole_texts_are_counted_once_and_the_counts_are_kept() -> None:
    hash_, calls = compressed(), []
    counts = blocks.count_tokens([hash_, hash_], lambda text: calls.append(text) or 7)  # type: ignore[func-returns-value]
    assert counts == {hash_: 7}
    assert (calls, Block.objects.get().tokens) == ([TEXT], 7)


def test_sizes_count_what_was_never_counted() -> None:
    hash_ = compressed()
    size = blocks.sizes([hash_])[hash_]
    assert size.tokens == Block.objects.get().tokens
    assert size.chars == len(TEXT)


@pytest.mark.parametrize("codec", [Codec.PREVIEW, Codec.NONE])
def test_what_is_not_whole_is_not_counted(codec: Codec) -> None:
    hash_ = stored(codec, b"beginning" if codec == Codec.PREVIEW else b"")
    assert blocks.sizes([hash_])[hash_].tokens is None
    assert blocks.count_tokens([hash_]) == {}


def test_many_hashes_are_read_in_pieces() -> None:
    Block.objects.bulk_create(
        Block(hash=text_hash(f"text {n}"), data=f"text {n}".encode(), chars=6) for n in range(blocks.CHUNK + 10)
    )
    assert len(blocks.sizes(text_hash(f"text {n}") for n in range(blocks.CHUNK + 10))) == blocks.CHUNK + 10
