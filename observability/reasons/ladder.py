"""The reason of a break, by evidence: what the provider says, a proven difference, a broken rule, what survived.

The first rung that holds decides, and each rung asks whether what was still read agrees with it: a change in the tools
cannot be why a request broke that read its tools. Where nothing agrees the break is unexplained.
Sources of the rules: the provider's documentation of August to October 2026 (order of hashing, lifetimes, lookback,
least sizes).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from observability.enums import BreakReason, Confidence, Evidence, Survived
from observability.reasons.facts import FIVE_MINUTES, HOUR, Change, Facts
from observability.reasons.survival import Rest, survived

LOOKBACK: Final = 20
"""Positions that a marker looks at, its own among them."""
SHRUNK: Final = 0.7
"""A prompt that fell below this part of the one before had its history replaced."""
OF_TIER: Final = {
    "tools": BreakReason.TOOLS_CHANGED,
    "system": BreakReason.SYSTEM_CHANGED,
    "messages": BreakReason.MESSAGES_CHANGED,
}
NOT_SAYING: Final = (BreakReason.UNAVAILABLE.value, BreakReason.UNEXPLAINED.value)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reason:
    """Why a request broke. `detail` is a sentence with the values that it rests on."""

    reason: BreakReason
    evidence: Evidence
    confidence: Confidence
    survived: Survived
    subject: str = ""
    detail: str = ""


def reason(facts: Facts) -> Reason:
    """The reason of a break."""
    rest = survived(facts)
    for rung in RUNGS:
        found = rung(facts, rest)
        if found is not None:
            return found
    return Reason(
        reason=BreakReason.UNEXPLAINED,
        evidence=Evidence.NONE,
        confidence=Confidence.NONE,
        survived=rest.part,
        detail=_sentence(rest.words, "nothing in the log says why" if rest.words else "Nothing in the log says why"),
    )


def _provider(facts: Facts, rest: Rest) -> Reason | None:
    said = facts.now.diagnosis
    if not said or said in NOT_SAYING or said not in BreakReason.values:
        return None
    known = BreakReason(said)
    change = next((each for each in facts.changes if OF_TIER[each.tier] == known), None)
    return Reason(
        reason=known,
        evidence=Evidence.PROVIDER,
        confidence=Confidence.CERTAIN,
        survived=rest.part,
        subject=change.subject if change else "",
        detail=_sentence(f"The provider says {said}", change.words if change else ""),
    )


def _proven(facts: Facts, rest: Rest) -> Reason | None:
    fitting = [change for change in facts.changes if _fits(change, rest)]
    if not fitting:
        return None
    first, *others = fitting
    more = f"and {len(others)} more" if others else ""
    return Reason(
        reason=OF_TIER[first.tier],
        evidence=Evidence.PROVEN,
        confidence=Confidence.CERTAIN if rest.exact else Confidence.LIKELY,
        survived=rest.part,
        subject=first.subject,
        detail=_sentence(first.words, more, rest.words),
    )


def _fits(change: Change, rest: Rest) -> bool:
    return change.tier == "messages" or not rest.prefix_stood


def _model(facts: Facts, rest: Rest) -> Reason | None:
    now, before = facts.now.model, facts.before.model
    if not now or not before or now == before:
        return None
    return _rule(
        BreakReason.MODEL_CHANGED,
        rest,
        Confidence.CERTAIN,
        subject=f"{before} to {now}",
        detail=f"{before} before, {now} here: each model has a cache of its own",
    )


def _lifetime(facts: Facts, rest: Rest) -> Reason | None:
    """What was lost had outlived its lifetime, and what still stood had not."""
    pause = facts.pause
    if pause is None or pause <= FIVE_MINUTES:
        return None
    of_tail, of_prefix = facts.tail_lifetime, facts.prefix_lifetime
    mixed = of_prefix > of_tail
    if rest.part == Survived.TAIL or pause <= of_tail:
        return None
    if rest.part == Survived.NOTHING and mixed and pause <= of_prefix:
        return None
    words = f"{_spell(pause)} after the request before it; what was lost is kept for {_kept(of_tail)}"
    if mixed and pause > of_prefix and rest.part == Survived.NOTHING:
        words = f"{_spell(pause)} after the request before it; the longest entry is kept for {_kept(of_prefix)}"
    sure = rest.exact and not (rest.part == Survived.NOTHING and facts.borrowed and pause <= HOUR)
    return _rule(BreakReason.LIFETIME, rest, Confidence.CERTAIN if sure else Confidence.LIKELY, detail=words)


def _minimum(facts: Facts, rest: Rest) -> Reason | None:
    if facts.now.read or facts.now.written or not facts.now.prompt < facts.least:
        return None
    return _rule(
        BreakReason.MINIMUM,
        rest,
        Confidence.CERTAIN,
        detail=f"{facts.now.prompt:,} tokens; this model caches from {facts.least:,} on",
    )


def _updated(facts: Facts, rest: Rest) -> Reason | None:
    now, before = facts.now.version, facts.before.version
    if not now or not before or now == before or rest.prefix_stood:
        return None
    detail = f"client {before} before, {now} here: a new version brings other tools and another system prompt"
    return _rule(BreakReason.CLIENT_UPDATED, rest, Confidence.LIKELY, subject=f"{before} to {now}", detail=detail)


def _lookback(facts: Facts, rest: Rest) -> Reason | None:
    """More blocks than a marker looks back over; a marker on the old tail finds it whatever comes after."""
    if facts.marked or facts.blocks is None or facts.blocks < LOOKBACK or not rest.prefix_stood:
        return None
    words = (
        f"{facts.blocks:,} blocks were added since the request before; a marker looks at {LOOKBACK}, its own among them"
    )
    return _rule(BreakReason.LOOKBACK, rest, Confidence.LIKELY, detail=words)


def _shrunk(facts: Facts, rest: Rest) -> Reason | None:
    now, before = facts.now.prompt, facts.before.prompt
    if now >= SHRUNK * before:
        return None
    words = f"the prompt fell from {before:,} to {now:,} tokens: its history was replaced"
    return _by_rest(BreakReason.MESSAGES_CHANGED, rest, Confidence.LIKELY, words)


def _loaded(facts: Facts, rest: Rest) -> Reason | None:
    """A schema that was loaded may stand in the tools, behind the resident ones: then all that follows is lost."""
    if not facts.loaded or rest.part != Survived.PART:
        return None
    words = f"{', '.join(facts.loaded[:3])} had been loaded before it: a schema among the tools moves all that follows"
    found = _by_rest(BreakReason.TOOLS_CHANGED, rest, Confidence.POSSIBLE, words)
    return replace(found, subject=facts.loaded[0])


def _rest(facts: Facts, rest: Rest) -> Reason | None:
    """Nothing but the size of what was read: what changed lies behind it."""
    if rest.part == Survived.SYSTEM and not rest.exact:
        words = "a prefix that this run had not sent before: another run had cached its new tools or system prompt"
        return _by_rest(BreakReason.PREFIX_CHANGED, rest, Confidence.POSSIBLE, words)
    if rest.part not in (Survived.SYSTEM, Survived.TAIL):
        return None
    words = "what changed came after that: the history, or a setting such as thinking"
    sure = Confidence.LIKELY if rest.exact else Confidence.POSSIBLE
    return _by_rest(BreakReason.MESSAGES_CHANGED, rest, sure, words)


RUNGS: Final[tuple[Callable[[Facts, Rest], Reason | None], ...]] = (
    *(_provider, _proven, _model, _lifetime, _minimum, _updated, _lookback, _shrunk, _loaded, _rest),
)


def _rule(known: BreakReason, rest: Rest, sure: Confidence, *, subject: str = "", detail: str) -> Reason:
    return Reason(
        reason=known,
        evidence=Evidence.RULE,
        confidence=sure,
        survived=rest.part,
        subject=subject,
        detail=_sentence(detail, rest.words),
    )


def _by_rest(known: BreakReason, rest: Rest, sure: Confidence, words: str) -> Reason:
    return Reason(
        reason=known,
        evidence=Evidence.SURVIVED,
        confidence=sure,
        survived=rest.part,
        detail=_sentence(rest.words, words),
    )


def _sentence(*parts: str) -> str:
    text = "; ".join(part for part in parts if part)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _spell(pause: timedelta) -> str:
    minutes, seconds = divmod(int(pause.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes} min"
    return f"{minutes} min {seconds} s"


def _kept(lifetime: timedelta) -> str:
    return "1 h" if lifetime == HOUR else "5 min"
