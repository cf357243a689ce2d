from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from explorer.queries.comparison import Comparison, compare
from explorer.queries.sent import Sent


def a_piece(kind: str, label: str, text: str, tokens: int = 10, *, known: bool = True, joining: bool = False) -> Sent:
    return Sent((kind, text), kind, label, "", tokens, text, known, joining)


pieces = st.builds(
    a_piece,
    st.sampled_from(["builtin_tool", "system", "index", "user", "tool_result"]),
    st.sampled_from(["", "a", "b"]),
    st.sampled_from("abcdefgh"),
    st.integers(0, 500),
    known=st.booleans(),
    joining=st.booleans(),
)
requests = st.lists(pieces, max_size=30)


def keys(some: list[Sent]) -> Counter[tuple[object, ...]]:
    return Counter(piece.key for piece in some)


@given(requests)
def test_a_request_is_the_same_as_itself(now: list[Sent]) -> None:
    found = compare(now, now)
    assert found.same == now
    assert not [*found.added, *found.removed, *found.replaced]
    assert found.whole
    assert found.change == 0


@given(requests, requests)
def test_what_is_new_and_what_is_common_make_the_request(now: list[Sent], other: list[Sent]) -> None:
    found = compare(now, other)
    assert keys(found.common) + keys(found.added) + keys([new for _, new in found.replaced]) == keys(now)


@given(requests, requests)
def test_what_is_gone_and_what_is_common_make_the_other_one(now: list[Sent], other: list[Sent]) -> None:
    found = compare(now, other)
    assert keys(found.common) + keys(found.removed) + keys([old for old, _ in found.replaced]) == keys(other)


@given(requests, requests)
def test_the_sums_of_the_changes_are_the_growth(now: list[Sent], other: list[Sent]) -> None:
    sized = [piece._replace(tokens=len(str(piece.key))) for piece in now]
    others = [piece._replace(tokens=len(str(piece.key))) for piece in other]
    grown = sum(piece.tokens for piece in sized) - sum(piece.tokens for piece in others)
    assert compare(sized, others).change == grown


@given(requests, requests)
def test_the_same_pieces_are_a_prefix_of_both(now: list[Sent], other: list[Sent]) -> None:
    now, other = ([piece._replace(joining=False) for piece in some] for some in (now, other))
    found = compare(now, other)
    count = len(found.same)
    assert found.same == now[:count]
    assert [piece.key for piece in other[:count]] == [piece.key for piece in found.same]
    assert found.differs == (now[count] if count < len(now) else None)
    assert found.differs is None or found.instead is None or found.differs.key != found.instead.key


@given(requests, requests)
def test_looking_back_swaps_added_and_removed(now: list[Sent], other: list[Sent]) -> None:
    there, back = compare(now, other), compare(other, now)
    assert len(there.same) == len(back.same)
    assert len(there.replaced) == len(back.replaced)
    assert len(there.added) == len(back.removed)


def step(now: list[Sent], other: list[Sent]) -> Comparison:
    return compare(now, other)


def test_a_new_text_under_a_name_replaces_the_old_one() -> None:
    old, new = a_piece("context_file", "NOTES.md", "old"), a_piece("context_file", "NOTES.md", "new")
    found = step([new], [old])
    assert found.replaced == [(old, new)]
    assert not found.added


def test_messages_have_no_name_to_replace() -> None:
    found = step([a_piece("user", "", "new")], [a_piece("user", "", "old")])
    assert (len(found.added), len(found.removed), len(found.replaced)) == (1, 1, 0)


def test_an_index_that_was_appended_does_not_break_the_prefix() -> None:
    first, hello = a_piece("index", "", "first", joining=True), a_piece("user", "", "hello")
    late = a_piece("index", "", "late", joining=True)
    found = step([first, late, hello], [first, hello])
    assert found.same == [first, hello]
    assert found.whole


def test_a_piece_without_text_is_the_same_but_not_known() -> None:
    hidden = a_piece("thinking", "", "hidden", known=False)
    assert step([hidden], [hidden]).unknown == [hidden]
