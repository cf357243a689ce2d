"""Token usage: from what a provider reports to disjoint buckets, and the one cache-rate formula.

Sources of the rules: the providers' API references. Anthropic, Bedrock Converse, OpenCode
and pi report an input count without cached tokens; OpenAI, Gemini, Qwen and OpenTelemetry
report one that holds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

import msgspec

from harness.errors import UsageError
from harness.runlog import Buckets, Convention

MOST: Final = 10**9
"""A count above this is not a token count of one request."""

CLAMPED: Final = "clamped"
"""Flag: an inclusive input count was smaller than its cached tokens."""
ASSUMED_5M: Final = "assumed_5m"
"""Flag: writes came without their lifetime and are taken as 5 min."""
DIFFERING: Final = "differing_prompt"
"""Flag: records of one request told of different prompts; the larger counts stand."""
GIVEN: Final = "given_buckets"
"""Flag: the sender gave the buckets; they were not derived from the usage object."""
UNSPLIT: Final = "unsplit_write"
"""Flag: the lifetimes add up to less than all writes; the rest is in `write_other`."""


class Normalised(msgspec.Struct, frozen=True, kw_only=True):
    """Usage in disjoint buckets.

    `buckets` is what is billed: the sum over iterations where there are any. `context_tokens`
    is the prompt of the last message iteration: what the model had before it at the end.
    """

    buckets: Buckets
    context_tokens: int
    flags: tuple[str, ...] = ()


def count(usage: Mapping[str, Any], field: str) -> int:
    """A field of a usage object as a count. Absent or null is 0. Raises UsageError that names the field."""
    value = usage.get(field)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"{field} is {type(value).__name__}, not a whole number", field)
    if value < 0:
        raise UsageError(f"negative count: {field} is {value}", field)
    if value > MOST:
        raise UsageError(f"absurd count: {field} is {value}", field)
    return value


def _object(usage: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    value = usage.get(field)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise UsageError(f"{field} is {type(value).__name__}, not an object", field)
    return value


def _anthropic_writes(usage: Mapping[str, Any]) -> tuple[int, int, int, tuple[str, ...]]:
    total = count(usage, "cache_creation_input_tokens")
    split = _object(usage, "cache_creation")
    five, hour = count(split, "ephemeral_5m_input_tokens"), count(split, "ephemeral_1h_input_tokens")
    rest = total - five - hour
    if rest <= 0:
        return five, hour, 0, ()
    if five or hour:
        return five, hour, rest, (UNSPLIT,)
    return rest, 0, 0, (ASSUMED_5M,)


def _anthropic_flat(usage: Mapping[str, Any]) -> tuple[Buckets, tuple[str, ...]]:
    five, hour, other, flags = _anthropic_writes(usage)
    buckets = Buckets(
        uncached=count(usage, "input_tokens"),
        read=count(usage, "cache_read_input_tokens"),
        write_5m=five,
        write_1h=hour,
        write_other=other,
        output=count(usage, "output_tokens"),
        reasoning=count(_object(usage, "output_tokens_details"), "thinking_tokens"),
    )
    return buckets, flags


def _iterations(usage: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    value = usage.get("iterations")
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(i, dict) for i in value):
        raise UsageError("iterations is not a list of objects", "iterations")
    return value


def anthropic(usage: Mapping[str, Any]) -> Normalised:
    """Usage as the Anthropic Messages API reports it: input without cached tokens.

    With iterations, the bill is their sum and the context is the last one of type "message";
    the outer counts stand in where they are larger, since a fragment may lack its iterations.
    """
    outer, flags = _anthropic_flat(usage)
    parts = _iterations(usage)
    if not parts:
        return Normalised(buckets=outer, context_tokens=outer.prompt, flags=flags)
    done = [_anthropic_flat(part) for part in parts]
    flags = tuple(sorted({flag for _, part_flags in done for flag in part_flags}))
    messages = [buckets for (buckets, _), part in zip(done, parts, strict=True) if part.get("type") == "message"]
    total = add(*(buckets for buckets, _ in done))
    if total.prompt < outer.prompt:
        return Normalised(buckets=most(total, outer), context_tokens=outer.prompt, flags=flags)
    context = messages[-1].prompt if messages else outer.prompt
    return Normalised(buckets=most_output(total, outer), context_tokens=context, flags=flags)


def inclusive(
    *, input_tokens: int, read: int, write_other: int = 0, write_5m: int = 0, output: int = 0, reasoning: int = 0
) -> Normalised:
    """Usage whose input count holds its cached tokens. A shortfall is clamped to 0 and flagged."""
    uncached = input_tokens - read - write_other - write_5m
    buckets = Buckets(
        uncached=max(0, uncached),
        read=read,
        write_5m=write_5m,
        write_other=write_other,
        output=output,
        reasoning=reasoning,
    )
    return Normalised(buckets=buckets, context_tokens=buckets.prompt, flags=(CLAMPED,) if uncached < 0 else ())


def normalise(usage: Mapping[str, Any], convention: Convention) -> Normalised:
    """A reported usage object in disjoint buckets, by the convention of its source.

    Exclusive objects have Anthropic's field names. Inclusive ones have those of OpenAI's
    Responses or Chat API. Raises UsageError that names the field at fault.
    """
    if convention == "exclusive":
        return anthropic(usage)
    details = _object(usage, "input_tokens_details") or _object(usage, "prompt_tokens_details")
    outputs = _object(usage, "output_tokens_details") or _object(usage, "completion_tokens_details")
    return inclusive(
        input_tokens=count(usage, "input_tokens") or count(usage, "prompt_tokens"),
        read=count(details, "cached_tokens"),
        write_other=count(details, "cache_write_tokens"),
        output=count(usage, "output_tokens") or count(usage, "completion_tokens"),
        reasoning=count(outputs, "reasoning_tokens"),
    )


def add(*parts: Buckets) -> Buckets:
    """The field-wise sum."""
    return Buckets(**{name: sum(getattr(part, name) for part in parts) for name in Buckets.__struct_fields__})


def most(*parts: Buckets) -> Buckets:
    """The field-wise maximum."""
    return Buckets(**{name: max(getattr(part, name) for part in parts) for name in Buckets.__struct_fields__})


def most_output(total: Buckets, outer: Buckets) -> Buckets:
    """`total`, with output counts that are at least those of `outer`."""
    return msgspec.structs.replace(
        total, output=max(total.output, outer.output), reasoning=max(total.reasoning, outer.reasoning)
    )


def merge_raw(one: Any, other: Any) -> Any:
    """Two usage objects of one request as one: the larger of each count, field by field, in any order.

    Lists of one length are merged item by item; of two lengths the longer one stands. Anything
    else that differs is decided by its JSON text, so that no order of import changes the result.
    """
    if one == other or other is None:
        return one
    if one is None:
        return other
    if isinstance(one, dict) and isinstance(other, dict):
        return {key: merge_raw(one.get(key), other.get(key)) for key in sorted({*one, *other})}
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [merge_raw(a, b) for a, b in zip(one, other, strict=True)]
    if isinstance(one, list) and isinstance(other, list):
        return max(one, other, key=len)
    if _is_number(one) and _is_number(other):
        return max(one, other)
    return max(one, other, key=msgspec.json.encode)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def cache_rate(buckets: Buckets) -> Decimal | None:
    """Reads over all prompt tokens processed, writes included; None where there were none.

    rate = read / (uncached + read + written). Sum the buckets first: a rate of an aggregate is
    the sum of reads over the sum of prompts, never a mean of rates.
    """
    return rate_of(read=buckets.read, prompt=buckets.prompt)


def rate_of(*, read: int, prompt: int) -> Decimal | None:
    """The cache rate of two sums; None where no prompt token was processed."""
    return Decimal(read) / Decimal(prompt) if prompt else None
