from __future__ import annotations

import pytest

from harness.errors import Faulty, NotAdmitted, Overloaded, Refused
from harness.providers.faults import Retrying, fault_of, waiting_time


def test_each_wait_is_about_twice_the_one_before() -> None:
    waits = [Retrying(first=1).wait(Overloaded("busy"), tried) for tried in (1, 2, 3)]
    assert all(
        wait is not None and 0.75 * due <= wait <= 1.25 * due for wait, due in zip(waits, (1, 2, 4), strict=True)
    )


def test_after_the_last_try_there_is_no_wait() -> None:
    assert Retrying(tries=3).wait(Overloaded("busy"), 3) is None


def test_what_never_gets_better_is_not_tried_again() -> None:
    assert Retrying().wait(Refused("too long"), 1) is None


def test_the_wait_that_the_provider_asks_for_is_kept() -> None:
    assert Retrying().wait(Overloaded("busy", wait=7), 1) == 7


def test_a_run_does_not_wait_longer_than_its_longest() -> None:
    assert Retrying(longest=60).wait(Overloaded("busy", wait=3600), 1) is None


@pytest.mark.parametrize(
    ("status", "kind", "raised"),
    [
        (429, None, Overloaded),
        (529, "overloaded_error", Overloaded),
        (500, None, Faulty),
        (400, "insufficient_quota", NotAdmitted),
        (422, None, Refused),
        (None, "overloaded_error", Overloaded),
        (None, None, Faulty),
    ],
)
def test_the_type_tells_more_than_the_status(status: int | None, kind: str | None, raised: type[Exception]) -> None:
    assert type(fault_of(status=status, kind=kind, message="why")) is raised


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_a_header_names_the_wait_in_several_ways(headers: dict[str, str], seconds: float | None) -> None:
    assert waiting_time(headers) == seconds
