"""What docs/harness.md shows can be done as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.__main__ import main
from harness.providers import PROVIDERS
from harness.request import STRATEGIES

PAGE = (Path(__file__).parents[2] / "docs" / "harness.md").read_text()


def test_the_first_run_goes_as_the_page_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```yaml\n(.*?)```", PAGE, re.S)
    assert found is not None
    (tmp_path / "turns.yaml").write_text(found[1])
    words = ["run", "Write a note", "--script", str(tmp_path / "turns.yaml"), "--yes", "--folder", str(tmp_path)]
    assert main([*words, "--log", str(tmp_path / "run.ndjson")]) == 0
    assert capsys.readouterr().out.splitlines()[0].removeprefix("· ") in PAGE.replace("\n", " ")
    assert (tmp_path / "notes.txt").read_text() == "hello\n"


def test_it_names_every_strategy_and_provider() -> None:
    assert [name for name in (*STRATEGIES, *PROVIDERS) if f"| `{name}` |" not in PAGE] == []


def test_its_links_into_other_pages_lead_to_a_heading() -> None:
    for page, heading in re.findall(r"\]\(([\w.-]+\.md)#([\w-]+)\)", PAGE):
        text = (Path(__file__).parents[2] / "docs" / page).read_text()
        titles = [
            re.sub(r"[^\w -]", "", line).strip().lower().replace(" ", "-")
            for line in text.splitlines()
            if line[:1] == "#"
        ]
        assert heading in titles
