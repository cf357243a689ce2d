from __future__ import annotations

from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from harness import wire
from harness.catalogue import OWN, recording
from observability.demo import load_demo, remove_demo
from observability.models import Block, ToolDefinition
from observability.services.catalogues import store_catalogue

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, tzinfo=UTC)


def test_a_recorded_catalogue_gives_its_definitions(tmp_path: Path) -> None:
    (tmp_path / "own.json").write_bytes(wire.dumps(recording(OWN)))
    said = StringIO()
    call_command("import_catalogue", str(tmp_path / "own.json"), stdout=said)
    assert said.getvalue().endswith(f"{len(OWN)} definitions of tools.\n")
    assert set(ToolDefinition.objects.values_list("name", flat=True)) >= set(OWN)


def test_importing_it_again_changes_nothing() -> None:
    for _ in range(2):
        store_catalogue(OWN, at=NOW)
    assert (ToolDefinition.objects.count(), Block.objects.count()) == (len(OWN), len(OWN))


def test_a_file_that_is_no_catalogue_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[1")
    with pytest.raises(CommandError, match=r"x\.json"):
        call_command("import_catalogue", str(tmp_path / "x.json"))


def test_removing_the_demo_leaves_it_alone() -> None:
    store_catalogue(OWN, at=NOW)
    load_demo(NOW)
    remove_demo()
    assert ToolDefinition.objects.count() == Block.objects.count() == len(OWN)
