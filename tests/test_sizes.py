from __future__ import annotations

from pathlib import Path

from tests import sizes


def test_a_function_over_its_budget_is_named(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(sizes, "ROOT", tmp_path)
    (tmp_path / "long.py").write_text("def endless():\n" + "    pass\n" * 61 + "def brief():\n    pass\n")

    assert "long.py:1 endless has 62 lines" in sizes.complaints([tmp_path / "long.py"])
