"""What the explorer shows of a run of the harness is what its provider received, byte for byte."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from explorer.page import ContextPage, context_page
from explorer.queries.moment import moment
from explorer.queries.reading import reading
from harness import wire
from harness.accounting import Account, account_of
from harness.accounting.bodies import pieces_of
from harness.loop.settings import Limits
from harness.providers.script import Call
from harness.request import STRATEGIES, Request
from harness.request.strategies import BRIDGED, told
from observability.figures import number, signed
from observability.models import Request as Row
from tests.explorer.test_scripted_runs import EAGER, STORY, imported
from tests.scripted import END, SERVERS, Played, search, turn

pytestmark = pytest.mark.django_db
Block = Mapping[str, Any]


def _pages(sent: list[Request], run: str = "talk") -> Iterator[tuple[ContextPage, Request]]:
    """The page of each request of a run, and the request as the provider received it."""
    for row, request in zip(Row.objects.filter(run__uid=run).order_by("ordinal"), sent, strict=True):
        at = moment(row.conversation.uid, run_uid=run, ordinal=row.ordinal)
        assert at is not None
        yield context_page(at), request


def _text(page: ContextPage, ref: str) -> str | None:
    """What opening it shows, whole."""
    found = reading(page.at.run, page.now, ref)
    assert found is not None and found.complete, ref
    return found.text


def _same(played: Played, run: str = "talk", sent: list[Request] | None = None) -> None:
    for page, request in _pages(played.requests if sent is None else sent, run):
        _same_tools(page, request)
        _same_texts(page, request)
        _same_markers(page, request)


# Tools ---------------------------------------------------------------------------


def _same_tools(page: ContextPage, request: Request) -> None:
    """Names in their order, and each definition's bytes as canonical JSON."""
    given = request.body.get("tools", [])
    residents = [tool["name"] for tool in given[: request.resident_count]]
    assert [each.tool.name for each in page.now.of("resident")] == residents
    assert [each.tool.name for each in page.now.of("loaded")] == sorted(request.loaded, key=_order(page))
    for tool in given:
        assert _text(page, f"tool:{tool['name']}") == _definition(tool)


def _order(page: ContextPage) -> Any:
    return list(page.now.tools).index


def _definition(tool: Block) -> str:
    return wire.dumps(
        wire.canonical({key: tool[key] for key in tool if key not in ("cache_control", "defer_loading")})
    ).decode()


# Texts ---------------------------------------------------------------------------


def _same_texts(page: ContextPage, request: Request) -> None:
    """System blocks with the index, then every message's texts."""
    declared = {item.seq for item in page.now.standing.items if item.kind == "system"}
    # A run that is resumed declares its prefix anew, behind messages that were sent before.
    standing = sorted(page.now.standing.items, key=lambda item: item.seq not in declared)
    system = [block["text"] for block in request.body.get("system", [])]
    assert [_text(page, str(item.id)) for item in standing[: len(system)]] == system
    said = [text for message in request.body["messages"] for text in _texts(message)]
    assert [_text(page, str(item.id)) for item in standing[len(system) :]] == said


def _texts(message: Block) -> Iterator[str]:
    if said := told(message):
        yield said
        return
    for block in message["content"]:
        if block["type"] in ("text", "thinking"):
            yield block[block["type"]]
        elif block["type"] == "tool_use":
            yield wire.dumps(block["input"]).decode()
        elif block["type"] == "tool_result":
            yield _result(block["content"])


def _result(content: str | list[Block]) -> str:
    """A result by its texts and the names that it refers to; definitions in it stand with the tools."""
    if isinstance(content, str):
        return content
    parts = [each.get("tool_name") or each["text"] for each in content]
    return "\n".join(part for part in parts if part and not part.startswith(BRIDGED))


# Markers -------------------------------------------------------------------------


def _same_markers(page: ContextPage, request: Request) -> None:
    """Each marker of the body with its lifetime, in the order sent; those of the prefix at the tokens before them."""
    found = [block["cache_control"]["ttl"] for block in _blocks(request.body) if "cache_control" in block]
    assert [mark.lifetime for mark in page.plan.marks] == [{"1h": "1 h", "5m": "5 min"}[ttl] for ttl in found]
    assert [mark.place for mark in page.plan.marks] == [marker.place for marker in request.markers]
    own = {mark.place: mark.at for mark in page.plan.marks}
    for place, field in (("last resident tool", ()), ("last system block", ("system",))):
        if place in own and not request.loaded:
            assert own[place] == _before(request, *field)


def _blocks(body: Block) -> Iterator[Block]:
    yield from body.get("tools", [])
    yield from body.get("system", [])
    for message in body["messages"]:
        yield from message["content"]


def _before(request: Request, *fields: str) -> int:
    """The tokens of the residents, and of some other fields of a body."""
    body = {field: request.body[field] for field in fields}
    return _account({**body, "tools": request.body["tools"][: request.resident_count]}, None).parts.tokens


def _account(body: Block, total: int | None, residents: int | None = None) -> Account:
    return account_of(
        pieces_of(body, servers=SERVERS, residents=residents), total=total, model=Row.objects.all()[0].model
    )


# Runs ----------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_tools_texts_and_markers_are_those_that_were_sent(tmp_path: Path, strategy: Any) -> None:
    _same(imported(tmp_path, *STORY, strategy=strategy))


def test_so_they_are_without_deferral(tmp_path: Path) -> None:
    _same(imported(tmp_path, *STORY[1:], deferral=False))


def test_so_they_are_with_thinking(tmp_path: Path) -> None:
    _same(
        imported(tmp_path, turn("read", thinking="Which one?"), *STORY, parameters={"thinking": {"type": "adaptive"}})
    )


def test_so_they_are_for_a_provider_that_takes_no_markers(tmp_path: Path) -> None:
    _same(imported(tmp_path, *STORY, provider="openai", model="gpt-5.6", strategy="append"))


def test_so_they_are_after_a_trim(tmp_path: Path) -> None:
    _same(imported(tmp_path, *[turn("read")] * 20, model="claude-opus-5", trimming=EAGER, limits=Limits(trim_from=1)))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_so_they_are_around_a_compaction(tmp_path: Path, strategy: Any) -> None:
    turns = (STORY[0], turn(text="All of it."), STORY[1])
    _same(imported(tmp_path, *turns, strategy=strategy, limits=Limits(compact_from=1)))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_so_they_are_in_a_resumed_run(tmp_path: Path, strategy: Any) -> None:
    first = imported(tmp_path, *STORY, strategy=strategy)
    more = turn("send_mail"), turn(search("read the wiki"))
    second = imported(tmp_path, *more, strategy=strategy, before=first.events)
    _same(second, sent=[*first.requests, *second.requests])


def test_so_they_are_in_the_runs_of_sub_agents(tmp_path: Path) -> None:
    spawn = [Call(tool="spawn_agent", arguments={"task": f"Look at {name}.", "profile": "explore"}) for name in "ab"]
    played = imported(tmp_path, turn(*spawn), agents={"*": (turn(search("read the wiki")), turn("get_page"), END)})
    for run, own in {"talk": "ticket 7", "talk.1": "Look at a.", "talk.2": "Look at b."}.items():
        sent = [each for each in played.requests if own in each.body["messages"][0]["content"][-1]["text"]]
        _same(played, run, sent)


# The rendered page ---------------------------------------------------------------

ROW = re.compile(r'<tr id="part-(\w+)"><th scope="row">.*?</th><td class="n">([^<]*)', re.DOTALL)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_figures_on_the_page_are_the_harness_s_own_account(tmp_path: Path, client: Client, strategy: Any) -> None:
    sent = imported(tmp_path, *STORY, strategy=strategy).requests
    for row, request in zip(Row.objects.order_by("ordinal"), sent, strict=True):
        own = _account(request.body, row.context_tokens, request.resident_count)
        address = f"/conversations/{row.conversation.uid}/context/"
        shown = dict(ROW.findall(client.get(address, {"request": row.ordinal}).content.decode()))
        assert unescape(shown.pop("residual")) == signed(own.residual)
        assert shown == {each.shape.kind: number(each.count.tokens) for each in own.categories}
