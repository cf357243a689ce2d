from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from harness import tokens, wire
from harness.catalogue.own import CALL_TOOL
from harness.request import STRATEGIES, Course, Sizes, Strategy, activation_cost, default_strategy, prices_for, run_cost
from harness.request.costs import CLOSE, EXTRAS, USUAL
from harness.request.strategies import support_of
from harness.simulator import ANTHROPIC, Block, Simulator, rules_for
from tests.harness.request.building import answers, asks, assembly, calls, searched

START = datetime(2026, 11, 2, 9, tzinfo=UTC)
SIZES = Sizes(resident=5_000, system=6_000, history=60_000, schema=300)
PRICES = prices_for("anthropic", "claude-opus-4-6")


@pytest.mark.parametrize("strategy", ["reference", "inline", "bridge"])
def test_a_schema_at_the_tail_costs_7475(strategy: Strategy) -> None:
    assert activation_cost(strategy, SIZES, PRICES) == 7_475


def test_a_schema_in_the_tools_costs_88100() -> None:
    assert activation_cost("append", SIZES, PRICES) == 88_100


def test_a_cheaper_read_makes_the_difference_larger() -> None:
    prices = prices_for("anthropic", "claude-opus-5-5")
    assert activation_cost("reference", SIZES, prices) == 71_000 * Decimal("0.05") + 300 * Decimal("1.25")


def test_where_writes_are_free_a_prefix_that_moved_costs_its_full_price() -> None:
    prices = prices_for("deepseek", "deepseek-v4")
    assert activation_cost("append", SIZES, prices) == 500 + 300 + 6_000 + 60_000


def test_where_only_the_end_is_marked_nothing_of_a_prefix_that_moved_is_found() -> None:
    prices = prices_for("openai", "gpt-5.6")
    assert activation_cost("append", SIZES, prices) == 71_300 * Decimal("1.25")


def test_a_batch_costs_little_more_than_one_tool() -> None:
    batch = activation_cost("append", Sizes(resident=5_000, system=6_000, history=60_000, schema=1_500), PRICES)
    assert batch - activation_cost("append", SIZES, PRICES) == 1_200 * 2


def test_the_envelope_of_the_bridge_is_counted_in_every_request() -> None:
    text = wire.dumps(CALL_TOOL.definition()).decode()
    counted = tokens.measured(tokens.count(text), tokens.factor("claude-opus-5-5", "schema")).tokens
    assert counted == pytest.approx(EXTRAS["bridge"].resident, abs=40)


@pytest.mark.parametrize(
    ("provider", "model", "default"),
    [
        ("anthropic", "claude-opus-5-5", "reference"),
        ("anthropic", "claude-sonnet-5", "reference"),
        ("anthropic", "claude-3-5-haiku", "bridge"),
        ("openai", "gpt-5.6", "reference"),
        ("openai", "gpt-4.1", "bridge"),
        ("deepseek", "deepseek-v4", "bridge"),
    ],
)
def test_the_default_of_a_provider_is_the_cheapest_that_it_takes(provider: str, model: str, default: Strategy) -> None:
    assert default_strategy(provider, model) == default
    prices = prices_for(provider, model)
    costs = {each: run_cost(each, USUAL, prices) for each in support_of(provider, model).strategies}
    assert costs[default] <= min(costs.values()) * CLOSE


def test_a_run_without_loads_costs_the_same_with_each_strategy_but_for_the_envelope() -> None:
    course = Course(sizes=USUAL.sizes)
    costs = {each: run_cost(each, course, PRICES) for each in STRATEGIES}
    assert costs["append"] == costs["reference"] == costs["inline"] < costs["bridge"]


def size(block: Block, model: str) -> int:
    """A tool is 300 tokens, a system block 3,000, a message's block 1,500, and 300 for each schema that it brings."""
    own = {"tools": 300, "system": 3_000, "messages": 1_500}[block.tier]
    kind = block.value.get("type")
    if kind == "tool_addition":
        return 300
    text = str(block.value.get("content"))
    return own + 300 * len(block.loads) + (300 if "Does what" in text else 0)


def simulated(strategy: Strategy) -> Decimal:
    """What a run of real requests with two loads costs in the simulator."""
    run, simulator, cost = assembly(strategy), Simulator(ANTHROPIC, count=size), Decimal(0)
    rates = ANTHROPIC.rates_for("claude-opus-5-5")
    run.append(asks())
    cost += simulator.send(run.build().body, at=START).cost(rates)
    for number in range(1, 20):
        if number in (5, 12):
            request = searched(run, [("zip_files", "open_ticket")[number == 12]], call=f"s{number}")
        else:
            run.append(calls("read", f"r{number}"))
            run.append(answers(f"r{number}"))
            request = run.build()
        cost += simulator.send(request.body, at=START + timedelta(minutes=number)).cost(rates)
    return cost


def test_the_simulator_ranks_the_strategies_on_real_requests_as_the_formula_does() -> None:
    costs = {each: simulated(each) for each in STRATEGIES}
    prices = prices_for("anthropic", "claude-opus-5-5")
    formula = {each: run_cost(each, USUAL, prices) for each in STRATEGIES}
    assert max(costs, key=costs.__getitem__) == max(formula, key=formula.__getitem__) == "append"
    assert costs["reference"] <= min(costs.values()) * CLOSE
    assert costs["append"] > costs["reference"] * Decimal("1.3")


def test_the_simulator_prices_one_load_as_the_formula_does() -> None:
    """Append after eight requests: the residents are read, all else is written again."""
    run, simulator = assembly("append"), Simulator(ANTHROPIC, count=size)
    run.append(asks())
    simulator.send(run.build().body, at=START)
    outcome = simulator.send(searched(run, ["zip_files"]).body, at=START + timedelta(minutes=1))
    assert (outcome.read, outcome.write_1h, outcome.write_5m) == (3 * 300, 300 + 2 * 3_000, 3 * 1_500)
    sizes = Sizes(resident=900, system=6_000, history=4_500, schema=300)
    rates = rules_for("anthropic", "claude-opus-5-5").rates_for("claude-opus-5-5")
    assert outcome.cost(rates) == activation_cost("append", sizes, prices_for("anthropic", "claude-opus-5-5"))
