from __future__ import annotations

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from explorer.document import document
from explorer.text import Paper, render
from tests.explorer.scene import Scene, whole

ROOT = Path(__file__).parents[3]


def said(*words: str, **options: object) -> str:
    """What the command prints to a terminal of 90 columns."""
    out = StringIO()
    call_command("context", *words, stdout=out, **options)
    return out.getvalue()


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "90")


@pytest.mark.django_db
def test_it_prints_the_last_request_of_a_conversation() -> None:
    page = whole().store().page()
    assert said("talk") == render(page, Paper(width=90)) + "\n"


@pytest.mark.django_db
def test_it_prints_any_request_of_any_run() -> None:
    Scene().ask(900).store()
    Scene(run="searcher", kind="sub_agent").ask(700).ask(800).store()
    assert said("talk", "--run", "sea", "--request", "1").startswith("Request 1 of 2\n")


@pytest.mark.django_db
def test_detail_adds_a_row_for_each_item() -> None:
    page = whole().store().page()
    assert said("talk", "--detail") == render(page, Paper(width=90), whole=True) + "\n"


@pytest.mark.django_db
def test_json_is_the_document_of_the_page() -> None:
    page = whole().store().page()
    assert json.loads(said("last", "--json")) == json.loads(json.dumps(document(page)))


@pytest.mark.django_db
def test_colour_is_for_terminals_and_those_who_ask() -> None:
    whole().store()
    assert "\x1b" not in said("talk")
    assert "\x1b[1m" in said("talk", force_color=True)


@pytest.mark.django_db
@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_a_terminal_has_colour_unless_it_wants_none(
    monkeypatch: pytest.MonkeyPatch, no_color: str, coloured: bool
) -> None:
    whole().store()
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", "xterm")
    out = StringIO()
    monkeypatch.setattr(out, "isatty", lambda: True)
    call_command("context", "talk", stdout=out)
    assert ("\x1b[1m" in out.getvalue()) is coloured


@pytest.mark.django_db
def test_a_name_of_no_conversation_is_an_error_that_says_what_there_is() -> None:
    whole().store()
    with pytest.raises(CommandError, match=r"No conversation is named x␛\[2J. The latest: talk\."):
        said("x\x1b[2J")


def manage(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """manage.py in a process of its own, with a data folder of its own."""
    command = [sys.executable, "manage.py", *words]
    environment = {
        **os.environ,
        "CCWEB_DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "ccweb.settings",
    } | environment
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_an_error_is_one_line_and_ends_with_1(tmp_path: Path) -> None:
    ended = manage(tmp_path, "context", "last")
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.splitlines() == [
        "CommandError: There is no conversation with a request. Import some: manage.py import_logs"
    ]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the demo conversations."""
    folder = tmp_path_factory.mktemp("demo")
    manage(folder, "demo", "load")
    return folder


def test_an_output_of_plain_letters_gets_plain_letters(demo: Path) -> None:
    ended = manage(demo, "context", "demo-release", "--detail", PYTHONIOENCODING="ascii")
    assert ended.returncode == 0
    assert ended.stdout.isascii()
    assert "* reported, ~ measured, o estimated, - unknown." in ended.stdout


def test_a_reader_that_leaves_early_is_no_error(demo: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    environment = {**os.environ, "CCWEB_DATA_DIR": str(demo), "DJANGO_SETTINGS_MODULE": "ccweb.settings"}
    command = [sys.executable, "manage.py", "context", "demo-release", "--json"]
    ended = subprocess.run(command, cwd=ROOT, env=environment, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")
