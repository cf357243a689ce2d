"""Recorded requests of several providers, raw: the accounting of each against the total that was reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from harness.accounting import Account, account_of
from harness.accounting.bodies import pieces_of
from harness.accounting.captured import canonical
from harness.usage import normalise


def _account(body: Any, total: int) -> Account:
    return account_of(pieces_of(canonical(body)), total=total, model=body["model"])


def _exchanges(samples: Path) -> list[tuple[str, dict[str, Any], int]]:
    """Each recorded request that its response reports a total of: its file, its body, the total."""
    found = []
    for path in sorted((samples / "http_cassettes").glob("*.yaml")):
        for each in yaml.safe_load(path.read_text(encoding="utf-8"))["interactions"]:
            body = each["request"].get("parsed_body") or json.loads(each["request"]["body"])
            response = each["response"].get("parsed_body")
            usage = response.get("usage") if isinstance(response, dict) else None
            if usage and "inputTokens" not in usage:
                inclusive = "prompt_tokens" in usage or "input_tokens_details" in usage
                prompt = normalise(usage, "inclusive" if inclusive else "exclusive").buckets.prompt
                found.append((path.stem, body, prompt))
    return found


def test_parts_and_residual_are_the_reported_total_of_every_recording(samples: Path) -> None:
    exchanges = _exchanges(samples)
    assert len(exchanges) > 40
    for _, body, total in exchanges:
        account = _account(body, total)
        assert sum(each.count.tokens for each in account.categories) + (account.residual or 0) == total


def test_a_recorded_prompt_of_texts_is_attributed_to_98_per_cent(samples: Path) -> None:
    plain = [(body, total) for name, body, total in _exchanges(samples) if "prompt_cache_e2e" in name]
    assert len(plain) == 4
    for body, total in plain:
        assert abs(_account(body, total).residual or total) < total * 0.02
