"""Random conversations, from run-log events to the account of every request.

What stood in a request is worked out a second time here, from the events themselves and as plainly as
`docs/run-log.md` says it, and compared.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, get_args

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.queries.composition import Composition
from harness import tokens
from harness.runlog import AnyEvent, ContextAppended, ContextRewritten, Item, ItemKind, RequestFinished, Trigger
from tests.explorer.scene import Scene

pytestmark = pytest.mark.django_db
NAMES: Final = ("Read", "Fetch", "mcp__docs__list", "mcp__docs__read", "mcp__tickets__close")
PREFIX: Final = ("system", "tool_definition", "index", "context_file", "skill_listing", "startup")
LATE: Final = ("system", "tool_definition")
DATA: Final = base64.b64encode(bytes(range(256)) * 400).decode()
FLAT: Final = tokens.media(len(DATA) * 3 // 4).tokens
READ: Final[tuple[dict[str, str], ...]] = (
    {},
    {"kind": "index"},
    {"kind": "tool_result", "q": "lorem"},
    {"item": "tool:Read"},
)
Step = Callable[[Scene], object]

names = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)
words = st.text(max_size=40) | st.sampled_from(["", "one two three", "\ud800", "\x00", "lorem ipsum " * 50])
written = st.builds(
    Item,
    kind=st.sampled_from([kind for kind in get_args(ItemKind) if kind != "media"]),
    text=st.none() | words,
    chars=st.integers(1, 900),
    label=st.none() | st.sampled_from(NAMES),
    tokens=st.none() | st.integers(0, 5_000),
    hidden_chars=st.integers(0, 9),
)
pictures = st.builds(Item, kind=st.just("media"), text=st.just(DATA), media_bytes=st.just(len(DATA) * 3 // 4))
appended = st.lists(written | pictures, min_size=1, max_size=3)
ended = st.lists(st.sampled_from(get_args(ItemKind)), max_size=3)
steps: st.SearchStrategy[Step] = st.one_of(
    appended.map(lambda items: lambda scene: scene.items(*items)),
    st.tuples(appended, ended).map(lambda both: lambda scene: scene.items(*both[0], replaces=both[1])),
    ended.map(lambda kinds: lambda scene: scene.ends(*kinds)),
    names.map(lambda found: lambda scene: scene.resident(*found, words=3)),
    names.map(lambda found: lambda scene: scene.deferred(*found)),
    names.map(lambda found: lambda scene: scene.deferred(*found, index=False)),
    names.map(lambda found: lambda scene: scene.record(*found, words=3)),
    names.map(lambda found: lambda scene: scene.removed(*found)),
    names.map(lambda found: lambda scene: scene.search("something", *found)),
    st.tuples(names, st.sampled_from(get_args(Trigger))).map(
        lambda both: lambda scene: scene.activate(*both[0], trigger=both[1])
    ),
    st.tuples(st.sampled_from(["compaction", "trim", "clear", "edit"]), st.none() | st.just([]) | names).map(
        lambda both: lambda scene: scene.rewrite("In short.", both[1], kind=both[0])
    ),
    st.tuples(st.sampled_from(NAMES), words).map(lambda both: lambda scene: scene.call(both[0], "{}", both[1])),
    st.integers(0, 90_000).map(lambda total: lambda scene: scene.ask(total)),
)


@settings(max_examples=120, deadline=None)
@given(st.lists(steps, min_size=3, max_size=25))
def test_every_item_and_every_schema_of_every_request_counts_once(taken: list[Step]) -> None:
    with transaction.atomic():
        scene = _told(taken).store()
        for ordinal in range(1, scene.asked + 1):
            now = scene.compose(ordinal)
            _adds_up(now)
            _is_drawn_as_it_is_counted(now)
            assert Counter((item.kind, item.chars) for item in now.standing.items) == _standing(scene.events, ordinal)
        transaction.set_rollback(True)


@settings(max_examples=30, deadline=None)
@given(st.lists(steps, min_size=3, max_size=25))
def test_no_conversation_is_too_odd_for_its_page(taken: list[Step]) -> None:
    with transaction.atomic():
        scene = _told(taken).store()
        for ordinal in range(1, scene.asked + 1):
            for query in READ:
                page = Client().get("/conversations/talk/context/", {"request": ordinal, **query})
                assert page.status_code == 200
        transaction.set_rollback(True)


def _told(taken: Sequence[Step]) -> Scene:
    scene = Scene()
    for step in taken:
        step(scene)
    return scene.ask(20_000)


def _adds_up(now: Composition) -> None:
    account = now.account
    counted = sum(each.count.tokens for each in account.categories)
    assert account.total is None or counted + (account.residual or 0) == account.total == now.request.context_tokens
    assert all(sum(row.count.tokens for row in each.rows) == each.count.tokens for each in account.categories)
    assert (account.excess is None) == (account.total is None or counted <= account.total)


def _is_drawn_as_it_is_counted(now: Composition) -> None:
    """Each item and each schema is one part, or none where it is a record of a schema that is counted already."""
    sent = {each.tool.name for each in now.of("resident", "loaded")}
    assert Counter(part.label for part in now.parts if part.ref.startswith("tool:")) == Counter(sent)
    records = {item.id for item in now.standing.items if item.kind == "tool_definition" and item.label in sent}
    items = {item.id for item in now.standing.items}
    assert Counter(part.item for part in now.parts if part.item) == Counter(items - records)
    assert all(part.tokens == FLAT for part in now.parts if part.kind == "media")
    # A part is rounded by itself, and its row of the account as a whole.
    assert abs(sum(part.tokens for part in now.parts) - now.account.parts.tokens) <= len(now.parts)


def _standing(events: Sequence[AnyEvent], ordinal: int) -> Counter[tuple[str, int]]:
    """The kinds and sizes of the items that the request of this number was sent with."""
    at = [each.seq or 0 for each in events if isinstance(each, RequestFinished)][ordinal - 1]
    found: dict[str, list[Item]] = {}
    for event in events:
        if isinstance(event, ContextRewritten) and event.kind in ("compaction", "clear") and (event.seq or 0) < at:
            found = {kind: items for kind, items in found.items() if kind in PREFIX}
        if isinstance(event, ContextAppended):
            _append(found, event, late=(event.seq or 0) >= at)
    return Counter((item.kind, _chars(item)) for items in found.values() for item in items)


def _append(found: dict[str, list[Item]], event: ContextAppended, *, late: bool) -> None:
    """Add what an event says; one that comes after the request holds only for what nothing said before."""
    told: dict[str, list[Item]] = {kind: [] for kind in event.replaces}
    for item in event.items:
        told.setdefault(item.kind, []).append(item)
    for kind, items in told.items():
        replaces = kind in event.replaces
        if not late:
            found[kind] = items if replaces else [*found.get(kind, []), *items]
        elif kind not in found and kind in PREFIX and (replaces or kind in LATE):
            found[kind] = items


def _chars(item: Item) -> int:
    return item.chars if item.text is None else len(item.text)
