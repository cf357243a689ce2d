"""Requests: what was loaded, what is sent, where the cache markers stand, and what each choice costs."""

from __future__ import annotations

from harness.request.assembly import Assembly
from harness.request.bridge import Call, unwrap
from harness.request.costs import (
    Course,
    Extra,
    Prices,
    Sizes,
    activation_cost,
    default_strategy,
    prices_for,
    run_cost,
)
from harness.request.ledger import Activation, Ledger, Loaded, Standing
from harness.request.openai_form import to_openai_chat, to_openai_responses
from harness.request.request import Placed, Request, prefix_hash
from harness.request.strategies import STRATEGIES, Strategy, support_of
from harness.request.trimming import Cut, Trimmed, Trimming, size_of

__all__ = [
    "STRATEGIES",
    "Activation",
    "Assembly",
    "Call",
    "Course",
    "Cut",
    "Extra",
    "Ledger",
    "Loaded",
    "Placed",
    "Prices",
    "Request",
    "Sizes",
    "Standing",
    "Strategy",
    "Trimmed",
    "Trimming",
    "activation_cost",
    "default_strategy",
    "prefix_hash",
    "prices_for",
    "run_cost",
    "size_of",
    "support_of",
    "to_openai_chat",
    "to_openai_responses",
    "unwrap",
]
