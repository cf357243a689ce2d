from __future__ import annotations

import psycopg
import redis
from django.db import connection

from tests import settings


def test_postgresql_answers(postgresql: str) -> None:
    with psycopg.connect(f"{postgresql}/postgres".replace("postgres://", "postgresql://")) as session:
        assert session.execute("SELECT 1").fetchone() == (1,)


def test_redis_answers(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.ping()


def test_the_tests_run_on_the_database_that_this_run_is_about(db: None) -> None:
    assert connection.vendor == ("postgresql" if settings.ON_POSTGRESQL else "sqlite")
