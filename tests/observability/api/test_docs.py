from __future__ import annotations

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

PATHS = {
    "/api/v1/events",
    "/api/v1/conversations",
    "/api/v1/conversations/{uid}",
    "/api/v1/conversations/{uid}/requests",
    "/api/v1/report",
    "/api/v1/tools",
}


def test_the_schema_names_every_address(client: Client) -> None:
    answer = client.get("/api/v1/schema/?format=json")

    assert set(answer.json()["paths"]) == PATHS


@pytest.mark.parametrize("path", ["/api/v1/docs/", "/api/v1/docs/?script="])
def test_the_page_has_no_inline_script(client: Client, path: str) -> None:
    answer = client.get(path)

    assert "'unsafe-inline'" not in answer["Content-Security-Policy"]
    assert "<script>" not in answer.content.decode()


def test_the_page_works_in_a_browser(page: Page, live_server: str) -> None:
    page.goto(f"{live_server}/api/v1/docs/")

    expect(page.get_by_text("/api/v1/events", exact=True)).to_be_visible()
