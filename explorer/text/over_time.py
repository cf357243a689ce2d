"""A request among those of its run, as text: how far it is the same, what lies between markers, epochs, sub-agents."""

from __future__ import annotations

from explorer.page.since import Prefix
from explorer.page.through_time import ThroughTime
from explorer.queries.epochs import Epoch
from explorer.text.paper import Paper, clean
from explorer.text.table import Line, Table, figure
from observability.figures import NOTHING, number


def same_so_far(time: ThroughTime, paper: Paper) -> list[str]:
    """How far the prompt is that of the request before, and where it first differs."""
    return paper.wrapped(_prefix(time.since.prefix)) if time.since else []


def _prefix(prefix: Prefix) -> str:
    words = [clean(prefix.lead)]
    if prefix.tokens is not None:
        how = "byte for byte" if prefix.proven else "as far as the log shows"
        words.append(f"{figure(prefix.tokens, prefix.provenance).strip()} tokens are the same, {how}.")
    return " ".join(filter(None, [*words, clean(prefix.rest)]))


def between_markers(time: ThroughTime, paper: Paper) -> list[str]:
    """What the cache did with the tokens from one marker to the next."""
    table = Table(("Between markers", "Tokens  ", "Read", "Written", "Uncached"))
    for each in time.stretches:
        name = f"{number(each.start) if each.start else 'start'} to {number(each.end) if each.end else 'end'}"
        cells = [number(size) if size else NOTHING for size in (each.read, each.written, each.uncached)]
        table.rows.append(Line(name, [figure(each.tokens), *cells], indent=1))
    return table.lines(paper) if table.rows else []


def epochs(time: ThroughTime, paper: Paper) -> list[str]:
    """The epochs around the request; none where nothing was rewritten."""
    if len(time.epochs) < 2:
        return []
    table = Table(("Epochs", "Won back  ", "<Ended by"))
    for each in time.listed_epochs:
        here = "  this request’s" if time.epoch and each.number == time.epoch.number else ""
        won = figure(each.ended.won, each.ended.provenance) if each.ended else figure(None)
        name = f"{number(each.number)}  {_requests(each)}{here}"
        table.rows.append(Line(name, [won, _ended(each)], indent=1))
    return table.lines(paper)


def _requests(epoch: Epoch) -> str:
    if epoch.first == epoch.last:
        return f"request {number(epoch.first)}"
    return f"requests {number(epoch.first)} to {number(epoch.last)}"


def _ended(epoch: Epoch) -> str:
    if epoch.ended is None:
        return NOTHING
    return ", ".join(clean(part)[:40] for part in (epoch.ended.kind, epoch.ended.trigger) if part)


def sub_agents(time: ThroughTime, paper: Paper) -> list[str]:
    """The sub-agents that the run started, with their own surface."""
    if not time.children.listed:
        return []
    table = Table(("Sub-agents", "At", "Requests", "First prompt  ", "Resident", "Deferred", "<Run"))
    for child in time.children.listed:
        known = child.figures.known
        cells = [
            number(child.asked_by) if child.asked_by else NOTHING,
            number(child.requests),
            figure(child.prompt, "reported"),
            number(child.figures.resident) if known else NOTHING,
            number(child.figures.names) if known else NOTHING,
            clean(child.run.uid),
        ]
        table.rows.append(Line(clean(child.run.profile or child.run.kind)[:40], cells, indent=1))
    more = [f"{number(time.children.rest)} more are not listed."] if time.children.rest else []
    return [*table.lines(paper), *more]
