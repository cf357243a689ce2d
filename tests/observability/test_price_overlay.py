from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from harness.runlog import Buckets
from observability import checks, price_overlay, pricing
from observability.errors import PricesUnreadable

JULY = datetime(2026, 7, 10, tzinfo=UTC)
ROOT = Path(__file__).parents[2]


@pytest.fixture
def overlay(settings: Settings, tmp_path: Path) -> Any:
    def write(*models: dict[str, Any]) -> Path:
        settings.PRICES_FILE = tmp_path / "prices.json"
        settings.PRICES_FILE.write_text(json.dumps({"models": models}))
        return Path(settings.PRICES_FILE)

    return write


def _uncached(model: str, provider: str = "", at: datetime = JULY, prompt: int = 1) -> Decimal | None:
    prices = pricing.unit_prices(model, provider, at, prompt)
    return prices.uncached if prices else None


def test_a_private_model_gets_its_price(overlay: Any) -> None:
    overlay({"model": "ours", "usd_per_million": {"uncached": "2", "output": 4}})
    cost = pricing.cost("ours", "", JULY, Buckets(uncached=10, output=10))
    assert cost == pricing.Cost(60_000_000, 20_000_000, 40_000_000)


def test_an_entry_goes_before_the_bundled_price(overlay: Any) -> None:
    overlay({"model": "claude-fable-5", "usd_per_million": {"uncached": "1"}})
    prices = pricing.unit_prices("claude-fable-5", "", JULY, 1)
    assert prices is not None
    assert (prices.uncached, prices.read, prices.source) == (Decimal(1), None, "overlay")


def test_what_an_entry_leaves_out_is_unpriced(overlay: Any) -> None:
    overlay({"model": "claude-fable-5", "usd_per_million": {"uncached": "1"}})
    assert pricing.cost("claude-fable-5", "", JULY, Buckets(uncached=1, read=1)) is None


def test_a_star_stands_for_any_ending(overlay: Any) -> None:
    overlay({"model": "ours-*", "usd_per_million": {"uncached": "2"}})
    assert (_uncached("ours-large"), _uncached("their-large")) == (Decimal(2), None)


def test_an_exact_name_goes_before_a_pattern(overlay: Any) -> None:
    overlay(
        {"model": "ours-*", "usd_per_million": {"uncached": "2"}},
        {"model": "ours-large", "usd_per_million": {"uncached": "3"}},
    )
    assert _uncached("ours-large") == 3


def test_a_provider_narrows_an_entry(overlay: Any) -> None:
    overlay({"model": "ours", "provider": "acme", "usd_per_million": {"uncached": "2"}})
    assert (_uncached("ours", "acme"), _uncached("ours")) == (Decimal(2), None)


def test_a_later_price_holds_from_its_day_on(overlay: Any) -> None:
    overlay(
        {"model": "ours", "usd_per_million": {"uncached": "2"}},
        {"model": "ours", "since": "2026-07-10", "usd_per_million": {"uncached": "1"}},
    )
    assert (_uncached("ours", at=datetime(2026, 7, 9, tzinfo=UTC)), _uncached("ours")) == (Decimal(2), Decimal(1))


def test_a_large_prompt_reaches_the_next_tier(overlay: Any) -> None:
    above = [{"prompt_tokens": 100, "usd_per_million": {"uncached": "5"}}]
    overlay({"model": "ours", "usd_per_million": {"uncached": "2"}, "above": above})
    assert (_uncached("ours", prompt=100), _uncached("ours", prompt=101)) == (Decimal(2), Decimal(5))


def test_reasoning_may_have_a_price_of_its_own(overlay: Any) -> None:
    overlay({"model": "ours", "usd_per_million": {"output": "2", "reasoning": "3"}})
    cost = pricing.cost("ours", "", JULY, Buckets(output=10, reasoning=4))
    assert cost is not None
    assert cost.output == 24_000_000


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"models": [{"model": "a"}]}',
        '{"models": [{"model": "a", "usd_per_million": {"reads": "1"}}]}',
        '{"models": [{"model": "a", "usd_per_million": {"read": "-1"}}]}',
        '{"models": [{"model": "a", "usd_per_million": {"read": "NaN"}}]}',
        "\udcff",
    ],
)
def test_a_file_that_cannot_be_used_is_refused(settings: Settings, tmp_path: Path, text: str) -> None:
    settings.PRICES_FILE = tmp_path / "prices.json"
    settings.PRICES_FILE.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(PricesUnreadable, match=r"^The prices in prices.json cannot be read: "):
        price_overlay.load(settings.PRICES_FILE)
    assert [error.id for error in checks.prices_can_be_read()] == ["observability.E001"]


def test_a_missing_file_is_no_fault(settings: Settings, tmp_path: Path) -> None:
    settings.PRICES_FILE = tmp_path / "none.json"
    assert checks.prices_can_be_read() == []


def test_the_documented_example_can_be_read(settings: Settings, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "prices.md").read_text()
    [example] = re.findall(r"```json\n(.*?)```", page, re.S)
    settings.PRICES_FILE = tmp_path / "prices.json"
    settings.PRICES_FILE.write_text(example)
    assert _uncached("our-coder-2", "acme", prompt=200_001) == Decimal("1.20")
