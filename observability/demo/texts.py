"""The texts of the demo: what a day of work on an invented service prints."""

from __future__ import annotations

from random import Random
from typing import Final

CONTEXT_FILE: Final = """# Lantern

Booking of rooms and guides for a chain of small museums. Python 3.12, PostgreSQL, a worker for mail.

## Layout
- `lantern/web/`: pages and forms. No SQL here.
- `lantern/prices/`: tariffs, discounts, rounding. Money is a whole number of cents, never a float.
- `lantern/mail/`: messages and the provider behind them. Nothing is sent outside of the worker.
- `lantern/report/`: the nightly report for the houses.
- `tests/`: mirrors the packages. One behaviour a test.

## Commands
- `make test` runs everything; `make test PART=prices` one package. The database is started for you.
- `make lint` before every commit.

## Rules
- A house has its own time zone. Store UTC, show local time, and say which.
- Prices are decided in one place: `lantern.prices.total`. If you find a second one, that is a bug.
- A migration never imports code of the application.
- Messages to guests are translated; their keys live in `lantern/mail/keys.toml`.
- Do not rename a column that the report reads without changing the report in the same commit.
"""

NOTES: Final = """#12  A house has its own tariff since 3.8; the chain's is only the default. [prices]
#31  The nightly report reads the replica, which lags up to a minute. [report]
#40  Tests of mail need no provider: the outbox is a table. [mail, tests]"""

FILES: Final = (
    "lantern/prices/total.py",
    "lantern/prices/tariffs.py",
    "lantern/prices/discounts.py",
    "lantern/web/booking.py",
    "lantern/web/forms.py",
    "lantern/mail/outbox.py",
    "lantern/mail/provider.py",
    "lantern/report/nightly.py",
    "lantern/report/queries.py",
    "tests/prices/test_total.py",
    "tests/mail/test_outbox.py",
    "tests/report/test_nightly.py",
)

THOUGHTS: Final = (
    "The total is put together in two places. The second one does not take the tariff of the house, so the figures can differ by a cent. I should look at who calls it before I change it.",
    "The test passes because it uses one house only. With two houses in different time zones the day begins at another hour. I will write that test first and see it fail.",
    "This is slower than it needs to be: one query for each booking. The page shows at most fifty of them, so one query with the ids would do.",
    "The message is sent inside the transaction. If the worker picks it up before the commit, the booking is not there yet. It must be handed over after the commit.",
    "Nothing else reads this column except the report. I will change both together, as the rules of the project ask.",
    "The error says that the field is empty, yet the form fills it. So it is lost on the way: either the form drops it or the view reads another name.",
)

SAYS: Final = (
    "I will look at how the total is put together first.",
    "That is the place. Now who calls it?",
    "The test fails as expected, with the figures from the ticket.",
    "The change is small: one function now decides, and both pages ask it.",
    "All tests of this package pass. Next the ones that use it.",
    "This part is right as it stands; the cause is elsewhere.",
    "Two callers are left. I will change them in the same way.",
    "The whole set passes. I will look at the page itself as well.",
)

ASKS: Final = (
    "Good. Please do the same for the page of the guides.",
    "Can you show me the figures before and after?",
    "That works here. What about bookings that were made before the change?",
    "Please keep the old name as well until the end of the month.",
    "Why is that one not covered by a test?",
    "Fine. Please finish it and tell me what is left.",
)

_NOUNS: Final = ("booking", "guide", "house", "tariff", "group", "discount", "message", "ticket", "visit", "voucher")
_VERBS: Final = ("add", "apply", "build", "check", "collect", "join", "price", "read", "round", "send")


SUMMARY: Final = """\
Task: "Prices of guides follow the tariff of the house; please carry that through to the pages and write the notes." The notes are \
those of 4.2, as a page in the space `releases`.

Done:
- `lantern/prices/tariffs.py` gives the tariff of a house; the chain's is the default only. `total` asks it for guides as for rooms.
- `lantern/web/booking.py` and `lantern/web/forms.py` show the total that `lantern.prices.total` gives. The second sum is gone.
- `lantern/prices/discounts.py` takes cents and gives cents; a group's discount is rounded once.
- `make test PART=prices` passes. The list of releases since 4.1 was read: nine changes, two of them in prices.

Decided: the columns that the nightly report reads keep their names.

Left: look at `lantern/report/queries.py` once more, run `make test` as a whole, and make the page with `create_page`, which is loaded."""


def code(rng: Random, path: str, functions: int) -> str:
    """A file as `read_file` shows it: lines with numbers."""
    lines = [f'"""{path.rsplit("/", 1)[-1].removesuffix(".py").title()}: part of the demo."""', ""]
    for _ in range(functions):
        lines += _function(rng)
    return "\n".join(f"{number:>4}  {line}" for number, line in enumerate(lines, 1))


def _function(rng: Random) -> list[str]:
    verb, noun, other = rng.choice(_VERBS), rng.choice(_NOUNS), rng.choice(_NOUNS)
    least = rng.randrange(2, 40)
    return [
        "",
        f"def {verb}_{noun}(self, {noun}: {noun.title()}, *, {other}s: Sequence[{other.title()}]) -> int:",
        f'    """{verb.title()} a {noun}; the {other}s decide how. Raises Refused where there are none."""',
        f"    known = [{other} for {other} in {other}s if {other}.house_id == {noun}.house_id]",
        f"    if len(known) < {least}:",
        f'        raise Refused(f"{noun} {{{noun}.id}} has {{len(known)}} {other}s, {least} are needed")',
        f"    cents = sum({other}.cents for {other} in known)",
        f"    self.log.info('{verb} {noun}', extra={{'cents': cents, 'count': len(known)}})",
        f"    return cents - {noun}.paid_cents",
        "",
    ]


def test_output(rng: Random, passed: int, failed: int = 0) -> str:
    """What a run of the tests prints."""
    lines = [f"collected {passed + failed} items", ""]
    for path in rng.sample([file for file in FILES if file.startswith("tests/")], 3):
        lines.append(f"{path} {'.' * rng.randrange(8, 40)}")
    for number in range(failed):
        want = rng.randrange(900, 4_000)
        lines += [
            "",
            f"___ test_a_{rng.choice(_NOUNS)}_is_priced_once_{number} ___",
            f"    total = total_of({rng.choice(_NOUNS)})",
            f">   assert total == {want}",
            f"E   assert {want - 1} == {want}",
        ]
    return "\n".join([*lines, "", f"{failed} failed, {passed} passed in {rng.randrange(12, 190) / 10} s"])


def matches(rng: Random, count: int) -> str:
    """What a search of the code returns."""
    return "\n".join(
        f"{rng.choice(FILES)}:{rng.randrange(3, 240)}:    {rng.choice(_VERBS)}_{rng.choice(_NOUNS)}({rng.choice(_NOUNS)}, {rng.choice(_NOUNS)}s=found)"
        for _ in range(count)
    )


def rows(rng: Random, count: int) -> str:
    """What a query of the database returns, as a table."""
    lines = ["house | day        | bookings | cents   | seconds"]
    for number in range(count):
        lines.append(
            f"{rng.randrange(1, 40):>5} | 2026-{1 + number % 12:02}-{rng.randrange(1, 29):02} | {rng.randrange(3, 90):>8} |"
            f" {rng.randrange(4_000, 90_000):>7} | {rng.randrange(1, 900) / 100:>6}"
        )
    return "\n".join(lines)


def prose(rng: Random, sentences: int) -> str:
    """Some sentences of an answer."""
    return " ".join(rng.choice(SAYS + THOUGHTS) for _ in range(sentences))
