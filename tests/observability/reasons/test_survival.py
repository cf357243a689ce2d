"""What a break left readable, told from the size of the read."""

from __future__ import annotations

import pytest

from observability.enums import Survived
from observability.reasons.facts import Facts, Sent
from observability.reasons.survival import survived

EARLIER = (Sent(ordinal=1, write_5m=10_000), Sent(ordinal=2, read=10_000, write_5m=5_000), Sent(ordinal=3, read=15_000))


@pytest.mark.parametrize(
    ("read", "part", "exact"),
    [
        (0, Survived.NOTHING, True),
        (4_000, Survived.SYSTEM, True),
        (4_100, Survived.SYSTEM, False),
        (10_000, Survived.TAIL, True),
        (15_500, Survived.TAIL, False),
        (7_000, Survived.PART, False),
    ],
)
def test_the_size_of_the_read_tells_where_it_ended(read: int, part: Survived, exact: bool) -> None:
    now = Sent(ordinal=4, read=read, write_5m=9_000)
    rest = survived(Facts(now=now, before=EARLIER[-1], earlier=EARLIER, ends=(4_000,)))
    assert (rest.part, rest.exact) == (part, exact)


def test_the_prefix_stood_where_the_read_ends_at_a_known_place_behind_it() -> None:
    now = Sent(ordinal=4, read=10_000)
    assert survived(Facts(now=now, before=EARLIER[-1], earlier=EARLIER)).prefix_stood
