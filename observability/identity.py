"""Names of rows: hashes of what they are, so that any order of import gives the same rows."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import Final

import msgspec

CATALOGUES: Final = 0
"""The project that definitions from recorded catalogues stand under: none that a log could name."""

_canonical = msgspec.json.Encoder(order="deterministic")


def key(*parts: str) -> int:
    """A positive 63-bit name for a tuple of strings."""
    digest = blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def text_hash(text: str) -> bytes:
    """The 16-byte address of a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def canonical_json(value: object) -> str:
    """The one JSON text of a value: sorted keys, no spaces."""
    return _canonical.encode(value).decode()


def project_id(project_key: str) -> int:
    """Of a project."""
    return key("project", project_key)


def conversation_id(uid: str) -> int:
    """Of a conversation."""
    return key("conversation", uid)


def run_id(conversation_uid: str, run_uid: str) -> int:
    """Of a run."""
    return key("run", conversation_uid, run_uid)


@lru_cache(maxsize=4096)
def request_id(request_key: str) -> int:
    """Of a request, by the key its source gives it."""
    return key("request", request_key)


@lru_cache(maxsize=4096)
def call_key(call: str) -> int:
    """Of a tool call, within its run."""
    return key("call", call)


def file_id(path: str) -> int:
    """Of an imported file."""
    return key("file", path)
