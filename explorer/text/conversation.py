"""What a conversation cost before any work, and what was found in the run that is shown."""

from __future__ import annotations

from explorer.page import ContextPage
from explorer.page.headline import HeadlineView
from explorer.queries.headline import Headline
from explorer.text.paper import MARKS, Paper, clean
from explorer.text.table import Line, Table, figure
from explorer.traps import Trap
from observability.figures import NOTHING, counted, number


def in_short(page: ContextPage) -> list[tuple[str, str]]:
    """The headline as facts: a name and its words."""
    view = page.headline
    found = view.figures
    if found is None:
        return []
    return [
        ("first prompt" if found.resumed else "idle cost", f"{view.first_words} {MARKS[view.idle_provenance]}"),
        ("outweighed", _outweighed(view, found)),
        ("never called", _unused(view, found) if found.unused.tools else ""),
    ]


def before_any_work(page: ContextPage, paper: Paper) -> list[str]:
    """What the main run sent with its first request, by part."""
    view = page.headline
    found = view.figures
    if found is None or not found.parts:
        return []
    table = Table(("Before any work", "Tokens  "))
    for each in view.slices:
        signed = each.role == "residual"
        table.rows.append(Line(each.title, [figure(each.tokens, each.provenance, sign=signed)], indent=1))
    title = "First prompt without the user's text" if found.resumed else "Idle cost"
    table.rows.append(Line(title, [figure(found.idle_exact, view.idle_provenance)]))
    return table.lines(paper)


def traps(page: ContextPage, paper: Paper, *, why: bool) -> list[str]:
    """What was found, those of most tokens first. With `why`, each is followed by what it rests on."""
    found = page.headline.traps
    if not found:
        return paper.wrapped("Found here: none of the usual traps.") if why else []
    table = Table(("Found here", "Comes to  "))
    for trap in found:
        table.rows.append(Line(f"{'!' if trap.bad else '·'} {clean(trap.title)}", [_figure(trap)], indent=1))
    head, *lines = table.lines(paper)
    if not why:
        return [head, *lines]
    reasons = [paper.wrapped(f"      {clean(trap.why)}", indent="      ") for trap in found]
    return [head, *(text for trap, reason in zip(_by_trap(lines), reasons, strict=True) for text in (*trap, *reason))]


def _by_trap(lines: list[str]) -> list[list[str]]:
    """The lines of a table by row: a name that has a line of its own stands before its figures."""
    rows: list[list[str]] = []
    for line in lines:
        if line.startswith(("  ! ", "  · ")):
            rows.append([line])
        else:
            rows[-1].append(line)
    return rows


def _figure(trap: Trap) -> str:
    return f"{clean(trap.figure)} {MARKS[trap.sure] if trap.tokens is not None else ' '}"


def _outweighed(view: HeadlineView, found: Headline) -> str:
    if not found.prefix:
        return NOTHING
    turn = f"by messages in turn {number(found.outweighed.turn)}" if found.outweighed else "not yet"
    return f"{turn}: {clean(view.outweighed_words)}"


def _unused(view: HeadlineView, found: Headline) -> str:
    number_of = f"{number(len(found.unused.tools))} of {counted(found.unused.resident, 'resident tool')}"
    return f"{number_of}: {clean(view.unused_words)}"
