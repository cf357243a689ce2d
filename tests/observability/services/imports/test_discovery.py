from __future__ import annotations

import os
from pathlib import Path

from observability.services.imports import discovery


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log.jsonl")
    (found,) = discovery.find([tmp_path])

    assert found.error == "not a regular file"
