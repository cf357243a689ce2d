"""Caching without markers, and the explicit breakpoints of later models."""

from __future__ import annotations

from typing import Any

import pytest

from harness.simulator import ANTHROPIC, OPENAI, OPENAI_IMPLICIT, Outcome, Rules, Simulator, rules_for
from tests.harness.simulator.building import after, body, simulator, text, user

BREAKPOINT = {"type": "ephemeral", "ttl": "30m"}


def pair(rules: Rules, first: dict[str, Any], second: dict[str, Any], seconds: float = 5) -> Outcome:
    """The outcome of the second request."""
    sim = simulator(rules)
    sim.send({**first, "model": "gpt"}, at=after(0), first_event_at=after(1))
    return sim.send({**second, "model": "gpt"}, at=after(seconds), first_event_at=after(seconds + 1))


def test_older_models_read_multiples_of_128_and_report_no_write() -> None:
    outcome = pair(OPENAI_IMPLICIT, body(user(text("a", 2006))), body(user(text("a", 2006))))
    assert (outcome.uncached, outcome.read, outcome.written) == (86, 1920, 0)


def test_older_models_read_what_the_requests_have_in_common() -> None:
    outcome = pair(
        OPENAI_IMPLICIT,
        body(user(text("a", 1500), text("b", 900))),
        body(user(text("a", 1500), text("c", 900))),
    )
    assert outcome.read == 1408


def test_older_models_read_nothing_under_1024() -> None:
    assert pair(OPENAI_IMPLICIT, body(user(text("a", 1023))), body(user(text("a", 1023)))).read == 0


def test_older_models_look_back_without_a_limit() -> None:
    more = [text(f"b{number}", 10) for number in range(60)]
    assert pair(OPENAI_IMPLICIT, body(user(text("a", 1280))), body(user(text("a", 1280), *more))).read == 1280


def test_what_is_in_memory_is_gone_after_five_minutes() -> None:
    assert pair(OPENAI_IMPLICIT, body(user(text("a", 2006))), body(user(text("a", 2006))), 301).read == 0


def test_later_models_write_the_end_of_each_request_and_bill_only_what_is_new() -> None:
    outcome = pair(OPENAI, body(user(text("a", 2000))), body(user(text("a", 2000), text("b", 400))))
    assert (outcome.uncached, outcome.read, outcome.write_other) == (0, 2000, 400)


def test_later_models_keep_an_entry_for_half_an_hour() -> None:
    first, second = body(user(text("a", 2000, BREAKPOINT))), body(user(text("a", 2000)))
    assert (pair(OPENAI, first, second, 1799).read, pair(OPENAI, first, second, 1800).read) == (2000, 0)


@pytest.mark.parametrize(
    ("provider", "model", "rules"),
    [
        ("anthropic", "claude-opus-5", ANTHROPIC),
        ("openai", "gpt-5.6-sol", OPENAI),
        ("openai", "gpt-6-sol", OPENAI),
        ("openai", "gpt-5.4", OPENAI_IMPLICIT),
        ("openai", "gpt-4o-mini", OPENAI_IMPLICIT),
        ("compatible", "qwen3", OPENAI_IMPLICIT),
    ],
)
def test_each_provider_and_model_has_its_rules(provider: str, model: str, rules: Rules) -> None:
    assert rules_for(provider, model) is rules


def test_a_model_of_openai_is_counted_with_its_own_tokenizer() -> None:
    outcome = Simulator(OPENAI_IMPLICIT).send(
        {"model": "gpt-5.4", "messages": [{"role": "user", "content": "hello world"}]}, at=after(0)
    )
    assert outcome.prompt == 2
