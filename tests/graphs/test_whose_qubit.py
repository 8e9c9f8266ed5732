"""Which qubit a step means, and whose numbers it may use."""

from __future__ import annotations

from pathlib import Path

import pytest
from calibrations import CALIBRATED, calibrate

from labwright.evaluation.benchmarks.run_comparison import witness
from labwright.tools.qpu.simulated import open_simulated

DOCUMENT = """# Look at 'dut'
## Steps
- t1. Repeat at most 2 times.
- Measure the spin echo of 'dut'.
"""


def measured(folder: Path) -> list[tuple[str, str]]:
    """Experiment and qubit of every measurement, in order; a repetition counts once."""
    calls = [row["call"] for row in witness(folder).stages if row["call"]]
    return list(dict.fromkeys((call["experiment"], call["arguments"]["qubit"]) for call in calls))


def test_a_step_without_a_name_means_the_qubit_of_its_own_round(root: Path) -> None:
    outcome = calibrate(DOCUMENT, root, qubits=["Q1", "Q2"])
    assert outcome.status == "complete", outcome.reason
    assert measured(outcome.run_dir) == [("t1", "Q1"), ("spin_echo", "Q1"), ("t1", "Q2"), ("spin_echo", "Q2")]


@pytest.mark.slow
def test_a_step_uses_the_numbers_of_its_own_qubit(root: Path) -> None:
    outcome = calibrate("t1 Q1; t1 Q2; spin_echo Q2, stop = 1.5 * t1.t1", root)
    assert outcome.status == "complete", outcome.reason
    echo = next(row["call"] for row in witness(outcome.run_dir).stages if row["call"]["experiment"] == "spin_echo")
    own = outcome.result["qubits"]["Q2"]["measured"]["t1.t1"]["value"]
    assert echo["arguments"]["stop"] == pytest.approx(1.5 * own, rel=1e-3)
    assert own < 0.9 * outcome.result["qubits"]["Q1"]["measured"]["t1.t1"]["value"]


@pytest.mark.slow
def test_a_step_may_use_the_setting_of_another_qubit_by_its_name(root: Path) -> None:
    outcome = calibrate("qubit_spectroscopy Q1, amplitude = 0.05 * Q2.amplitude_pi, update = no", root)
    assert outcome.status == "complete", outcome.reason
    device = open_simulated(outcome.run_dir / "device", 3, dict(CALIBRATED))
    try:
        wanted = 0.05 * device.settings.current("Q2").amplitude_pi
    finally:
        device.close()
    assert witness(outcome.run_dir).stages[0]["call"]["arguments"]["amplitude"] == pytest.approx(wanted, rel=1e-4)
