from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from harness import factors, tokens
from observability.models import Request
from tests.explorer.scene import Scene

pytestmark = pytest.mark.django_db
WORDS = ["river", "stone", "lantern", "harbour", "window", "copper", "meadow", "signal", "orchard", "timber"]

OUTPUT = 20
"""What a request of a scene puts out."""


@pytest.fixture(autouse=True)
def file(settings: Settings, tmp_path: Path) -> Path:
    settings.FACTORS_FILE = tmp_path / "factors.json"
    return tmp_path / "factors.json"


def run(*words: str) -> str:
    out = StringIO()
    call_command("fit_factors", *words, stdout=out)
    return out.getvalue()


def planted(share: float, *, runs: int = 3, steps: int = 20) -> None:
    """Runs of a new Claude whose provider makes so many tokens of one of o200k."""
    rng = Random(4)
    for name in range(runs):
        total = 1_000
        scene = Scene(f"talk {name}", model="claude-opus-5").append("user", "Hello").ask(total)
        for _ in range(steps):
            text = " ".join(rng.choices(WORDS, k=rng.randrange(200, 900)))
            before, total = total, total + round(share * tokens.count(text)) + OUTPUT
            scene.append("assistant", "Well.").append("user", text).ask(total, read=before)
        scene.store()
    for request in Request.objects.all():
        Request.objects.filter(pk=request.pk).update(message_id=f"msg {request.pk}")


def test_a_planted_factor_is_recovered_and_kept(file: Path) -> None:
    planted(1.37)
    assert "1 factor is kept in" in run("--write")
    kept = factors.load(file)
    assert kept is not None
    assert [(each.family, each.content, each.percent) for each in kept.factors] == [("claude-4.7", "text", 137)]
    assert (kept.factors[0].observations, kept.factors[0].runs) == (60, 3)


def test_without_write_nothing_is_kept(file: Path) -> None:
    planted(1.37)
    assert "May be used" in run()
    assert not file.exists()


def test_too_few_observations_keep_nothing_and_say_so(file: Path) -> None:
    planted(1.37, steps=10)
    assert "fewer than 50 observations" in run("--write")
    kept = factors.load(file)
    assert kept is not None
    assert kept.factors == ()


def test_a_fit_to_another_store_does_not_outlive_a_new_fit(file: Path) -> None:
    planted(1.37)
    run("--write")
    Request.objects.all().delete()
    run("--write")
    kept = factors.load(file)
    assert kept is not None
    assert kept.factors == ()


def test_json_has_each_family_with_its_errors() -> None:
    planted(1.37)
    told: dict[str, Any] = json.loads(run("--json"))
    claude = next(each for each in told["families"] if each["family"] == "claude-4.7")
    assert (claude["observations"], claude["runs"], claude["better"]) == (60, 3, True)
    assert claude["trial"]["held_out"]["median"] < 0.01 < claude["built_in"]["median"]
    assert told["kept"] is None


def test_an_empty_store_has_no_observations() -> None:
    assert run().count("no observations") == 3


def test_no_runs_to_look_at_is_refused() -> None:
    with pytest.raises(CommandError, match="at least 1"):
        run("--runs", "0")


def test_a_file_that_cannot_be_written_is_a_clear_error(file: Path) -> None:
    file.mkdir()
    with pytest.raises(CommandError, match="cannot be kept"):
        run("--write")
