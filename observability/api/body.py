"""Reading a body of events: bounded while it streams, whole before anything is stored."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import IO, Any, Final

from django.conf import settings
from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser

from harness.errors import HarnessError
from harness.runlog import AnyEvent
from observability.api.errors import TooLarge
from observability.errors import RejectedEvents
from observability.received import received

CHUNK: Final = 64 * 1024
GZIP: Final = 16 + zlib.MAX_WBITS


class EventsParser(BaseParser):
    """NDJSON, one run-log event a line, as it is or with `Content-Encoding: gzip`."""

    media_type = "application/x-ndjson"

    def parse(  # type: ignore[override]  # the data of this API is events, not a mapping
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> list[AnyEvent]:
        """All events of the body. Raises RejectedEvents with the number of the first line at fault."""
        encoding = (parser_context or {})["request"].META.get("HTTP_CONTENT_ENCODING", "").lower()
        if encoding not in ("", "identity", "gzip"):
            raise UnsupportedMediaType(encoding, f"Content-Encoding {encoding!r} is not known here; gzip is.")
        chunks = iter(lambda: stream.read(CHUNK), b"")
        return events(bounded(unpacked(chunks) if encoding == "gzip" else chunks, settings.MAX_BODY))


def unpacked(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """What gzip packed, in pieces that stay small however well it was packed."""
    unpacker = zlib.decompressobj(GZIP)
    for chunk in chunks:
        rest = chunk
        while rest:
            if unpacker.eof:  # gzip files may be joined
                unpacker = zlib.decompressobj(GZIP)
            try:
                yield unpacker.decompress(rest, CHUNK)
            except zlib.error as error:
                raise ParseError("The body is not gzip.", "unreadable") from error
            rest = unpacker.unconsumed_tail or unpacker.unused_data
    if not unpacker.eof:
        raise ParseError("The body ends before its gzip stream does.", "unreadable")


def bounded(chunks: Iterator[bytes], most: int) -> bytes:
    """All chunks as one; stops at the first byte over the limit."""
    whole = bytearray()
    for chunk in chunks:
        whole += chunk
        if len(whole) > most:
            raise TooLarge(f"The body is larger than {most:,} bytes; send it in parts.")
    return bytes(whole)


def events(content: bytes) -> list[AnyEvent]:
    """The events of NDJSON text; blank lines are passed over."""
    found = []
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            found.append(received(line))
        except HarnessError as error:
            raise RejectedEvents(str(error), number) from error
    return found
