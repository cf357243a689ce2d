"""The request as a whole: what it was, what the cache did with it, its parts, and what deferral saves."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Final

from explorer.page import ContextPage
from explorer.page.counting import counting
from explorer.page.parts_table import Entry
from explorer.page.tool_tables import Tools
from explorer.text.conversation import in_short, traps
from explorer.text.deferral import sentences
from explorer.text.paper import LEGEND, Paper, clean
from explorer.text.rows import item_rows
from explorer.text.table import Line, Table, bar, figure
from harness.tokens import Factor
from harness.usage import rate_of
from observability.figures import duration, moment, money, number, percent, signed

LABEL: Final = 14
"""Columns of the words in front of a fact."""


def overview(page: ContextPage, paper: Paper, *, rows: bool = False) -> list[list[str]]:
    """The sections of a request, each as its lines. With `rows`, each category is followed by its items."""
    return [
        _head(page, paper),
        _prompt(page, paper),
        *_sentences(page, paper),
        _parts(page, paper, rows=rows),
        _caption(page, paper),
        _tools(page, paper),
        [] if rows else traps(page, paper, why=False),
    ]


def _head(page: ContextPage, paper: Paper) -> list[str]:
    title = f"Request {number(page.at.ordinal)} of {number(page.at.requests)}"
    return [paper.strong(title), *(_fact(name, value) for name, value in _facts(page) if value)]


def _fact(name: str, value: str) -> str:
    return f"{name:<{LABEL}}{value}"


def _facts(page: ContextPage) -> list[tuple[str, str]]:
    request, found = page.request, page.conversation
    at = f"{moment(request.started_at)}:{request.started_at:%S} UTC" if request.started_at else ""
    idle = duration(page.at.idle_seconds) if page.at.idle_seconds is not None else ""
    return [
        ("conversation", clean(found.uid)),
        ("title", clean(found.title)[:200]),
        ("run", clean(page.run_name)[:200] + (f", {len(page.runs)} in all" if len(page.runs) > 1 else "")),
        ("model", clean(request.model)),
        ("at", clean(at)),
        ("turn", number(page.turn) if page.turn else ""),
        ("idle before", clean(idle)),
        ("break", page.break_reason),
        *in_short(page),
    ]


def _prompt(page: ContextPage, paper: Paper) -> list[str]:
    """The buckets of the prompt and what they cost."""
    request, total = page.request, page.now.account.total
    table = Table(("Prompt", "Tokens  ", "Share", "<"))
    since = f"{signed(page.at.grown)} since request {page.at.previous}" if page.at.before else ""
    buckets = [
        ("Read", request.read, "the cache rate of this request"),
        ("Written", page.written, _written(page)),
        ("Uncached", request.uncached, ""),
    ]
    for name, size, note in buckets:
        share = percent(rate_of(read=size, prompt=page.billed))
        table.rows.append(Line(name, [figure(size, "reported"), clean(share), note], indent=1))
    table.rows.append(Line("Prompt tokens", [figure(total, "reported"), "", since if total else ""]))
    return [*table.lines(paper), *_cost(page)]


def _written(page: ContextPage) -> str:
    sizes = (page.request.write_5m, page.request.write_1h, page.request.write_other)
    words = [
        f"{number(size)} for {name}" for size, name in zip(sizes, ("5 min", "1 h", "another time"), strict=True) if size
    ]
    if page.mixed_lifetimes:
        return ", ".join(words)
    return page.lifetime.removeprefix(", ")


def _cost(page: ContextPage) -> list[str]:
    if page.request.cost_pusd is None:
        return ["Cost: unpriced, no price for this model"]
    recorded = "" if page.request.output_recorded else ", as far as recorded"
    output = f"{money(page.output_pusd)} for {number(page.request.output)} tokens of output{recorded}"
    return [f"Cost: {money(page.request.cost_pusd)}, {money(page.request.prompt_pusd)} for the prompt and {output}"]


def _sentences(page: ContextPage, paper: Paper) -> list[list[str]]:
    said = [say for say in (page.answer, page.warning, page.shrink, page.notice) if say]
    lines = [paper.wrapped(clean(f"{say.point} {say.rest}")) for say in said]
    flags = [paper.wrapped(clean(f"{flag.label}. {flag.sentence}")) for flag in page.flags]
    return [sum(lines + flags, [])]


def _parts(page: ContextPage, paper: Paper, *, rows: bool) -> list[str]:
    account = page.now.account
    table = Table(("Part, in the order sent", "Tokens  ", "Share", "<"))
    most = max((each.count.tokens for each in account.categories), default=0)
    for group in page.groups:
        table.rows.append(Line(group.title, [figure(group.tokens), _share(group.share)], strong=True))
        for entry in group.entries:
            table.rows += _entry(page, entry, most)
            table.rows += item_rows(page, entry.line.anchor) if rows else []
    if not page.groups:
        table.rows.append(Line("No part of this request is in the log", [figure(None)]))
    table.rows += _sums(page)
    return table.lines(paper)


def _entry(page: ContextPage, entry: Entry, most: int) -> list[Line]:
    line = entry.line
    mark = line.mark or page.now.account.parts.provenance
    share = "–" if mark == "unknown" else _share(line.share)
    cells = [figure(line.tokens, mark), share, bar(line.tokens, most)]
    return [Line(f"{line.title}  {clean(line.note)}", cells, indent=1)]


def _sums(page: ContextPage) -> list[Line]:
    account = page.now.account
    residual = figure(account.residual, page.residual_provenance, sign=True)
    total = "100.0 %" if account.total else "–"
    return [
        Line(f"Residual  {clean(page.residual_note)}", [residual, _share(page.residual_share)]),
        Line("Sum of parts", [figure(account.parts.tokens, account.parts.provenance), _share(page.parts_share)]),
        Line("Prompt tokens", [figure(account.total, "reported"), total], strong=True),
    ]


def _share(share: Decimal | None) -> str:
    return clean(percent(share))


def _caption(page: ContextPage, paper: Paper) -> list[str]:
    """What the marks mean, and what the counts of the parts rest on."""
    account, rule = page.now.account, counting(page.request.model)
    factors = [f"{_factor(row.factor)} for {row.title.lower()}" for row in rule.rows]
    around = f", with {number(rule.around)} around each call and its result" if rule.around else ""
    said = (
        f"{LEGEND}. Tokens are counted offline (o200k) and taken {', '.join(factors)}{around}. {rule.say} "
        f"The parts lie between {number(account.parts.low)} and {number(account.parts.high)}. "
        "Nothing is scaled to make the sum come out."
    )
    return [paper.faint(line) for line in paper.wrapped(clean(said))]


def _factor(factor: Factor) -> str:
    return f"×{_hundredth(factor.percent)} ({_hundredth(factor.low)} to {_hundredth(factor.high)})"


def _hundredth(value: int) -> str:
    return f"{Decimal(value) / 100:.2f}"


def _tools(page: ContextPage, paper: Paper) -> list[str]:
    if page.tools is None:
        return paper.wrapped("Tools: this log names no tool of this run's surface.")
    return [
        *paper.wrapped(f"Tools: {_states(page, page.tools)}.", indent="  "),
        *paper.wrapped(f"Deferral: {sentences(page.tools, page.holding)}", indent="  "),
        *(paper.wrapped(f"{page.whole.said}.", indent="  ") if page.whole else []),
    ]


def _states(page: ContextPage, tools: Tools) -> str:
    counts = Counter[str](each.tool.state for each in page.now.tools.values())
    known = page.now.surface.resident_known
    resident = f"R {number(tools.resident_names)} resident ({number(tools.resident_tokens)} tokens)"
    words = [resident if known else "R not in this log"]
    words.append(f"D {number(tools.names)} deferred (index {number(tools.index_tokens)})")
    words += (
        [f"L {number(counts['loaded'])} of them loaded ({number(tools.loaded_tokens)})"] if counts["loaded"] else []
    )
    letters = {"unsure": "U", "withheld": "W", "denied": "N", "removed": "X"}
    named = {"unsure": "may be loaded"}
    words += [
        f"{letter} {number(counts[state])} {named.get(state, state)}"
        for state, letter in letters.items()
        if counts[state]
    ]
    return ", ".join(words)
