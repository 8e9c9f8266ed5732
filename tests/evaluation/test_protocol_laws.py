"""Drawn designs keep the laws, faults put into right ones are seen, and robots move what was planned."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from designs import plan_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labwright.evaluation.benchmarks import robot_volume_agreement
from labwright.evaluation.benchmarks.protocol_faults import KINDS, measure, table
from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.protocol_faults import Kind
from labwright.evaluation.protocol_laws import broken
from labwright.evaluation.random_protocols import random_design
from labwright.tools.liquid_handler.protocol_planner import Made
from labwright.tools.runs.hashed_files import read_json

CALM = [HealthCheck.too_slow, HealthCheck.data_too_large]
DICE = st.randoms(use_true_random=False)


@settings(suppress_health_check=CALM, derandomize=True)
@given(DICE)
def test_laws(dice: random.Random) -> None:
    assert broken(plan_of(random_design(dice))) == []


@pytest.mark.nightly
@settings(max_examples=2000, suppress_health_check=CALM)
@given(DICE)
def test_laws_of_two_thousand(dice: random.Random) -> None:
    assert broken(plan_of(random_design(dice))) == []


@pytest.mark.parametrize(
    ("change", "says"), [(lambda v: 1.01 * v, "dose"), (lambda v: 20 * v, "fill"), (lambda v: v + 0.5, "total")]
)
def test_a_broken_law_is_seen(change: Callable[[float], float], says: str) -> None:
    made = next(made for made in map(drawn, range(50)) if made.protocol.steps[0].unit == "uL")
    first = made.protocol.steps[0]
    step = replace(first, amounts={well: change(value) for well, value in first.amounts.items()})
    wrong = replace(made, protocol=replace(made.protocol, steps=(step, *made.protocol.steps[1:])))
    found = broken(wrong)
    assert "file: it does not read back as the protocol that was written" in found
    if says == "dose":  # the first liquid may be what fills up, whose amount nobody stated
        says = "total" if first.subject == made.design.groups[0].doses[-1].substance else says
    assert any(one.startswith(says) for one in found)


def drawn(seed: int) -> Made:
    return plan_of(random_design(random.Random(seed)))


DOCUMENT = Path(__file__).parents[2] / "docs" / "protocol-checks.md"


@pytest.mark.slow  # the committed table is below
def test_every_kind_is_seen_and_nothing_else() -> None:
    result = measure(each=1, seed=5)
    assert result["false_alarms"] == []
    assert [(row["put"], row["seen"]) for row in result["rows"]] == [(1, 1)] * len(KINDS)


def test_a_fault_that_no_check_sees_is_counted_as_missed() -> None:
    blind = Kind("another title", "balance", lambda made, rng: replace(made.protocol, title="x"))
    result = measure(each=2, kinds=[blind])
    assert result["least"] == 0
    assert len(result["rows"][0]["missed"]) == 2


def test_the_committed_table_keeps_what_is_promised() -> None:
    result = read_json(FOLDER / "protocol_faults.json", "run the benchmark")
    assert {row["fault"] for row in result["rows"]} == {kind.name for kind in KINDS}
    assert len(KINDS) >= 25
    assert all(row["put"] >= 40 and row["seen"] >= 0.98 * row["put"] for row in result["rows"])
    assert result["false_alarms"] == []
    assert table(result) in DOCUMENT.read_text(encoding="utf-8")


@pytest.mark.slow
def test_drawn_protocols_agree_and_planted_faults_are_seen() -> None:
    pytest.importorskip("pylabrobot")
    result = robot_volume_agreement.measure(2, 2, 0, None, "")
    assert [row["accepted"] for row in result["agreement"]] == [2, 2, 2]  # without Opentrons' simulator
    assert [row["accepted"] for row in result["examples"]] == [9, 9, 9]
    assert [(row["seen"], row["put"]) for row in result["planted"]] == [(2, 2)] * 6
    assert result["schema"] == {"files": 11, "valid_by_ours": 11}
    assert "| over-draw | PyLabRobot | 2 of 2 | 0 |" in robot_volume_agreement.table(result)
