"""Budgets read, totals add up, and a meter survives its process."""

from __future__ import annotations

import json

import pytest

from labwright.agents.errors import BudgetExceeded
from labwright.agents.meter import Budget, Meter, Usage


def test_a_budget_reads_from_the_command_line() -> None:
    assert Budget.parse("tokens=20000, calls=50,seconds=600,money=2.5") == Budget(20000, 2.5, 50, 600)
    assert Budget.parse("") == Budget()


@pytest.mark.parametrize("text", ["tokens", "tokens=x", "time=3", "calls=-1", "calls=nan", "calls=1,calls=2"])
def test_a_budget_that_does_not_read_says_why(text: str) -> None:
    with pytest.raises(ValueError, match=r"Budget.*must be"):
        Budget.parse(text)


def test_a_meter_goes_on_where_it_was_stopped() -> None:
    first = Meter(Budget(calls=3))
    first.begin("a")
    first.begin("b")
    first.record("a", Usage(input_tokens=10, output_tokens=5, cost=0.25))
    second = Meter(Budget(calls=3))
    second.restore(json.loads(json.dumps(first.state())))
    assert second.agents() == first.agents()
    assert second.total() == Usage(calls=2, input_tokens=10, output_tokens=5, cost=0.25)
    second.begin("a")
    with pytest.raises(BudgetExceeded, match=r"3 calls is spent"):
        second.begin("a")
    assert second.total().calls == 3


def test_wall_time_of_earlier_parts_counts() -> None:
    meter = Meter(Budget(seconds=100))
    meter.restore({"wall": 101.0, "agents": {}})
    with pytest.raises(BudgetExceeded, match="100 seconds"):
        meter.check()


def test_an_unknown_cost_stays_unknown() -> None:
    meter = Meter(Budget(money=1))
    meter.record("a", Usage(cost=None))
    meter.record("a", Usage(cost=0.1))
    assert meter.total().cost is None
    with pytest.raises(BudgetExceeded, match="LABWRIGHT_PRICES"):
        meter.begin("a")


def test_a_budget_of_nothing_lets_no_call_start() -> None:
    for limit in ("calls", "tokens", "money"):
        with pytest.raises(BudgetExceeded):
            Meter(Budget.parse(f"{limit}=0")).begin("a")
