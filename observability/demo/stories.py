"""The six conversations of the demo."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from random import Random
from typing import Any, Final

from harness.runlog import AnyEvent
from observability.demo import texts
from observability.demo.playing import play
from observability.demo.story import Part, Pen, Story

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
MAIL: Final = ("mailroom",)
COMPACT_FROM: Final = 39_000
"""Prompt tokens at which the long conversation is compacted."""


def demo_events(now: datetime) -> list[AnyEvent]:
    """All events of the demo, conversation by conversation, the latest of them a few minutes before `now`."""
    return [event for story in STORIES for event in play(story(), now)]


def _story(
    name: str, title: str, ask: str, *, ago: float, model: str, missing: tuple[str, ...] = (), **more: Any
) -> Story:
    uid = f"demo-{name}"
    begin = Part(says=f"{title}\n\n{ask}", missing=missing)
    story = Story(name=uid, rng=Random(uid), ago=ago, model=model, parts=[begin], **more)  # noqa: S311 - the same demo each time
    story.call("read", texts.CONTEXT_FILE, path="AGENTS.md", say="First the rules of the project.")
    story.call("memory_search", texts.NOTES, query="bookings prices mail report")
    return story


def _work(pen: Pen, turns: int, *, think: bool = False) -> None:
    """Some turns of reading, searching, changing and running, as any agent does them."""
    for turn in range(turns):
        thought = pen.rng.choice(texts.THOUGHTS) if think and turn % 4 == 0 else ""
        said = pen.rng.choice(texts.SAYS) if turn % 3 == 0 else ""
        pen.rng.choice(MOVES)(pen, said, thought)


def _read(pen: Pen, say: str, think: str) -> None:
    path = pen.rng.choice(texts.FILES)
    pen.call("read", texts.code(pen.rng, path, pen.rng.randrange(3, 12)), say=say, think=think, path=path)


def _search(pen: Pen, say: str, think: str) -> None:
    found = texts.matches(pen.rng, pen.rng.randrange(3, 24))
    pen.call("search", found, say=say, think=think, pattern=r"total_of\(|\.cents", path="lantern", seconds=0.7)


def _edit(pen: Pen, say: str, think: str) -> None:
    path = pen.rng.choice(texts.FILES)
    old = texts.code(pen.rng, path, 1)
    pen.call("edit", f"{path} was changed.", say=say, think=think, path=path, old=old, new=old + "\n    #")


def _test(pen: Pen, say: str, think: str) -> None:
    failed = pen.rng.choice((0, 0, 0, 1, 2))
    printed = texts.test_output(pen.rng, pen.rng.randrange(20, 240), failed)
    seconds = round(pen.rng.uniform(3, 28), 1)
    pen.call(
        "bash", printed, say=say, think=think, failed=bool(failed), seconds=seconds, command="make test PART=prices"
    )


MOVES: Final = (_read, _read, _search, _edit, _test)


def _ask(pen: Pen, question: str, answer: str) -> None:
    """The model asks the user, who answers within a minute."""
    pen.call("ask_user", answer, question=question, seconds=45)


def invoices() -> Story:
    """A search that hits, and two deferred tools that are called directly."""
    story = _story(
        "invoices",
        "Totals of group bookings are a cent short",
        "Group bookings are a cent short since Monday; see LANT-412. Please find out why and fix it.",
        ago=26 * MINUTE,
        model="claude-opus-5-5",
        thinking=True,
    )
    story.search("read a ticket", say="I will read the ticket first.")
    ticket = "LANT-412: Total is a cent short\n\n" + texts.prose(story.rng, 6)
    story.call("get_ticket", ticket, key="LANT-412", comments=True)
    _work(story, 20, think=True)
    found = texts.rows(story.rng, 40)
    story.call("run_query", found, sql="SELECT house, day, cents FROM totals", database="orders", seconds=2.2)
    _work(story, 8, think=True)
    _ask(story, "Bookings made before Monday have the wrong total too. Shall they be mended?", texts.ASKS[2])
    _work(story, 12, think=True)
    story.call("comment_ticket", "Comment 3 was added.", key="LANT-412", body=texts.prose(story.rng, 3))
    story.finish(texts.prose(story.rng, 4))
    return story


def mail_provider() -> Story:
    """A server that failed, a search that misses because of it, and a cache lost when its tools came after all."""
    story = _story(
        "mail-provider",
        "Move reminders to the new mail provider",
        "Reminders go through the old provider still. Please move them, and send me one to look at.",
        ago=5 * HOUR,
        model="claude-opus-5-5",
        missing=MAIL,
        thinking=True,
    )
    _work(story, 13, think=True)
    story.search("send mail", say="Now a message to look at.")
    story.search("mail preview")
    story.turn(
        say="The mail server could not be reached, so I could not send you a message. " + texts.prose(story.rng, 2)
    )
    story.user("The mail server was down. It should be back, try again.", after=150, pinned=("send_mail",))
    _work(story, 6)
    story.call(
        "send_mail",
        "Message 7f31 was sent.",
        to=["me@lantern.example"],
        subject="Reminder",
        body=texts.prose(story.rng, 2),
        seconds=1.6,
    )
    _work(story, 9)
    story.finish(texts.prose(story.rng, 5))
    return story


def nightly_report() -> Story:
    """Three explorers at once, and a search that gets a part of what it named."""
    story = _story(
        "nightly-report",
        "Why does the nightly report take an hour?",
        "The nightly report takes an hour since last week. Find out why, and what it would take to make it fast.",
        ago=27 * HOUR,
        model="claude-opus-5-5",
    )
    _work(story, 5)
    story.search("select:explain_query,query_plan")
    story.call("explain_query", texts.rows(story.rng, 25), sql="SELECT * FROM visits", database="events", seconds=3.1)
    story.turn(*_explorers(story), say="Three things can be looked at on their own, so I start three explorers.")
    _work(story, 12)
    _ask(
        story,
        "An index would do it, and so would a summary table. Which one?",
        "Please make the change that costs least.",
    )
    _work(story, 11)
    story.finish(texts.prose(story.rng, 4))
    return story


def _explorers(story: Story) -> list[Any]:
    tasks = ("the queries of the report", "how the worker starts it", "what changed in the tables")
    return [
        story.agent(
            f"Find out about {task}. Name files and lines. Change nothing.",
            task,
            lambda pen, number=number: _explore(pen, 7 + number),  # type: ignore[misc]  # each has its number
        )
        for number, task in enumerate(tasks)
    ]


def _explore(pen: Pen, turns: int) -> None:
    for turn in range(turns):
        (_read if turn % 2 else _search)(pen, texts.SAYS[turn % 4] if turn % 3 == 0 else "", "")
    pen.finish(texts.prose(pen.rng, 8))


def release() -> Story:
    """A long conversation whose stale output is cut, and that is compacted in the end; what it loaded stays loaded."""
    story = _story(
        "release",
        "Tariffs of guides, and the notes for 4.2",
        "Prices of guides follow the tariff of the house; please carry that through to the pages and write the notes.",
        ago=2 * DAY + 3 * HOUR,
        model="claude-sonnet-5-5",
        compact_from=COMPACT_FROM,
    )
    story.search("list what changed since the last release")
    story.call("list_releases", texts.rows(story.rng, 30), service="lantern-web")
    story.search("create a page in the knowledge base")
    _work(story, 49)
    story.turn(say=texts.SUMMARY)
    _work(story, 25)
    story.call("create_page", "Page 118 was made.", space="releases", title="4.2", body=texts.prose(story.rng, 8))
    story.finish(texts.prose(story.rng, 5))
    return story


def opening_hours() -> Story:
    """Two pauses: one that outlives the conversation's cache, one that outlives the prefix too. And a search for a tool that was there."""
    story = _story(
        "opening-hours",
        "Opening hours on the pages of the houses",
        "The opening hours on the pages of the houses are an hour off in two of them. Why?",
        ago=3 * DAY + 6 * HOUR,
        model="claude-sonnet-5-5",
    )
    story.search("ask the user a question", say="There are two ways to read that.")
    _ask(story, "Which two houses?", "The one by the harbour and the mill.")
    _work(story, 9)
    story.turn(say=texts.prose(story.rng, 4))
    story.user("I was away. " + texts.ASKS[1], after=11 * MINUTE)
    _work(story, 8)
    story.turn(say=texts.prose(story.rng, 3))
    story.user("Back from lunch. " + texts.ASKS[5], after=84 * MINUTE)
    _work(story, 7)
    story.finish(texts.prose(story.rng, 3))
    return story


def photographs() -> Story:
    """A model of one's own, without a price, on a provider whose input count holds its cached tokens; the user stops it."""
    story = _story(
        "photographs",
        "Sort the photographs by house",
        "Sort the photographs in media/ by house, by what stands in their files.",
        ago=5 * DAY + HOUR,
        model="acme-coder-2",
        provider="acme",
        deferral=False,
        stopped=6 * MINUTE,
    )
    _work(story, 60)
    return story


STORIES: Final[tuple[Callable[[], Story], ...]] = (
    invoices,
    mail_provider,
    nightly_report,
    release,
    opening_hours,
    photographs,
)
UIDS: Final = tuple(f"demo-{story.__name__.replace('_', '-')}" for story in STORIES)
