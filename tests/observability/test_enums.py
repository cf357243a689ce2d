from __future__ import annotations

from harness import usage
from observability.enums import Flag


def test_every_flag_but_that_of_given_buckets_has_words() -> None:
    flags = {usage.CLAMPED, usage.ASSUMED_5M, usage.UNSPLIT, usage.DIFFERING}
    assert {flag.value for flag in Flag if flag.sentence} == flags


def test_a_word_that_only_looks_like_a_flag_is_none() -> None:
    assert Flag.among("given_buckets clampedish") == []
