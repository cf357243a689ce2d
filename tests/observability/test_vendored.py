from __future__ import annotations

import hashlib
import json
from dataclasses import asdict

import pytest
from django.conf import settings

from scripts.vendor import PINNED, VENDOR, Pinned

ENTRIES = json.loads((VENDOR / "versions.json").read_text())


def test_what_is_listed_is_what_is_pinned() -> None:
    assert [{name: entry[name] for name in asdict(PINNED[0])} for entry in ENTRIES] == [asdict(each) for each in PINNED]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["file"])
def test_a_vendored_file_is_as_it_was_fetched(entry: dict[str, str]) -> None:
    assert hashlib.sha256((VENDOR / entry["file"]).read_bytes()).hexdigest() == entry["sha256"]


@pytest.mark.parametrize("pinned", PINNED, ids=lambda pinned: pinned.file)
def test_a_vendored_file_has_its_version_and_licence(pinned: Pinned) -> None:
    assert pinned.version in (VENDOR / pinned.file).read_text()
    assert (VENDOR / f"{pinned.file}.LICENSE").stat().st_size > 100


def test_nothing_else_lies_beside_them() -> None:
    known = {name for pinned in PINNED for name in (pinned.file, f"{pinned.file}.LICENSE")}
    assert {path.name for path in VENDOR.iterdir()} == known | {"versions.json"}


def test_no_template_loads_anything_from_elsewhere() -> None:
    for template in (settings.BASE_DIR / "templates").rglob("*.html"):
        text = template.read_text()
        assert 'src="http' not in text, template
        assert 'href="http' not in text, template


def test_colours_are_written_in_the_tokens_only() -> None:
    for sheet in (settings.BASE_DIR / "static" / "css").glob("*.css"):
        if sheet.name != "tokens.css":
            text = sheet.read_text()
            assert "rgb(" not in text, sheet
            assert not any(f"{sign}#{digit}" in text for sign in (" ", ":") for digit in "0123456789abcdef"), sheet
