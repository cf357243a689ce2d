"""The factors that were fitted to this store, taken over when a process starts."""

from __future__ import annotations

import logging
from pathlib import Path

from harness import factors, tokens
from harness.errors import FactorsError

logger = logging.getLogger(__name__)


def take_over(file: Path) -> None:
    """Count with what the file keeps. Without it, or where it cannot be read, the built-in factors stay."""
    try:
        kept = factors.load(file)
    except FactorsError as error:
        logger.error("%s The built-in factors apply.", error)
        return
    if kept is not None:
        tokens.adopt(kept.table())
