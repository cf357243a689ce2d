"""What an import does with files that grow, shrink, repeat or cannot be read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from observability.enums import FileState
from observability.models import ContextItem, Conversation, ImportedFile, QuarantinedLine, Request, Run, UnknownRecord
from observability.queries.report import report
from observability.services.imports import import_paths, importing, lines
from tests.claude_code_lines import Log, dump, encode, search_call, text, usage_of
from tests.rows import all_rows

pytestmark = pytest.mark.django_db


def session(log: Log, turns: int = 3) -> list[dict[str, Any]]:
    """A short conversation."""
    return [
        record for n in range(turns) for record in (log.user(f"question {n}"), log.assistant([text(f"answer {n}")]))
    ]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a log stands."""
    return tmp_path / "projects" / "shop" / "a.jsonl"


def put(file: Path, data: bytes) -> Path:
    """Write a file and the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


def test_new_lines_are_read_from_where_reading_stopped(file: Path) -> None:
    log = Log()
    put(file, dump(session(log)))
    assert import_paths([file])["requests"] == 3
    with file.open("ab") as more:
        more.write(dump(session(log, 1)))
    counts = import_paths([file])
    assert (counts["files"], counts["lines"], counts["requests"]) == (1, 2, 1)


def test_a_partial_last_line_waits_for_its_end(file: Path) -> None:
    whole = dump(session(Log()))
    put(file, whole[:-40])
    assert import_paths([file])["requests"] == 2
    assert not QuarantinedLine.objects.exists()
    file.write_bytes(whole)
    assert import_paths([file])["requests"] == 1


def test_a_whole_last_line_without_its_end_is_read_once(file: Path) -> None:
    whole = dump(session(Log()))
    put(file, whole[:-1])
    assert import_paths([file])["requests"] == 3
    file.write_bytes(whole + dump(session(Log(session="b"), 1)))
    counts = import_paths([file])
    assert (counts["lines"], counts["requests"], counts["quarantined"]) == (2, 1, 0)
    assert ImportedFile.objects.get().lines == 8


def test_a_file_that_shrank_is_read_again_without_counting_twice(file: Path) -> None:
    records = session(Log())
    put(file, dump(records))
    import_paths([file])
    before = report("total")
    put(file, dump(records[:2]))
    assert import_paths([file])["requests"] == 0
    assert report("total") == before
    assert ImportedFile.objects.get().lines == 2


def test_a_file_that_was_replaced_by_a_longer_one_is_read_from_its_start(file: Path) -> None:
    put(file, dump(session(Log())))
    import_paths([file])
    put(file, dump(session(Log(session="22222222-0000"), 5)))
    assert import_paths([file])["requests"] == 5
    assert report("total")[0].requests == 8


def test_what_was_odd_in_a_replaced_file_goes_with_it(file: Path) -> None:
    put(file, b"no json\n" + dump(session(Log())))
    import_paths([file])
    put(file, dump(session(Log(session="22222222-0000"), 5)))
    import_paths([file])
    assert not QuarantinedLine.objects.exists()


def test_a_file_that_was_rotated_keeps_what_it_told(file: Path) -> None:
    put(file, dump(session(Log())))
    import_paths([file])
    os.replace(file, file.with_name("a.1.jsonl"))
    put(file, dump(session(Log(session="22222222-0000"), 1)))
    import_paths([file.parent])
    assert report("total")[0].requests == 4


def test_a_malformed_line_is_set_aside_by_file_line_and_reason_and_the_rest_goes_on(file: Path) -> None:
    first, *rest = session(Log())
    put(file, encode(first) + b'\n{"type": "user", \n' + dump(rest))
    counts = import_paths([file])
    aside = QuarantinedLine.objects.get()
    assert (counts["requests"], counts["quarantined"]) == (3, 1)
    assert (aside.file.path, aside.line, aside.kept) == (str(file), 2, False)
    assert "JSON" in aside.reason
    assert aside.preview == '{"type": "user",'


def test_a_line_that_is_too_long_is_set_aside_without_being_held(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 4096)
    log = Log()
    put(file, dump([log.user("x" * 9000), *session(log)]))
    counts = import_paths([file])
    assert (counts["requests"], counts["quarantined"], counts["lines"]) == (3, 1, 7)
    assert "9," in QuarantinedLine.objects.get().reason


def test_a_negative_count_names_its_field(file: Path) -> None:
    log = Log()
    put(file, dump([log.user("hi"), log.assistant([text("yes")], usage={**usage_of(), "cache_read_input_tokens": -5})]))
    import_paths([file])
    assert "cache_read_input_tokens is -5" in QuarantinedLine.objects.get().reason


def test_an_empty_file_is_not_read_and_not_complained_of(file: Path) -> None:
    put(file, b"")
    counts = import_paths([file.parent])
    assert (counts["files"], counts["quarantined"], counts["unrecognised"]) == (0, 0, 0)


def test_a_binary_file_is_named_and_the_others_are_read(file: Path) -> None:
    put(file, dump(session(Log())))
    put(file.with_name("b.jsonl"), bytes(range(256)) * 40)
    counts = import_paths([file.parent])
    assert (counts["requests"], counts["unrecognised"]) == (3, 1)
    assert "format" in ImportedFile.objects.get(state=FileState.UNREADABLE).error


def test_a_folder_that_is_not_there_is_named() -> None:
    assert import_paths(["/no/such/folder"])["unreadable"] == 1
    assert "no such file" in ImportedFile.objects.get().error


def test_text_that_no_database_column_holds_is_kept_harmlessly(file: Path) -> None:
    log = Log(cwd="/home/dev/a\x00b")
    put(file, dump([log.user("nul \x00 and <b>markup</b> \x1b[31m"), log.assistant([text("\x00")])]))
    assert import_paths([file])["requests"] == 1
    assert "\x00" not in Conversation.objects.get().title


def test_names_and_numbers_beyond_a_column_stop_nothing(file: Path) -> None:
    log = Log(cwd="/" + "d" * 9000)
    miss = log.search_miss("select:" + "x" * 9000, total=2**70)
    put(file, dump([*session(log), miss]))
    assert import_paths([file])["requests"] == 3
    assert len(Conversation.objects.get().cwd) <= 2000


def test_unknown_records_and_keys_are_counted(file: Path) -> None:
    log = Log()
    put(file, dump([log.record("brand-new-record"), {**log.user("hi"), "brandNewKey": 1}, *session(log)]))
    counts = import_paths([file])
    assert counts["unknown_records"] == 2
    assert {name for (name,) in UnknownRecord.objects.values_list("name")} == {"brand-new-record", "user.brandNewKey"}


def test_a_fork_inherits_what_its_origin_owns_in_any_order(tmp_path: Path) -> None:
    origin, fork = Log(session="aaaa"), Log(session="ffff")
    copied = session(origin)
    again = [{**record, "sessionId": "ffff"} for record in copied]
    fork.lines = 50
    one = put(tmp_path / "a.jsonl", dump(copied))
    other = put(tmp_path / "f.jsonl", dump([*again, *session(fork, 2)]))
    import_paths([other])
    import_paths([one])
    owners = {c.uid: (c.requests, c.inherited, c.resumed) for c in Conversation.objects.all()}
    assert owners == {"aaaa": (3, 0, False), "ffff": (2, 3, True)}
    assert report("total")[0].requests == Request.objects.count() == 5


def test_a_fork_that_was_read_before_its_origin_starts_with_its_own_first_request(tmp_path: Path) -> None:
    copied = session(Log(session="aaaa"))
    fork = Log(session="ffff", prefix="own")
    fork.lines = 50
    one = put(tmp_path / "a.jsonl", dump(copied))
    other = put(tmp_path / "f.jsonl", dump([{**r, "sessionId": "ffff"} for r in copied] + session(fork, 2)))
    import_paths([other])
    import_paths([one])
    own = Request.objects.filter(conversation__uid="ffff").order_by("seq")
    assert list(own.values_list("ordinal", "cold")) == [(1, True), (2, False)]


def test_a_copy_of_a_file_tells_of_each_loading_once(tmp_path: Path) -> None:
    log = Log()
    surfaced = log.deferred_tools_delta(["mcp__s__t"], surfacedNames=["mcp__s__t"])
    lines = [log.title("a"), log.user("hi"), surfaced, log.assistant([text("yes")])]
    import_paths([put(tmp_path / "1.jsonl", dump(lines))])
    before = {name: rows for name, rows in all_rows().items() if name != "ImportedFile"}
    import_paths([put(tmp_path / "2.jsonl", dump([log.title("a"), log.title("a"), *lines]))])
    assert {name: rows for name, rows in all_rows().items() if name != "ImportedFile"} == before


def test_totals_with_names_that_no_column_holds_stop_nothing(file: Path) -> None:
    log = Log()
    put(file, dump([*session(log), log.cost_state(**{"a\x00b": {"inputTokens": 5, "note": "\x00"}})]))
    assert import_paths([file])["requests"] == 3
    assert Run.objects.get().totals == {"a\ufffdb": {"inputTokens": 5, "note": "\ufffd"}}


def test_a_file_of_many_parts_is_one_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "PART_BYTES", 900)
    put(file, dump(session(Log(), 12)))
    assert import_paths([file])["files"] == 1


def test_a_miss_whose_result_comes_in_a_later_part_is_counted(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "PART_BYTES", 1)
    log = Log()
    put(file, dump([log.user("hi"), log.assistant([search_call("select:a")]), log.search_miss("select:a")]))
    counts = import_paths([file])
    assert (counts["searches"], counts["search_misses"]) == (1, 1)


def test_a_disk_that_fails_in_the_middle_of_a_file_costs_no_line(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(opened: BinaryIO, offset: int) -> Iterator[lines.Line]:
        yield from list(read(opened, offset))[:4]
        raise OSError(5, "Input/output error")

    read = lines.read
    monkeypatch.setattr(lines, "read", failing)
    put(file, dump(session(Log(), 6)))
    assert import_paths([file])["unreadable"] == 1
    monkeypatch.undo()
    import_paths([file])
    assert (Request.objects.count(), ImportedFile.objects.get().lines) == (6, 12)


def test_where_no_text_is_kept_no_table_holds_a_word_of_a_message(file: Path, settings: Any) -> None:
    settings.STORE_TEXT = "none"
    log = Log()
    put(file, dump([log.user("a secret"), log.assistant([text("secret too")])]) + b'{"broken": "secret"\n')
    counts = import_paths([file])
    assert (counts["requests"], counts["quarantined"]) == (1, 1)
    assert not any("secret" in row for rows in all_rows().values() for row in rows)


@pytest.mark.parametrize("policy", ["preview", "none"])
def test_what_is_kept_of_texts_changes_no_figure(file: Path, settings: Any, policy: str, db_reset: Any) -> None:
    put(file, dump(session(Log(), 4)))
    import_paths([file])
    figures = (report("total"), ContextItem.objects.count())
    db_reset()
    settings.STORE_TEXT = policy
    import_paths([file])
    assert (report("total"), ContextItem.objects.count()) == figures


def test_the_newest_file_comes_first(tmp_path: Path) -> None:
    for number in range(3):
        path = put(tmp_path / f"{number}.jsonl", dump(session(Log(session=str(number)), 1)))
        os.utime(path, (1_700_000_000 - number, 1_700_000_000 - number))
    told: list[int] = []
    import_paths([tmp_path], tell=told.append)
    assert list(ImportedFile.objects.order_by("read_at").values_list("path", flat=True))[0].endswith("0.jsonl")
    assert sum(told) == sum(path.stat().st_size for path in tmp_path.iterdir())


def test_spaced_json_and_carriage_returns_are_read(file: Path) -> None:
    spaced = [json.dumps(record, indent=None, separators=(" , ", " : ")) for record in session(Log())]
    put(file, "\r\n".join([" \t" + line for line in spaced]).encode() + b"\r\n")
    assert import_paths([file])["requests"] == 3


def test_a_conversation_moves_to_the_project_of_its_shortest_folder(tmp_path: Path) -> None:
    below, root = Log(cwd="/home/dev/shop/api"), Log(cwd="/home/dev/shop", prefix="later")
    import_paths([put(tmp_path / "1.jsonl", dump(session(below)))])
    import_paths([put(tmp_path / "2.jsonl", dump(session(root)))])
    assert [row.key for row in report("project")] == ["/home/dev/shop"]
    assert report("project")[0].requests == 6


def test_two_imports_of_one_file_at_a_time_count_its_lines_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(file, b"no json\n" + dump(session(Log())))
    import_paths([file])
    before = all_rows()
    stale = ImportedFile(id=ImportedFile.objects.get().id, path=str(file))
    monkeypatch.setattr(ImportedFile.objects, "in_bulk", lambda ids: {stale.id: stale})
    import_paths([file])
    monkeypatch.undo()
    assert all_rows() == before


def flags() -> list[tuple[int, str]]:
    """Lines that were read with a flag, and why."""
    return list(QuarantinedLine.objects.filter(kept=True).order_by("line").values_list("line", "reason"))


def test_an_id_that_repeats_with_other_content_is_flagged_and_both_are_kept(file: Path) -> None:
    log = Log()
    first = log.user("one")
    put(file, dump([first, {**first, "message": {"role": "user", "content": "another"}}, *session(log)]))
    import_paths([file])
    assert flags() == [(2, f"an id that was used before for other content: {first['uuid']}")]
    assert ContextItem.objects.filter(kind="user", seq__lt=Request.objects.earliest("seq").seq).count() == 3


def test_an_id_that_repeats_in_a_later_import_is_flagged_too(file: Path) -> None:
    log = Log()
    first = log.user("one")
    put(file, dump([first, *session(log)]))
    import_paths([file])
    with file.open("ab") as more:
        more.write(encode({**first, "message": {"role": "user", "content": "another"}}) + b"\n")
    import_paths([file])
    assert [line for line, _ in flags()] == [8]


def test_a_time_in_the_future_is_flagged(file: Path) -> None:
    log = Log()
    put(file, dump([*session(log), {**log.user("later"), "timestamp": "2099-01-01T00:00:00Z"}]))
    import_paths([file])
    assert flags() == [(7, "timestamp lies in the future: 2099-01-01 00:00 UTC")]


def test_fragments_that_tell_of_different_prompts_are_flagged_and_the_larger_stands(file: Path) -> None:
    log = Log()
    lines = [log.assistant([text("a")], message="m", request="r", usage=usage_of(n)) for n in (10, 30, 20)]
    put(file, dump(lines[:2]))
    import_paths([file])
    put(file, dump(lines))
    import_paths([file])
    assert (Request.objects.get().uncached, Request.objects.get().flags.split()[-1]) == (30, "differing_prompt")
