"""Why a request did not read more: what was there and unusable, and where the prefix differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from harness.simulator.cache import CacheState, Entry
from harness.simulator.outcome import Difference, Missed, Why
from harness.simulator.prefix import Block, Prefix
from harness.simulator.rules import TIERS, Rules, Setting, plain


def missed_by(
    prefix: Prefix,
    totals: Sequence[int],
    read_up_to: int,
    at: datetime,
    state: CacheState,
    rules: Rules,
) -> tuple[Missed, ...]:
    """Entries beyond the block that was read (-1 for none): the longest of each reason, the longest first."""
    found: dict[Why, Missed] = {}
    for index in range(len(prefix.blocks) - 1, read_up_to, -1):
        block = prefix.blocks[index]
        for why, detail in _reasons(prefix, index, totals, at, state, rules):
            if why not in found:
                found[why] = Missed(why=why, block=block.label, tokens=totals[index], detail=detail)
    return tuple(found.values())


def _reasons(
    prefix: Prefix, index: int, totals: Sequence[int], at: datetime, state: CacheState, rules: Rules
) -> Iterator[tuple[Why, str]]:
    block, model = prefix.blocks[index], plain(prefix.model)
    entry = state.get(model, block.key)
    if entry is not None:
        yield _unusable(entry, at, prefix, index, rules)
    for name, other in state.elsewhere(model, block.key):
        if other.usable(at):
            yield "other_model", f"written for {name}"
    least = rules.minimum_for(prefix.model)
    if block.marked and totals[index] < least:
        yield "under_minimum", f"{totals[index]:,} tokens; the least is {least:,}"


def _unusable(entry: Entry, at: datetime, prefix: Prefix, index: int, rules: Rules) -> tuple[Why, str]:
    if not entry.alive(at):
        return "expired", f"its {entry.lifetime} ran out {_seconds(at, entry.expires_at)} s before"
    if not entry.usable(at):
        return "not_yet_readable", f"its response began {_seconds(entry.readable_at, at)} s later"
    later = [number for number in range(index, len(prefix.blocks)) if prefix.blocks[number].marked]
    if not later:
        return "lookback", "no marker at it or after it"
    return "lookback", f"{later[0] - index} blocks before the next marker; one looks at {rules.lookback} with its own"


def _seconds(late: datetime, early: datetime) -> int:
    return round((late - early).total_seconds())


def difference(prefix: Prefix, before: Sequence[Prefix], reach: Mapping[Setting, str]) -> Difference | None:
    """Where it first differs from the earlier request that it shares most with, the latest of several."""
    if not before:
        return None
    shared, _order, nearest = max((_shared(prefix, each), order, each) for order, each in enumerate(before))
    if plain(prefix.model) != plain(nearest.model):
        return Difference(change="model", tier="tools", index=0, block=prefix.model, settings=("model",))
    changed = _changed(prefix.settings, nearest.settings, reach)
    block = prefix.blocks[shared] if shared < len(prefix.blocks) else None
    old = nearest.blocks[shared] if shared < len(nearest.blocks) else None
    if changed and _not_before(changed, block or old, reach):
        return _by_setting(prefix, changed, reach)
    return _by_block(block, old)


def _shared(one: Prefix, other: Prefix) -> int:
    """Blocks that are alike from the start, whatever the settings."""
    pairs = zip(one.blocks, other.blocks, strict=False)
    return next(
        (index for index, (a, b) in enumerate(pairs) if (a.tier, a.digest) != (b.tier, b.digest)),
        min(len(one.blocks), len(other.blocks)),
    )


def _changed(
    new: Mapping[Setting, str], old: Mapping[Setting, str], reach: Mapping[Setting, str]
) -> tuple[Setting, ...]:
    names = [name for name in new if new[name] != old.get(name)]
    return tuple(sorted(names, key=lambda name: (_order(reach[name]), name)))


def _order(tier: str) -> int:
    return [str(each) for each in TIERS].index(tier)


def _not_before(changed: Sequence[Setting], block: Block | None, reach: Mapping[Setting, str]) -> bool:
    """Whether the setting takes effect no later than the first block that differs."""
    return block is None or _order(reach[changed[0]]) <= _order(block.tier)


def _by_setting(prefix: Prefix, changed: Sequence[Setting], reach: Mapping[Setting, str]) -> Difference:
    tier = next(each for each in TIERS if each == reach[changed[0]])
    first = next((block.label for block in prefix.blocks if block.tier == tier), f"{tier}[0]")
    return Difference(change="setting", tier=tier, index=0, block=first, settings=tuple(changed))


def _by_block(block: Block | None, old: Block | None) -> Difference | None:
    """Nothing where the earlier request simply ended here."""
    if old is None:
        return None
    if block is None or _order(block.tier) > _order(old.tier):
        return Difference(change="removed", tier=old.tier, index=old.index, block=old.label)
    change = "added" if _order(block.tier) < _order(old.tier) else "changed"
    return Difference(
        change="added" if change == "added" else "changed", tier=block.tier, index=block.index, block=block.label
    )
