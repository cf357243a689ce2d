"""Folders of logs to measure on: half made up, half replicated from real ones where they are at hand."""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
from hashlib import blake2b
from pathlib import Path

from benchmarks.transcripts import Session

IDS = re.compile(
    rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?:msg|req|toolu)_[A-Za-z0-9]{8,}|\ba[0-9a-f]{16}\b"
)
TEXTS = re.compile(rb'("(?:text|content|thinking|stdout|originalFile|prompt)":")(?=[^"])')


def samples() -> list[Path]:
    """Real transcripts, where CCWEB_SAMPLES (or the folder beside this one) has them."""
    root = Path(os.environ.get("CCWEB_SAMPLES") or Path(__file__).parents[2] / "shared" / "samples")
    return sorted((root / "claude_code").rglob("*.jsonl"))


def sessions(folder: Path, asked: argparse.Namespace) -> dict[str, int]:
    """Fill a folder with `--mb` megabytes of sessions."""
    limit, size = asked.mb * 10**6, 0
    real = [_compact(path) for path in samples()]
    if real:
        size = _replicate(folder, real, limit // 2, same_text=asked.same_text)
    replicated = size
    for number in itertools.count():
        if size >= limit:
            break
        size += _write(folder / f"-made-up-{number % 20}", Session(f"made up {number}", 60))
    files = sum(1 for _ in folder.rglob("*.jsonl"))
    return {"files": files, "bytes_replicated": replicated, "bytes_made_up": size - replicated}


def big_file(folder: Path, asked: argparse.Namespace) -> dict[str, int]:
    """One session of `--big-mb` megabytes."""
    session = Session("one big session", 10**9)
    (folder / "-big").mkdir()
    size = 0
    with (folder / "-big" / f"{session.uid}.jsonl").open("wb") as file:
        for line in session.lines():
            size += file.write(line + b"\n")
            if size >= asked.big_mb * 10**6:
                break
    return {"bytes": size}


def small_files(folder: Path, asked: argparse.Namespace) -> dict[str, int]:
    """`--files` small sessions, a file each."""
    size = sum(_write(folder / f"-small-{n % 25}", Session(f"small {n}", 4)) for n in range(asked.files))
    return {"files": asked.files, "bytes": size}


def _write(folder: Path, session: Session) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    return (folder / f"{session.uid}.jsonl").write_bytes(b"".join(line + b"\n" for line in session.lines()))


def _compact(path: Path) -> tuple[str, bytes]:
    """A real transcript as compact JSON, with the part of its path that tells a sub-agent's."""
    place = "/".join(path.parts[-3:]) if path.parent.name == "subagents" else path.name
    with path.open(encoding="utf-8") as file:
        return place, b"".join(_compact_line(line) for line in file if line.strip())


def _compact_line(line: str) -> bytes:
    return (
        json.dumps(json.loads(line), separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
    )


def _replicate(folder: Path, real: list[tuple[str, bytes]], limit: int, *, same_text: bool) -> int:
    size = 0
    for copy in itertools.count():
        for place, data in real:
            if size >= limit:
                return size
            path = folder / f"-copy-{copy}" / _fresh_ids(place.encode(), copy).decode()
            path.parent.mkdir(parents=True, exist_ok=True)
            size += path.write_bytes(_fresh_data(data, copy, same_text=same_text))
    return size


def _fresh_data(data: bytes, copy: int, *, same_text: bool) -> bytes:
    data = _fresh_ids(data, copy)
    return data if same_text else TEXTS.sub(rb"\g<1>(%d) " % copy, data)


def _fresh_ids(data: bytes, copy: int) -> bytes:
    return IDS.sub(lambda found: _fresh(found[0], copy), data)


def _fresh(uid: bytes, copy: int) -> bytes:
    """Another id of the same form, the same each time."""
    digest = blake2b(b"%d %s" % (copy, uid), digest_size=32).hexdigest().encode()
    if uid[8:9] == b"-":
        return b"-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32]))
    prefix, underscore, rest = uid.rpartition(b"_")
    return prefix + underscore + digest[: len(rest)] if underscore else b"a" + digest[:16]
