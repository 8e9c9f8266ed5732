"""The suites of two-qubit gates: rivals, scores, maps and ceilings on small examples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from labwright.evaluation.ghz_preparation import CALIBRATED, ideal_fidelity, true_fidelity
from labwright.evaluation.sizzle import _judged, regret
from labwright.evaluation.sizzle_map import _difference
from labwright.evaluation.sizzle_rivals import RIVALS
from labwright.tools.experiments.base import Bench
from labwright.tools.experiments.named_state_circuits import prepared
from labwright.tools.experiments.sizzle_policy import Attempt, Situation
from labwright.tools.qpu.oracle_pair import CZ, average_error
from labwright.tools.qpu.simulated import open_simulated

GATES = {
    "Q1-Q2": {"frequency": 4759.0, "amplitude_first": 0.3477, "amplitude_second": 0.3463, "duration": 0.4528,
              "edge": 0.08, "z_first": -1.5708, "z_second": -1.5708},
    "Q1-Q8": {"frequency": 4854.5, "amplitude_first": 0.3477, "amplitude_second": 0.3498, "duration": 0.4327,
              "edge": 0.08, "z_first": 1.5708, "z_second": 1.5708},
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(RIVALS))
def test_rivals_propose_new_drives_inside_the_limits(name: str) -> None:
    advisor = RIVALS[name](3)
    attempts: list[Attempt] = []
    for _ in range(7):
        drive = advisor.drive(Situation((4888.0, 4795.0), (-197.0, -197.0), 0.35, tuple(attempts), 20, 20))
        assert not drive.stop
        assert 0 < drive.amplitude <= 0.35
        attempts.append(Attempt(drive.frequency, drive.amplitude, "failed", "moved"))
    assert len({a.frequency for a in attempts}) == 7


def test_regret_is_that_of_the_drive_with_the_smallest_benchmark_so_far() -> None:
    tried = [[2, 0.02, 0.021], [5, 0.012, 0.018], [9, 0.014, 0.013]]
    assert [regret(tried, 0.011, n) for n in (1, 4, 9)] == pytest.approx([1.0, 0.01, 0.007])


def test_a_rival_passes_where_it_comes_as_near_as_we_must() -> None:
    rows = [{"case": "a", "error": 0.013}, {"case": "b", "error": 0.02}, {"case": "c"}]
    judged = _judged(rows, {"a": 0.012, "b": 0.012, "c": 0.012})
    assert judged["score"] == pytest.approx(1 / 3)
    assert judged["found"] == 2
    assert judged["worst_excess"] == pytest.approx(0.008)


def test_a_cz_shows_the_largest_difference_and_no_gate_shows_none() -> None:
    whole = np.eye(16, dtype=complex)
    assert _difference(whole) == pytest.approx(0.0)
    whole[5, 5] = -1
    assert _difference(whole) == pytest.approx(2.0)


def test_average_error_of_known_channels() -> None:
    def process(unitary: np.ndarray) -> np.ndarray:
        return np.einsum("ai,bj->ijab", unitary, unitary.conj())

    assert average_error(process(CZ), CZ) == pytest.approx(0.0)
    assert average_error(process(np.eye(4, dtype=complex)), CZ) == pytest.approx(0.6)
    turned = CZ @ np.diag(np.exp(1j * np.array([0, 0, 0, 0.2])))
    assert average_error(process(turned), CZ) == pytest.approx(0.15 * 0.2**2, rel=0.01)


@pytest.mark.slow
def test_ceiling_of_a_ghz_state_lies_just_above_what_good_gates_make(tmp_path: Path) -> None:
    device = open_simulated(tmp_path / "device", 1, CALIBRATED)
    for name, gate in GATES.items():
        device.settings.update(name, gate, key=name, reason="a search")
    circuit = prepared("ghz", ("Q2", "Q1", "Q8"), device.settings.pairs)
    assert len(circuit.slots(Bench(device, "x"))) > 10
    ceiling, true = ideal_fidelity(device, circuit), true_fidelity(device, circuit)
    device.close()
    assert ceiling == pytest.approx(0.956 * 0.9566, abs=0.004)  # 1.5 % in level 1 on three qubits, and decay
    assert 0.97 * ceiling < true < ceiling
