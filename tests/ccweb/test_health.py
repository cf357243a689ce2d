from __future__ import annotations

import pytest
from django.db import OperationalError, connection
from django.test import Client


def test_it_is_well_while_the_database_answers(client: Client, db: None) -> None:
    assert client.get("/healthz").status_code == 200


def test_it_says_when_the_database_does_not_answer(client: Client, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise OperationalError

    with monkeypatch.context() as patch:
        patch.setattr(connection, "cursor", refuse)
        answer = client.get("/healthz")

    assert answer.status_code == 503
