"""The six conversations of the demo."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Final

from harness.runlog import AnyEvent, ServerFailure, Tool
from observability.demo import catalogue, texts
from observability.demo.stage import Cache, Stage

NO_ANSWER: Final = ServerFailure(name="mailroom", code="CONNECT_TIMEOUT", error="no answer within 30 s")
EXPLORER_TOOLS: Final = ("read_file", "find_files", "search_files", "list_folder", "run_shell", "finish")


def demo_events(now: datetime) -> list[AnyEvent]:
    """All events of the demo, conversation by conversation, the latest of them a few minutes before `now`."""
    return [event for story in STORIES for event in story(now)]


def _stage(name: str, now: datetime, ago: timedelta, model: str, **more: object) -> Stage:
    uid = f"demo-{name}"
    begin = (now - ago).replace(microsecond=0)
    return Stage(conversation=uid, run=f"{uid}-main", now=begin, rng=Random(uid), model=model, **more)  # type: ignore[arg-type]  # noqa: S311 - the same demo each time


def _open(stage: Stage, title: str, ask: str, tools: list[Tool], *, deferral: bool = True) -> None:
    """The start of every conversation: surface, system prompt, files, index, and the user's first message."""
    stage.start(title, deferral=deferral)
    stage.declare(tools)
    stage.append("system", texts.SYSTEM, label="System prompt")
    if deferral:
        stage.append("index", catalogue.index(tools), label="Deferred tools")
    stage.append("context_file", texts.CONTEXT_FILE, label="AGENTS.md", owner="project")
    stage.append("skill_listing", texts.SKILLS, label="Skills", owner="project")
    commits = "\n".join(stage.rng.sample(texts.COMMITS, 4))
    stage.append("startup", texts.SESSION.format(branch="main", commits=commits), label="Start")
    stage.wait(1)
    stage.append("user", ask)


def _work(stage: Stage, turns: int) -> None:
    """Some turns of reading, searching, changing and running, as any agent does them."""
    for turn in range(turns):
        think = stage.rng.choice(texts.THOUGHTS) if turn % 4 == 0 else ""
        say = stage.rng.choice(texts.SAYS) if turn % 3 == 0 else ""
        stage.rng.choice(MOVES)(stage, say, think)
        stage.wait(stage.rng.randrange(2, 30))


def _read(stage: Stage, say: str, think: str) -> None:
    path = stage.rng.choice(texts.FILES)
    stage.call("read_file", texts.code(stage.rng, path, stage.rng.randrange(3, 12)), say=say, think=think, path=path)


def _search(stage: Stage, say: str, think: str) -> None:
    found = texts.matches(stage.rng, stage.rng.randrange(3, 24))
    stage.call("search_files", found, say=say, think=think, expression=r"total_of\(|\.cents", path="lantern")


def _edit(stage: Stage, say: str, think: str) -> None:
    path = stage.rng.choice(texts.FILES)
    old = texts.code(stage.rng, path, 1)
    stage.call("edit_file", f"{path} was changed.", say=say, think=think, path=path, old=old, new=old + "\n    #")


def _test(stage: Stage, say: str, think: str) -> None:
    failed = stage.rng.choice((0, 0, 0, 1, 2))
    printed = texts.test_output(stage.rng, stage.rng.randrange(20, 240), failed)
    stage.call("run_shell", printed, say=say, think=think, ok=not failed, command="make test PART=prices")


MOVES: Final = (_read, _read, _search, _edit, _test)


def _answer(stage: Stage, sentences: int, follow_up: str = "", *, after: float = 45) -> None:
    """The end of a user turn; with `follow_up`, the user's next message."""
    stage.ask(("assistant", texts.prose(stage.rng, sentences)))
    if follow_up:
        stage.wait(after)
        stage.append("user", follow_up)


def invoices(now: datetime) -> list[AnyEvent]:
    """A search that hits, and two deferred tools that are called directly."""
    stage = _stage("invoices", now, timedelta(minutes=26), "claude-opus-5-5")
    tools = catalogue.built_in() + catalogue.of_servers()
    _open(
        stage,
        "Totals of group bookings are a cent short",
        "Group bookings are a cent short since Monday; see LANT-412. Please find out why and fix it.",
        tools,
    )
    stage.search(
        "read a ticket",
        ["mcp__tracker__get_ticket", "mcp__tracker__search_tickets"],
        say="I will read the ticket first.",
    )
    ticket = "LANT-412: Total is a cent short\n\n" + texts.prose(stage.rng, 6)
    stage.call("mcp__tracker__get_ticket", ticket, key="LANT-412", comments=True)
    _work(stage, 22)
    stage.call(
        "mcp__metrics__run_query",
        texts.rows(stage.rng, 40),
        sql="SELECT house, day, cents FROM totals",
        database="orders",
    )
    stage.load(["mcp__metrics__run_query"], "direct_call")
    _work(stage, 8)
    _answer(stage, 5, texts.ASKS[2])
    _work(stage, 14)
    stage.call("mcp__tracker__comment_ticket", "Comment 3 was added.", key="LANT-412", body=texts.prose(stage.rng, 3))
    stage.load(["mcp__tracker__comment_ticket"], "direct_call")
    _answer(stage, 4)
    stage.finish()
    return stage.events


def mail_provider(now: datetime) -> list[AnyEvent]:
    """A server that failed, a search that misses because of it, and a cache lost when its tools came after all."""
    stage = _stage("mail-provider", now, timedelta(hours=5), "claude-opus-5-5")
    tools = catalogue.built_in() + catalogue.of_servers(without=("mailroom",))
    _open(
        stage,
        "Move reminders to the new mail provider",
        "Reminders go through the old provider still. Please move them, and send me one to look at.",
        tools,
    )
    stage.change([], failed=[NO_ANSWER])
    _work(stage, 14)
    note = "No tool was found. The server mailroom could not be reached (CONNECT_TIMEOUT). Try other words."
    stage.search("send a mail message to someone", [], failed=[NO_ANSWER], note=note, say="Now a message to look at.")
    stage.search("mail preview", [], failed=[NO_ANSWER], note=note)
    _answer(stage, 2, "The mail server was down. It should be back, try again.", after=150)
    late = [t for t in catalogue.of_servers() if t.server == "mailroom"]
    stage.change(
        [
            Tool(
                name=t.name,
                state="resident",
                definition=t.definition,
                server=t.server,
                reason="the server connected late",
            )
            for t in late
        ]
    )
    _work(stage, 6)
    stage.call(
        "mcp__mailroom__send_mail",
        "Message 7f31 was sent.",
        to=["me@lantern.example"],
        subject="Reminder",
        body=texts.prose(stage.rng, 2),
    )
    _work(stage, 9)
    _answer(stage, 5)
    stage.finish()
    return stage.events


def nightly_report(now: datetime) -> list[AnyEvent]:
    """Three explorers at once, with a surface of their own, and a search that gets a part of what it named."""
    stage = _stage("nightly-report", now, timedelta(hours=27), "claude-opus-5-5")
    _open(
        stage,
        "Why does the nightly report take an hour?",
        "The nightly report takes an hour since last week. Find out why, and what it would take to make it fast.",
        catalogue.built_in() + catalogue.of_servers(),
    )
    _work(stage, 5)
    stage.search(
        "select:mcp__metrics__explain_query,mcp__metrics__query_plan", ["mcp__metrics__explain_query"], form="select"
    )
    stage.call("mcp__metrics__explain_query", texts.rows(stage.rng, 25), sql="SELECT * FROM visits", database="events")
    _fan_out(stage)
    _work(stage, 12)
    _answer(stage, 8, "Please make the change that costs least.")
    _work(stage, 11)
    _answer(stage, 4)
    stage.finish()
    return stage.events


def _fan_out(stage: Stage) -> None:
    stage.ask(("assistant", "Three things can be looked at on their own, so I start three explorers."))
    shared = Cache()
    tasks = ("the queries of the report", "how the worker starts it", "what changed in the tables")
    calls = [stage.delegate(f"Find out about {task}. Name files and lines. Change nothing.", task) for task in tasks]
    ends = []
    for number, (call, task) in enumerate(zip(calls, tasks, strict=True)):
        child = _explorer(stage, call, task, number, shared)
        stage.events += child.events
        ends.append((child.now, call, child.run))
    begun = stage.now
    for end, call, run in sorted(ends):
        stage.now = max(stage.now, end)
        stage.returned(call, run, texts.prose(stage.rng, 9), int((end - begun).total_seconds() * 1000))


def _explorer(parent: Stage, call: str, task: str, number: int, shared: Cache) -> Stage:
    uid = f"{parent.conversation}-explorer-{number + 1}"
    child = Stage(
        conversation=parent.conversation,
        run=uid,
        now=parent.now + timedelta(seconds=4 * number + 1),
        rng=Random(uid),  # noqa: S311 - the same demo each time
        model="claude-haiku-5-5",
        cache=shared,
    )
    child.start(task, kind="sub_agent", deferral=False, parent_run=parent.run, parent_call=call, profile="explore")
    child.declare(catalogue.built_in(only=EXPLORER_TOOLS))
    child.append("system", texts.SYSTEM[:1_900], label="System prompt")
    child.append("context_file", texts.CONTEXT_FILE, label="AGENTS.md", owner="project")
    child.append("user", f"Find out about {task}. Name files and lines. Change nothing.")
    for turn in range(7 + number):
        (_read if turn % 2 else _search)(child, texts.SAYS[turn % 4] if turn % 3 == 0 else "", "")
    child.ask(("assistant", texts.prose(child.rng, 8)))
    child.finish()
    return child


def release(now: datetime) -> list[AnyEvent]:
    """A long conversation that is compacted; two tools stay loaded."""
    stage = _stage("release", now, timedelta(days=2, hours=3), "claude-sonnet-5-5")
    goal = (
        "Prices of guides follow the tariff of the house; please carry that through to the pages and write the notes."
    )
    _open(stage, "Tariffs of guides, and the notes for 4.2", goal, catalogue.built_in() + catalogue.of_servers())
    stage.search(
        "list what changed since the last release", ["mcp__deploy__list_releases", "mcp__tracker__search_tickets"]
    )
    stage.call("mcp__deploy__list_releases", texts.rows(stage.rng, 30), service="lantern-web")
    stage.search("write a page in the knowledge base", ["mcp__notes__create_page"])
    _work(stage, 26)
    _answer(stage, 4, texts.ASKS[0])
    _work(stage, 24)
    before = stage.ask(("assistant", "One more look at the callers.")).prompt
    stage.wait(20)
    summary = texts.SUMMARY.format(goal=goal, files=", ".join(texts.FILES[:6]))
    stage.rewrite(summary, ["mcp__tracker__search_tickets", "mcp__notes__create_page"], before)
    _work(stage, 22)
    stage.call(
        "mcp__notes__create_page", "Page 118 was made.", space="releases", title="4.2", body=texts.prose(stage.rng, 8)
    )
    _answer(stage, 5)
    stage.finish()
    return stage.events


def opening_hours(now: datetime) -> list[AnyEvent]:
    """Two pauses: one that outlives the conversation's cache, one that outlives the prefix too. And a search for a tool that was there."""
    stage = _stage("opening-hours", now, timedelta(days=3, hours=6), "claude-sonnet-5-5")
    _open(
        stage,
        "Opening hours on the pages of the houses",
        "The opening hours on the pages of the houses are an hour off in two of them. Why?",
        catalogue.built_in() + catalogue.of_servers(),
    )
    stage.search("read a web page", ["fetch_page"], say="I will look at the pages themselves.")
    stage.call("fetch_page", texts.prose(stage.rng, 14), url="https://lantern.example/houses/7")
    _work(stage, 9)
    _answer(stage, 4, "I was away. " + texts.ASKS[1], after=11 * 60)
    _work(stage, 8)
    _answer(stage, 3, "Back from lunch. " + texts.ASKS[5], after=84 * 60)
    _work(stage, 7)
    _answer(stage, 3)
    stage.finish()
    return stage.events


def photographs(now: datetime) -> list[AnyEvent]:
    """A model of one's own, without a price, on a provider whose input count holds its cached tokens."""
    stage = _stage("photographs", now, timedelta(days=5, hours=1), "acme-coder-2", provider="acme", inclusive=True)
    _open(
        stage,
        "Sort the photographs by house",
        "Sort the photographs in media/ by house, by what stands in their files.",
        catalogue.built_in(),
        deferral=False,
    )
    _work(stage, 19)
    _answer(stage, 3, texts.ASKS[4])
    _work(stage, 6)
    _answer(stage, 2)
    stage.finish("cancelled")
    return stage.events


Story = Callable[[datetime], list[AnyEvent]]
STORIES: Final[tuple[Story, ...]] = (invoices, mail_provider, nightly_report, release, opening_hours, photographs)
UIDS: Final = tuple(f"demo-{s.__name__.replace('_', '-')}" for s in STORIES)
