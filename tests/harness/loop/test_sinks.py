from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from harness.loop.sinks import FileSink, PostSink
from harness.runlog import RunFinished


def event(number: int) -> RunFinished:
    return RunFinished(id=f"e{number}", conversation="c", run="r")


def test_each_event_is_in_the_file_before_the_run_goes_on(tmp_path: Path) -> None:
    sink = FileSink(tmp_path / "log")
    sink.write(event(1))
    assert (tmp_path / "log").read_bytes().endswith(b"\n")
    asyncio.run(sink.close())


def test_a_line_that_was_torn_spoils_none_of_ours(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b'{"torn')
    sink = FileSink(tmp_path / "log")
    sink.write(event(1))
    asyncio.run(sink.close())
    torn, ours = (tmp_path / "log").read_bytes().splitlines()
    assert torn == b'{"torn'
    assert json.loads(ours)["id"] == "e1"


class Site:
    """Takes events; answers with these statuses first, and with 200 after them."""

    def __init__(self) -> None:
        self.statuses: list[int] = []
        self.batches: list[list[str]] = []
        self.path = self.kind = self.url = ""


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            status = site.statuses.pop(0) if site.statuses else 200
            if status == 200:
                site.batches.append([json.loads(line)["id"] for line in body.splitlines()])
            site.path, site.kind = self.path, self.headers["content-type"]
            self.send_response(status)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *words: object) -> None:
            """Keep quiet."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    site.url = f"http://127.0.0.1:{server.server_port}"
    yield site
    server.shutdown()
    thread.join()
    server.server_close()


def send(url: str, count: int, patience: float = 15.0) -> list[str]:
    """Send events, and return what the user was told."""
    said: list[str] = []

    async def main() -> None:
        sink = PostSink(url, say=said.append, pause=0.01, patience=patience)
        for number in range(count):
            sink.write(event(number))
            await asyncio.sleep(0)
        await sink.close()

    asyncio.run(main())
    return said


def test_all_events_arrive_in_order_and_in_batches(site: Site) -> None:
    send(site.url, 250)
    assert [each for batch in site.batches for each in batch] == [f"e{number}" for number in range(250)]
    assert len(site.batches) <= 10
    assert (site.path, site.kind) == ("/api/v1/events", "application/x-ndjson")


def test_a_site_that_fails_for_a_while_gets_them_later(site: Site) -> None:
    site.statuses = [503, 500, 429]
    said = send(site.url, 3)
    assert [each for batch in site.batches for each in batch] == ["e0", "e1", "e2"]
    assert len(said) == 1


def test_what_the_site_refuses_is_said_and_not_sent_again(site: Site) -> None:
    site.statuses = [400]
    said = send(site.url, 1)
    assert site.batches == []
    assert "refused 1 event" in said[0]


def test_what_does_not_arrive_is_said_at_the_end() -> None:
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.server_close()
    said = send(f"http://127.0.0.1:{server.server_port}", 2, patience=0.1)
    assert "2 events of the run log did not reach" in said[-1]
