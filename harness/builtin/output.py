"""What a program prints, kept in constant memory: its beginning and its end, and a count of the rest."""

from __future__ import annotations

from typing import Final

KEPT: Final = 64 * 1024
"""Bytes kept of the beginning, and as many of the end."""


class Kept:
    """Takes any number of bytes; holds the first and the last of them."""

    def __init__(self, keep: int = KEPT) -> None:
        self.total = 0
        self._keep = keep
        self._head = bytearray()
        self._tail = bytearray()

    def add(self, chunk: bytes) -> None:
        """Take what was printed next."""
        self.total += len(chunk)
        room = self._keep - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        self._tail += chunk[-self._keep :]
        if len(self._tail) > 2 * self._keep:
            del self._tail[: -self._keep]

    @property
    def left_out(self) -> int:
        """Bytes that are in neither part."""
        return max(0, self.total - len(self._head) - min(len(self._tail), self._keep))

    def text(self) -> str:
        """What is kept, as text; where something is left out, a line says how much."""
        head, tail = bytes(self._head), bytes(self._tail[-self._keep :])
        if not self.left_out:
            return _decoded(head + tail)
        return f"{_decoded(head)}\n[… {self.left_out:,} bytes left out …]\n{_decoded(tail)}"


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").replace("\r\n", "\n")
