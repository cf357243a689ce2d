"""Fixtures for tests of what writes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from observability import models


@pytest.fixture
def db_reset(db: None) -> Callable[[], None]:
    """A function that empties the store."""

    def empty() -> None:
        for name in models.__all__:
            getattr(models, name).objects.all().delete()

    return empty
