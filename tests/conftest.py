"""Fixtures that every test may use, and a summary that says what was left out."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connections
from playwright.sync_api import Browser, Page, sync_playwright

from tests import servers, settings
from tests.leaving_out import IN_CI, leave_out

ROOT = Path(__file__).resolve().parent.parent
DATABASE_FIXTURES = {"db", "transactional_db", "live_server"}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# Servers ---------------------------------------------------------------------


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """URL of a real PostgreSQL, up to the database's name."""
    with servers.postgresql(settings.FOLDER) as url:
        yield url


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a real Redis, up to the database's number."""
    with servers.redis_server(tmp_path_factory.mktemp("redis")) as url:
        yield url


@pytest.fixture(scope="session")
def django_db_modify_db_settings(request: pytest.FixtureRequest) -> Iterator[None]:
    """Start the server that this run is about before Django makes its test database."""
    if settings.ON_POSTGRESQL:
        request.getfixturevalue("postgresql")
    yield
    connections.close_all()


# What may be missing on a machine ----------------------------------------------


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of real logs."""
    folder = Path(os.environ.get("CCWEB_SAMPLES") or ROOT.parent / "shared" / "samples")
    if not folder.is_dir():
        leave_out("no samples: CCWEB_SAMPLES names no folder of real logs")
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser. It lives as long as a module: while it does, an event loop runs in this thread."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        leave_out("no browser: Chromium or Chrome is not in PATH")
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        chromium = playwright.chromium.launch(executable_path=program, args=BROWSER_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page, 1440 wide, that fails the test on an error in a script or a breach of the site's policy."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(10_000)
    page, errors = context.new_page(), list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert not errors


# Which tests, and what became of them ------------------------------------------


def pytest_report_header() -> list[str]:
    """What this run is about."""
    return [f"database: {'PostgreSQL' if settings.ON_POSTGRESQL else 'SQLite'}"]


def touches_database(item: pytest.Item) -> bool:
    """Whether a test would see another database. A browser or processes of its own make no difference to that."""
    fixtures = set(getattr(item, "fixturenames", ()))
    asks = item.get_closest_marker("django_db") is not None or bool(fixtures & DATABASE_FIXTURES)
    return asks and "browser" not in fixtures and item.get_closest_marker("slow") is None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On PostgreSQL, run only the tests that touch the database."""
    if not settings.ON_POSTGRESQL:
        return
    chosen = [item for item in items if touches_database(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In CI, a test that was skipped fails the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if IN_CI and reporter is not None and reporter.stats.get("skipped") and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly what was left out, and hand the totals to `python -m tests`."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.stats.get("skipped", [])
    )
    left_out = [
        f"LEFT OUT: {times} {'test' if times == 1 else 'tests'} ({reason})" for reason, times in reasons.items()
    ]
    for line in left_out:
        terminalreporter.write_sep("!", line, yellow=True, bold=True)
    if report := os.environ.get("CCWEB_TEST_REPORT"):
        engine = "PostgreSQL" if settings.ON_POSTGRESQL else "SQLite"
        counts = [
            f"{len(terminalreporter.stats[kind])} {kind}"
            for kind in ("passed", "failed", "error", "skipped")
            if kind in terminalreporter.stats
        ]
        with Path(report).open("a") as file:
            file.write(f"{engine}: {', '.join(counts) or 'nothing run'}\n")
            file.writelines(f"  {line}\n" for line in left_out)
