"""The simulator against what providers reported, on real recordings and transcripts."""

from __future__ import annotations

import json
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmarks.simulator.__main__ import END, every_row, main, renewed
from benchmarks.simulator.chains import Row, rows_of
from benchmarks.simulator.recordings import exchanges

rows = lru_cache(every_row)
SESSION = "entire/e4-65290d9661-2.jsonl"


def row(samples: Path, file: str, line: int) -> Row:
    return next(each for each in rows(samples) if (each.file, each.line) == (file, line))


def test_recordings_are_predicted_to_the_tokens_that_stand_around_a_message(samples: Path) -> None:
    for each in exchanges(samples / "http_cassettes"):
        assert all(abs(a - b) <= 3 for a, b in zip(each.predicted, each.reported, strict=True)), each


def test_a_recording_is_exact_once_a_response_has_shown_what_stands_around_a_message(samples: Path) -> None:
    later = [each for each in exchanges(samples / "http_cassettes") if each.number > 1]
    assert len(later) == 3
    assert all(each.predicted == each.reported for each in later)


def test_the_exceptions_are_thirteen_drops_and_eleven_rises(samples: Path) -> None:
    changes = [each.reported - (each.expected or 0) for each in rows(samples) if each.exception]
    assert (sum(change < 0 for change in changes), sum(change > 0 for change in changes)) == (13, 11)


def test_every_read_of_a_transcript_is_predicted_or_explained(samples: Path) -> None:
    assert Counter(each.verdict for each in rows(samples)) == {
        "start": 13,
        "exact": 232,
        "position": 6,
        "explained": 12,
    }


def test_a_drop_is_never_predicted_where_there_was_none(samples: Path) -> None:
    assert all(each.predicted == each.reported for each in rows(samples) if each.expected and not each.exception)


def test_the_lifetime_of_every_write_is_predicted(samples: Path) -> None:
    assert all(each.lifetime_right for each in rows(samples) if each.expected is not None)


def test_what_is_switched_off_and_on_again_is_lost_to_the_lookback_and_found_later(samples: Path) -> None:
    off, on, off_again = (row(samples, SESSION, line) for line in (125, 162, 200))
    assert off.reason.startswith("thinking switched off")
    assert (on.predicted, on.reported, on.verdict) == (16_587, 16_587, "exact")
    assert (off_again.predicted, off_again.reported) == (67_356, 67_888)


def test_the_page_of_the_simulator_is_up_to_date(samples: Path) -> None:
    assert main(["--samples", str(samples), "--check"]) == 0


def test_the_tables_are_all_that_changes_on_the_page() -> None:
    assert renewed(f"a <!-- measured --> old {END} z", "new") == f"a <!-- measured -->\n\nnew\n\n{END} z"


def line(number: int, kind: str, at: str, message: dict[str, Any], parent: str | None) -> str:
    stamp = f"2026-01-01T00:{at}.000Z"
    return json.dumps(
        {"type": kind, "uuid": f"u{number}", "parentUuid": parent, "timestamp": stamp, "message": message}
    )


def usage(read: int, written: int) -> dict[str, Any]:
    return {"input_tokens": 3, "cache_read_input_tokens": read, "cache_creation_input_tokens": written}


def answer(number: int, text: str, read: int, written: int) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"id": f"m{number}", "model": "claude-opus-4-5", "content": content, "usage": usage(read, written)}


def transcript(folder: Path, at: str, read: int) -> list[Row]:
    """Two prompts and their answers; the second prompt comes `at`, and its request reads so much."""
    path = folder / "session.jsonl"
    lines = [
        line(0, "user", "00:00", {"role": "user", "content": "hello"}, None),
        line(1, "assistant", "00:02", answer(1, "hello yourself", 0, 20_000), "u0"),
        line(2, "user", at, {"role": "user", "content": "go on"}, "u1"),
        line(3, "assistant", at, answer(3, "well", read, 20_500 - read), "u2"),
    ]
    path.write_text("\n".join(lines))
    return rows_of(path, folder)


def test_a_read_of_all_that_was_written_is_exact(tmp_path: Path) -> None:
    assert [each.verdict for each in transcript(tmp_path, "04:59", 20_000)] == ["start", "exact"]


def test_a_lifetime_that_ran_out_is_predicted(tmp_path: Path) -> None:
    found = transcript(tmp_path, "05:00", 0)[1]
    assert (found.verdict, found.reason) == ("exact", "lifetime: its 5m ran out 0 s before")


def test_a_read_that_nothing_accounts_for_is_unexplained(tmp_path: Path) -> None:
    assert [each.verdict for each in transcript(tmp_path, "01:00", 12_345)] == ["start", "unexplained"]
    assert [each.verdict for each in transcript(tmp_path, "01:00", 20_400)] == ["start", "unexplained"]
