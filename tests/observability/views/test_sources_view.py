from __future__ import annotations

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from observability.models import Conversation, ImportJob
from observability.queries.sources import Sources, home_path
from tests.factories import a_conversation, a_file, a_quarantined_line, an_unknown_record

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return tmp_path


def page(client: Client) -> Sources:
    shown: Sources = client.get("/sources/").context["page"]
    return shown


def test_an_empty_store_says_so_and_where_it_looked(client: Client) -> None:
    shown = client.get("/sources/").content.decode()
    assert "No log has been read yet" in shown
    assert "~/.claude/projects" in shown


def test_files_are_summed_by_source(client: Client, home: Path) -> None:
    for name in ("a", "b"):
        a_file(path=f"{home}/.claude/projects/{name}/x.jsonl")
    a_conversation(requests=5)
    (row,) = page(client).rows
    assert (row.title, row.place, row.files, row.bytes) == ("Claude Code", "~/.claude/projects", 2, 4_000)
    assert (row.requests, row.records) == (5, 16)


def test_a_source_without_files_has_none_of_their_figures(client: Client) -> None:
    a_conversation(source="api")
    (row,) = page(client).rows
    assert (row.title, row.files, row.records) == ("Run log, over the API", None, None)


def test_a_file_that_cannot_be_read_is_named_with_its_reason(client: Client, home: Path) -> None:
    a_file(path=f"{home}/secret.jsonl", state="unreadable", error="permission denied")
    shown = page(client)
    assert (shown.rows[0].tone, shown.bad_files[0].place) == ("bad", "~/secret.jsonl")
    assert "Permission denied" in client.get("/sources/").content.decode()


def test_lines_set_aside_are_shown_with_file_line_and_reason(client: Client) -> None:
    a_quarantined_line(file=a_file(path="/logs/deep/orchard/talk.jsonl"), line=2_114)
    (line,) = page(client).lines
    assert (line.place, line.reason, line.preview) == ("orchard/talk.jsonl:2,114", "not JSON", "{oops")


def test_lines_read_with_a_remark_do_not_count_as_set_aside(client: Client) -> None:
    a_quarantined_line(file=a_file(), kept=True)
    shown = page(client)
    assert (shown.aside, shown.flagged, shown.rows[0].quarantined) == (0, 1, 0)


def test_records_not_understood_are_summed_over_files(client: Client) -> None:
    for _ in range(2):
        an_unknown_record(file=a_file())
    (row,) = page(client).unknown
    assert (row.kind, row.name, row.seen, row.files) == ("record", "weather-report", 6, 2)


def test_a_path_is_shown_from_the_home_folder(home: Path) -> None:
    assert home_path(f"{home}/logs") == "~/logs"
    assert home_path(f"{home}-of-another/logs") == f"{home}-of-another/logs"


def test_what_stands_in_a_log_never_becomes_markup(client: Client) -> None:
    nasty = "<script>alert(1)</script>\x1b"
    file = a_file(path=f"/logs/{nasty}/a.jsonl", state="unreadable", error=nasty)
    a_quarantined_line(file=file, reason=nasty, preview=nasty)
    an_unknown_record(file=file, kind=nasty, name=nasty)
    shown = client.get("/sources/").content.decode()
    assert "<script>alert" not in shown
    assert "\x1b" not in shown


def test_a_path_begins_an_import(client: Client, home: Path) -> None:
    (home / "logs").mkdir()
    answer = client.post("/sources/import/", {"path": "~/logs"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/sources/#imports")
    assert ImportJob.objects.get().paths == [str(home / "logs")]


@pytest.mark.parametrize("path", ["", "~/nowhere", "relative/path", "/nowhere\n", "~nobody-at-all/x", "/" + "x" * 3000])
def test_a_path_that_cannot_be_read_begins_nothing(client: Client, path: str) -> None:
    assert client.post("/sources/import/", {"path": path}).status_code == 400
    assert not ImportJob.objects.exists()


def test_files_that_are_sent_are_kept_under_names_of_our_own(
    client: Client, tmp_path: Path, settings: Settings
) -> None:
    settings.DATA_DIR = tmp_path
    sent = [SimpleUploadedFile("../../evil.jsonl", b"one"), SimpleUploadedFile("b.jsonl", b"two")]
    client.post("/sources/import/", {"uploads": sent})
    kept = [Path(path) for path in ImportJob.objects.get().paths]
    assert [path.read_bytes() for path in kept] == [b"one", b"two"]
    assert {path.parent for path in kept} == {tmp_path / "uploads"}


def test_the_imports_begun_here_are_shown(client: Client) -> None:
    ImportJob.objects.create(paths=["/logs"], state="done", counts={"files": 3, "requests": 1, "quarantined": 2})
    (job,) = page(client).jobs
    assert (job.state, job.told) == ("Done", "3 files, 1 new request, 2 set aside")


def test_the_page_asks_again_while_an_import_runs(client: Client) -> None:
    ImportJob.objects.create(paths=["/logs"], state="running")
    assert 'hx-trigger="every 2s"' in client.get("/sources/jobs/").content.decode()
    ImportJob.objects.update(state="done")
    assert "hx-trigger" not in client.get("/sources/jobs/").content.decode()


def test_looking_again_imports_the_usual_folders(client: Client, home: Path) -> None:
    (home / ".claude" / "projects").mkdir(parents=True)
    client.post("/sources/look-again/")
    assert ImportJob.objects.get().paths == [str(home / ".claude" / "projects")]


@pytest.mark.parametrize("url", ["/sources/import/", "/sources/look-again/", "/demo/"])
def test_what_writes_rejects_get_and_a_missing_token(url: str) -> None:
    assert Client().get(url).status_code == 405
    assert Client(enforce_csrf_checks=True).post(url).status_code == 403


def test_the_demo_is_loaded_and_removed(client: Client) -> None:
    client.post("/demo/", {"action": "load"})
    assert Conversation.objects.filter(demo=True).count() == 6
    client.post("/demo/", {"action": "remove"})
    assert not Conversation.objects.exists()


def test_the_number_of_queries_does_not_grow_with_the_rows(client: Client) -> None:
    def fill(rows: int) -> int:
        for _ in range(rows):
            file = a_file()
            a_quarantined_line(file=file)
            an_unknown_record(file=file)
        with CaptureQueriesContext(connection) as queries:
            client.get("/sources/")
        return len(queries)

    assert fill(10) == fill(20)


def test_it_says_how_many_files_could_not_be_read_and_how_much_may_be_sent(client: Client) -> None:
    for number in range(2):
        a_file(path=f"/logs/{number}.jsonl", state="unreadable", error="permission denied")
    shown = client.get("/sources/").content.decode()
    assert "2 files or folders could not be read." in shown
    assert "At most 128 MB are taken at a time" in shown
