from __future__ import annotations

import pytest

from explorer.queries.sent import Sent, sent_before, sent_of
from tests.explorer.scene import Scene, whole

pytestmark = pytest.mark.django_db


def before(scene: Scene, ordinal: int) -> tuple[list[Sent] | None, list[Sent]]:
    """An earlier request's pieces out of the last one's, and as they are read for themselves."""
    now, other = scene.compose(), scene.compose(ordinal)
    return sent_before(now, sent_of(now), other.request, other.tools), sent_of(other)


@pytest.mark.parametrize("ordinal", [1, 2])
def test_an_earlier_request_is_found_in_a_later_one_as_it_was(ordinal: int) -> None:
    found, read = before(whole().store(), ordinal)
    assert found == read


def test_so_are_names_without_an_index() -> None:
    scene = Scene().resident("Read").deferred("Fetch", "Mail", index=False).append("user", "Hello").ask(50)
    found, read = before(scene.append("user", "Go on").ask(60).store(), 1)
    assert found == read
    assert [piece.known for piece in read if piece.kind == "index"] == [False]


@pytest.mark.parametrize("kind", ["compaction", "clear"])
def test_after_a_rewrite_it_has_to_be_read(kind: str) -> None:
    scene = Scene().append("user", "Hello").ask(50).rewrite("So far.", kind=kind).ask(60).store()
    assert before(scene, 1)[0] is None


def test_where_the_system_prompt_was_replaced_it_has_to_be_read() -> None:
    assert before(Scene().system("Old").ask(50).system("New").ask(60).store(), 1)[0] is None


def test_a_text_that_is_the_same_has_the_same_key_in_another_row() -> None:
    scene = Scene().append("user", "Hello").ask(50).rewrite("So far.", kind="compaction")
    scene.append("user", "Hello").ask(60).store()
    (old,), (_, new) = sent_of(scene.compose(1)), sent_of(scene.compose(2))
    assert old.ref != new.ref
    assert old.key == new.key


def test_a_piece_without_a_text_is_known_by_its_row_only() -> None:
    scene = Scene().append("thinking", None).append("thinking", None).ask(50).store()
    first, second = sent_of(scene.compose())
    assert first.key != second.key
    assert not first.known
