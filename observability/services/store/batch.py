"""A batch: events gathered into drafts and rows, before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec
from django.conf import settings

from harness.runlog import (
    AnyEvent,
    ContextAppended,
    ContextRewritten,
    Event,
    Item,
    RequestFinished,
    RunFinished,
    RunStarted,
    SurfaceChanged,
    SurfaceDeclared,
    Tool,
    ToolActivated,
    ToolCalled,
    ToolSearched,
)
from harness.usage import merge_raw
from observability import identity
from observability.services.store import cleaning, projects
from observability.services.store.bulk import Row, db_time, rank
from observability.services.store.drafts import (
    CallDraft,
    ConversationDraft,
    DefinitionDraft,
    RequestDraft,
    RunDraft,
    SearchDraft,
    earliest,
    first_known,
    latest,
)

SEQ_BITS = 21
ItemPlace = tuple[int, int, int]
"""Run, key and variant of an item."""
Telling = tuple[int, str, str]
"""Run, tool and time of a loading that the log tells of (its `seq` where it has no time): equal in every copy."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class NewItem(NamedTuple):
    """An item of the batch: its run and row, the event that tells of it and the file of that (0: none)."""

    run: RunDraft
    row: Row
    event: str
    file: int

    @property
    def seq(self) -> int:
        """Its place in the order."""
        return int(self.row[3])


class Batch:
    """Events of one source, merged. `project` names the project of events that name none themselves."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.conversations: dict[str, ConversationDraft] = {}
        self.runs: dict[tuple[str, str], RunDraft] = {}
        self.requests: dict[int, RequestDraft] = {}
        self.calls: dict[tuple[int, int], CallDraft] = {}
        self.searches: dict[tuple[int, int], SearchDraft] = {}
        self.new_searches: set[tuple[int, int]] = set()
        """Searches that were not stored before; known once the batch is written."""
        self.calls_before: dict[tuple[int, int], tuple[str, datetime | None, bool | None]] = {}
        """Of calls that were stored before: tool, time and whether it ended well, as they were."""
        self.loads_from: dict[int, int] = {}
        """Run → the first place where what follows from its searches and calls loads other tools than before."""
        self.items: dict[ItemPlace, NewItem] = {}
        self.variants: dict[tuple[int, int], int] = {}
        self.repeats: list[NewItem] = []
        """Items whose id was used before for other content."""
        self.origin = 0
        """The file that events come from."""
        self.surface: dict[tuple[int, int], tuple[RunDraft, Row]] = {}
        self.rewrites: dict[tuple[int, int], tuple[RunDraft, Row]] = {}
        self.servers: dict[tuple[int, int], tuple[RunDraft, Row]] = {}
        self.activations: dict[Telling, tuple[RunDraft, Row]] = {}
        self.definitions: dict[tuple[int, bytes], DefinitionDraft] = {}
        self.texts: dict[bytes, str] = {}
        self.item_lines: list[ItemPlace] = []
        """Of each event with items, the key of its first: tells how many lines were there already."""
        self.again = 0
        """Events with items that this very batch holds twice."""
        self.events = 0
        self.size = 0
        """Characters of new text: a measure of the memory held."""

    def add_all(self, events: Iterable[AnyEvent], *, origin: int = 0) -> None:
        """Take events, of the file `origin` where they come from one."""
        self.origin = origin
        handlers = self._HANDLERS
        for event in events:
            self.events += 1
            run = self._run(event)
            seq = event.seq
            if seq is None:
                seq = int(((event.at or EPOCH) - EPOCH).total_seconds() * 1000) << SEQ_BITS
            handlers[type(event)](self, event, run, seq)

    def conversation(self, uid: str) -> ConversationDraft:
        """The draft of a conversation."""
        draft = self.conversations.get(uid)
        if draft is None:
            name = cleaning.name(uid)
            draft = ConversationDraft(id=identity.conversation_id(name), uid=name, source=self.source)
            self.conversations[uid] = draft
        return draft

    def _run(self, event: Event) -> RunDraft:
        draft = self.runs.get((event.conversation, event.run))
        if draft is None:
            conversation = self.conversation(event.conversation)
            name = cleaning.name(event.run)
            draft = RunDraft(id=identity.run_id(conversation.uid, name), uid=name, conversation=conversation)
            self.runs[(event.conversation, event.run)] = draft
        if event.at is not None and event.at is not draft.newest:
            draft.newest = event.at
            draft.first, draft.last = earliest(draft.first, event.at), latest(draft.last, event.at)
        if event.project:
            given = cleaning.name(event.project)
            draft.conversation.project = projects.shorter(draft.conversation.project, given)
        return draft

    def _run_started(self, event: RunStarted, run: RunDraft, seq: int) -> None:
        if not event.title_rank and settings.STORE_TEXT == "none":
            event = msgspec.structs.replace(event, title=None)  # a title of no rank is what was asked
        run.told(event)
        run.conversation.told(event)

    def _run_finished(self, event: RunFinished, run: RunDraft, seq: int) -> None:
        run.outcome = max(run.outcome, event.outcome, key=("unknown", "cancelled", "failed", "completed").index)
        if event.totals is not None:
            run.totals = merge_raw(run.totals, cleaning.keys(event.totals))

    def _request(self, event: RequestFinished, run: RunDraft, seq: int) -> None:
        row_id = identity.request_id(event.request)
        draft = self.requests.get(row_id)
        if draft is None:
            draft = self.requests[row_id] = RequestDraft(row_id)
        draft.told(event)
        draft.named(event)
        draft.saw(run, event.at, seq)
        if event.markers:
            draft.markers = first_known(draft.markers, identity.canonical_json(event.markers))

    def _appended(self, event: ContextAppended, run: RunDraft, seq: int) -> None:
        items = _all_items(event)
        if not items:
            return
        at = db_time(event.at)
        first = None
        for idx, item in enumerate(items):
            address = self._text(item.text if item.kind != "media" else None)
            key = identity.key(event.id, str(idx))
            variant = int.from_bytes(address[:8], "big") >> 1 if address else item.chars
            place = (run.id, key, variant)
            first = first or place
            held = self.items.get(place)
            if held is None or held.seq > seq:
                row = _item_row(item, (key, variant, at, seq, idx), address, event)
                self.items[place] = new = NewItem(run, row, event.id, self.origin)
                if self.variants.setdefault(place[:2], variant) != variant:
                    self.repeats.append(new)
            elif idx == 0:
                self.again += 1
        if first is not None:
            self.item_lines.append(first)

    def _text(self, text: str | None) -> bytes | None:
        if text is None:
            return None
        address = identity.text_hash(text)
        if address not in self.texts:
            self.texts[address] = text
            self.size += len(text)
        return address

    def _rewritten(self, event: ContextRewritten, run: RunDraft, seq: int) -> None:
        kept = (
            None if event.kept_tools is None else identity.canonical_json([cleaning.name(n) for n in event.kept_tools])
        )
        says = (event.kind, cleaning.text(event.trigger, 100), event.tokens_before, event.tokens_after, kept)
        key = identity.key(event.id, *map(str, says))
        row = (key, db_time(event.at), seq, *says)
        _keep(self.rewrites, (run.id, key), run, row)

    def _declared(self, event: SurfaceDeclared, run: RunDraft, seq: int) -> None:
        if event.complete:
            for state in event.states:
                self._entry(event, run, seq, Tool(name="", state=state))
        for tool in event.tools:
            self._entry(event, run, seq, tool)

    def _changed(self, event: SurfaceChanged, run: RunDraft, seq: int) -> None:
        for tool in event.tools:
            self._entry(event, run, seq, tool)
        for name in event.pending_servers:
            self._server(event, run, seq, (name, "pending", "", ""))
        for name in event.needs_auth_servers:
            self._server(event, run, seq, (name, "needs_auth", "", ""))
        for failure in event.failed_servers:
            error = cleaning.text(failure.error, 500)
            self._server(event, run, seq, (failure.name, "failed", cleaning.text(failure.code, 100), error))

    def _entry(self, event: Event, run: RunDraft, seq: int, tool: Tool) -> None:
        name = cleaning.name(tool.name)
        address = self._definition(tool, run, name, event) if tool.definition is not None else None
        group, server = cleaning.text(tool.group, 200), cleaning.text(tool.server, 200)
        texts = (group, server, cleaning.text(tool.reason, 300), cleaning.text(tool.listing, 1000))
        key = identity.key(event.id, name, tool.state, address.hex() if address else "", *texts)
        _keep(self.surface, (run.id, key), run, (key, db_time(event.at), seq, name, tool.state, address, *texts))

    def _definition(self, tool: Tool, run: RunDraft, name: str, event: Event) -> bytes:
        text = identity.canonical_json(tool.definition)
        address = self._text(text)
        assert address is not None  # noqa: S101 - a text always has an address
        draft = DefinitionDraft(run.conversation, address, name, cleaning.text(tool.server, 200), len(text), event.at)
        held = self.definitions.setdefault((run.conversation.id, address), draft)
        held.first, held.server = earliest(held.first, event.at), max(held.server, draft.server)
        return address

    def _server(self, event: Event, run: RunDraft, seq: int, said: tuple[str, str, str, str]) -> None:
        name = cleaning.name(said[0])
        key = identity.key(event.id, name, *said[1:])
        _keep(self.servers, (run.id, key), run, (key, db_time(event.at), seq, name, *said[1:]))

    def _searched(self, event: ToolSearched, run: RunDraft, seq: int) -> None:
        place = (run.id, identity.call_key(event.call))
        draft = self.searches.get(place)
        if draft is None:
            draft = self.searches[place] = SearchDraft(run, cleaning.name(event.call))
        draft.told(event, seq)

    def _activated(self, event: ToolActivated, run: RunDraft, seq: int) -> None:
        search = identity.call_key(event.search) if event.search else None
        for name in map(cleaning.name, event.names):
            row = (name, event.trigger, search, db_time(event.at), seq, False)
            place = (run.id, name, str(event.at or seq))
            held = self.activations.get(place)
            if held is None or telling(row) < telling(held[1]):
                self.activations[place] = (run, row)

    def _called(self, event: ToolCalled, run: RunDraft, seq: int) -> None:
        place = (run.id, identity.call_key(event.call))
        draft = self.calls.get(place)
        if draft is None:
            draft = self.calls[place] = CallDraft(run, cleaning.name(event.call))
        draft.told(event, seq, identity.request_id(event.request) if event.request else None)

    _HANDLERS: dict[type[Event], Callable[..., None]] = {
        RunStarted: _run_started,
        RunFinished: _run_finished,
        RequestFinished: _request,
        ContextAppended: _appended,
        ContextRewritten: _rewritten,
        SurfaceDeclared: _declared,
        SurfaceChanged: _changed,
        ToolSearched: _searched,
        ToolActivated: _activated,
        ToolCalled: _called,
    }


def telling(row: Row) -> tuple[int, str, int]:
    """Orders rows of activations that tell of one loading: the least is kept."""
    return row[4], row[1], row[2] or 0


def _keep(rows: dict[Any, tuple[RunDraft, Row]], name: Any, run: RunDraft, row: Row) -> None:
    """Keep a row; of two of one name the one with the smaller `seq`, then the earlier (`writing.EARLIEST`).

    A name holds all that its event says, so that two can differ in nothing else.
    """
    held = rows.get(name)
    if held is None or rank(row[2], row[1]) < rank(held[1][2], held[1][1]):
        rows[name] = (run, row)


def _all_items(event: ContextAppended) -> list[Item]:
    """The items of an event, and one with nothing in it for each kind that it ends without beginning it anew."""
    kinds = {item.kind for item in event.items}
    return [*event.items, *(Item(kind=kind) for kind in dict.fromkeys(event.replaces) if kind not in kinds)]


def _item_row(item: Item, place: Row, address: bytes | None, event: ContextAppended) -> Row:
    return (
        *place,
        item.kind,
        cleaning.text(item.label, 300),
        cleaning.text(item.owner, 300),
        address,
        item.chars if item.text is None else len(item.text),
        item.hidden_chars,
        item.media_bytes,
        item.tokens,
        identity.call_key(item.call) if item.call else None,
        identity.request_id(item.request) if item.request else None,
        item.kind in event.replaces,
    )
