"""The sentences of the page: what a request did, and what its residual means."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.text import capfirst

from explorer.queries.composition import Composition
from explorer.queries.moment import Moment
from harness.accounting import Account
from harness.usage import rate_of
from observability.figures import number, percent, signed
from observability.models import Request, Run
from observability.queries.conversation import MAIN


@dataclass(frozen=True, slots=True)
class Say:
    """A sentence: its point, and what follows."""

    point: str
    rest: str


def run_name(run: Run) -> str:
    """A run in a word or two: main, or what the sub-agent was and did."""
    if run.kind == MAIN:
        return MAIN
    return ": ".join(part for part in (run.profile, run.title) if part) or run.kind.replace("_", "-")


def answer(at: Moment, now: Composition) -> Say:
    """The first sentence: what the cache did with this request."""
    request = at.request
    if now.account.total is None:
        return Say(
            "The provider reported no total for this request.", "The parts below stand alone; there is no residual."
        )
    if request.break_reason:
        return Say(f"{number(request.rebuilt)} tokens were paid for a second time.", request.break_detail)
    if request.cold:
        return Say(_cold(at), _largest(now.account))
    return Say(_warm(request), _largest(now.account))


def _written(request: Request) -> int:
    return request.write_5m + request.write_1h + request.write_other


def _cold(at: Moment) -> str:
    request = at.request
    start = "The run starts here" if at.ordinal == 1 else "The conversation was rewritten before this request"
    if request.read:
        return f"{start}: {number(request.read)} tokens were already in the cache, {number(_written(request))} were written."
    return f"{start}: nothing was in the cache, {number(_written(request))} tokens were written."


def _warm(request: Request) -> str:
    prompt = request.read + _written(request) + request.uncached
    rate = percent(rate_of(read=request.read, prompt=prompt))
    return f"{rate} of this prompt was read from the cache; {number(_written(request))} tokens were written."


def _largest(account: Account) -> str:
    """The largest part that is known."""
    if not account.categories:
        return ""
    largest = max(account.categories, key=lambda each: each.count.tokens)
    share = account.share(largest.count.tokens)
    if not largest.count.tokens or share is None:
        return ""
    words = f"{number(largest.count.tokens)} tokens, {share_words(account, largest.count.tokens)}"
    return f"Largest part in the log: {largest.shape.title.lower()}, {words}."


def share_words(account: Account, tokens: int) -> str:
    """A share of the request in words."""
    whole = account.parts.tokens if account.total is None else account.total
    return percent(rate_of(read=tokens, prompt=whole))


def residual_note(now: Composition) -> str:
    """What stands under the residual."""
    account = now.account
    if account.residual is None:
        return "no total to compare with"
    if account.residual > 0 and not now.has_snapshot:
        return "system prompt and tools are not in this log"
    reach = max(account.parts.high - account.parts.tokens, account.parts.tokens - account.parts.low)
    if account.within_band:
        return f"inside the error of ±{number(reach)}"
    return f"beyond the error of ±{number(reach)}"


def warning(account: Account) -> Say | None:
    """What to say where the parts exceed the total."""
    excess = account.excess
    if excess is None:
        return None
    name = f"{excess.title}: {excess.label}" if excess.label else excess.title
    return Say(
        f"The parts exceed the total by {number(excess.by)} tokens.",
        f"The likeliest to be too large is {name} (its error leaves room for {number(excess.slack)}). Nothing is scaled "
        "to make the sum come out.",
    )


def shrink_notice(shrink: tuple[int, int] | None) -> Say | None:
    """What to say where text was taken out of the context and the log does not tell."""
    if shrink is None:
        return None
    ordinal, by = shrink
    return Say(
        f"Request {number(ordinal)} was {number(by)} tokens smaller than the one before, and the log shows no rewrite.",
        "The client took something out without writing it down: some of the parts below are counted though they were no "
        "longer sent, and the residual is too small by that.",
    )


def snapshot_notice(now: Composition, *, shrunk: bool) -> Say | None:
    """What to say where the log does not hold what was sent first. Where a context shrank, the residual says less."""
    system = now.account.category("system") is not None
    if system and now.surface.resident_known:
        return None
    missing = " and ".join(
        name
        for name, known in (("the system prompt", system), ("the resident tools", now.surface.resident_known))
        if not known
    )
    residual = now.account.residual
    rest = f"{capfirst(missing)} of this run {'is' if missing.endswith('prompt') else 'are'} not in it."
    if residual is not None and residual > 0 and not shrunk:
        rest += f" The residual of {signed(residual)} is what they come to, with anything else that the log leaves out."
    return Say("This log has no snapshot.", rest)
