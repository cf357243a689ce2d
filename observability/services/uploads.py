"""Files that a person sends to be imported: kept in the data folder under a name of our own."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

FOLDER: Final = "uploads"


def keep_uploads(*, files: Iterable[UploadedFile[Any]]) -> list[str]:
    """Write files to disk; their paths. The sender's names are used for nothing."""
    return [str(_keep(file)) for file in files]


def _keep(file: UploadedFile[Any]) -> Path:
    folder = Path(settings.DATA_DIR) / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{secrets.token_hex(8)}.jsonl"
    with path.open("xb") as kept:
        for chunk in file.chunks():
            kept.write(chunk)
    return path
