"""The costs page: sums over runs, systems and agents."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from console_logs import HOSTILE, harmless, words

from labwright.apps.console.pages.costs import drawn, money
from labwright.apps.console.parts.cost_ledger import Ledger, Spent, bill_of, device_seconds, read_ledger
from labwright.tools.runs import Run, create_run


def usage(calls: int, cost: float | None, agent: str = "lab_calibration.decide") -> dict[str, Any]:
    one = {"answers": calls, "calls": calls, "cache_hits": 1, "input_tokens": 1000, "output_tokens": 50, "cost": cost}
    return {"wall": 2.5, "total": one, "agents": {agent: one}}


def spent(root: Path, system: str, calls: int, cost: float | None) -> Run:
    run = create_run(root, system, "Do it", {}, 0)
    run.save_json("usage.json", usage(calls, cost))
    return run


def test_sums_by_system_and_agent(tmp_path: Path) -> None:
    spent(tmp_path, "lab_calibration", 2, 0.5)
    spent(tmp_path, "lab_calibration", 3, 0.25)
    spent(tmp_path, "tool_forging", 1, 0.0)
    ledger = read_ledger(tmp_path)
    assert (ledger.total.calls, ledger.total.cost, ledger.total.input_tokens) == (6, 0.75, 3000)
    assert (ledger.systems["lab_calibration"].calls, ledger.systems["lab_calibration"].wall) == (5, 5.0)
    assert ledger.agents["lab_calibration.decide"].output_tokens == 150
    made = [bill.created for bill in ledger.bills]
    assert made == sorted(made, reverse=True), "the newest first"


def test_an_unknown_price_makes_the_sum_unknown(tmp_path: Path) -> None:
    spent(tmp_path, "tool_forging", 1, 0.5)
    spent(tmp_path, "tool_forging", 1, None)
    assert read_ledger(tmp_path).total.cost is None
    assert "unknown" in words(drawn(read_ledger(tmp_path)), "//tbody[1]/tr[last()]")[0]


def test_device_time_of_a_real_calibration(calibrated: Run) -> None:
    measured = [event["device_seconds"] for event in calibrated.events.read() if event.get("kind") == "measured"]
    assert device_seconds(calibrated) == pytest.approx(sum(measured))
    assert bill_of(calibrated).spent.device > 200


def test_qubits_that_are_measured_together_count_once(tmp_path: Path) -> None:
    run = create_run(tmp_path, "lab_calibration", "Chip", {}, 0)
    run.events.append({"kind": "played", "together": 40.0, "one_by_one": 80.0})
    run.events.append({"kind": "said", "text": '"measured"'})
    assert device_seconds(run) == 40.0
    run.save_json("result.json", {"status": "complete", "result": {"device_seconds": 41.0}})
    assert device_seconds(run) == 41.0


def test_a_damaged_run_hides_no_other(tmp_path: Path) -> None:
    spent(tmp_path, "tool_forging", 1, 0.0)
    spent(tmp_path, "tool_forging", 1, 0.0).save_text("usage.json", "{")
    create_run(tmp_path, "tool_forging", "Only begun", {}, 0)
    assert [bill.spent.calls for bill in read_ledger(tmp_path).bills] == [0, 1]


def test_only_the_period_that_was_asked_for() -> None:
    now = datetime(2026, 1, 31, tzinfo=UTC)
    bills = [bill(now - timedelta(days=days)) for days in (0.5, 3, 20, 90)]
    assert [len(Ledger(bills).since(days, now).bills) for days in ("1", "7", "30", "")] == [1, 2, 3, 4]
    assert Ledger(bills).since("7", now).total.calls == 2


def bill(created: datetime) -> Any:
    from labwright.apps.console.parts.cost_ledger import Bill

    return Bill("r", "tool_forging", "", created.isoformat(), Spent(calls=1), {})


def test_money_is_said_as_it_is_known() -> None:
    assert [money(cost) for cost in (None, 0.0, 0.5, 0.00123, 12.345)] == ["unknown", "0.00", "0.50", "0.0012", "12.35"]


def test_nothing_said_becomes_markup(tmp_path: Path) -> None:
    run = create_run(tmp_path, HOSTILE, HOSTILE, {}, 0)
    run.save_json("usage.json", usage(1, 0.0, HOSTILE))
    text = drawn(read_ledger(tmp_path))
    assert harmless(text)
    assert "onerror=alert(1)" in text
