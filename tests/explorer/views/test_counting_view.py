from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from tests.explorer.scene import Scene

pytestmark = pytest.mark.django_db


def test_the_page_shows_every_family_with_its_factors(client: Client) -> None:
    html = client.get("/tokens/").content.decode()
    for words in (
        "Claude 3 to 4.6",
        "OpenAI",
        "Any other model",
        "×&nbsp;1.12",
        "1.06 to 1.25",
        "5.9\xa0% · 28.0\xa0%",
    ):
        assert words in html


def test_a_broken_file_is_told_of_and_the_page_stands(client: Client, settings: Settings, tmp_path: Path) -> None:
    settings.FACTORS_FILE = tmp_path / "factors.json"
    settings.FACTORS_FILE.write_text("<b>")
    html = client.get("/tokens/").content.decode()
    assert "The fitted factors cannot be used; the built-in ones apply." in html


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("claude-opus-4-5", "fitted to 220 counts of the provider"),
        ("claude-opus-5", "its factors are seeds"),
        ("acme-coder-2", "the band spans all known families"),
    ],
)
def test_a_request_s_page_says_what_its_counts_rest_on(client: Client, model: str, words: str) -> None:
    Scene(model=model).append("user", "Hello").ask(9_000).store()
    html = client.get("/conversations/talk/context/").content.decode()
    assert words in html
    assert 'href="/tokens/"' in html


def test_a_page_without_a_total_says_so_and_marks_nothing_as_reported(client: Client) -> None:
    Scene().append("user", "Hello").ask(0).store()
    html = client.get("/conversations/talk/context/").content.decode()
    assert "The provider reported no total for this request." in html
    figures = html.split('<dl class="figures">')[1].split("</dl>")[0]
    assert "prov-rep" not in figures
    assert "$" not in figures
