"""What an experiment reports against the truth of drawn devices: within its error, and the error is no wider than it.

Two devices by default, ten with ``-m slow``; there the share within one and two of the stated errors is checked too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from labwright.evaluation.judged_settings import best_cut
from labwright.tools.experiments.base import Estimate, Experiment, Report
from labwright.tools.experiments.estimation import PAULIS
from labwright.tools.experiments.gate_tomography import remaining
from labwright.tools.experiments.gates import half_turn, program
from labwright.tools.experiments.thermal_population import second_half_turn
from labwright.tools.experiments.three_level_readout import assigned
from labwright.tools.qpu.cliffords import GATES, clifford_group
from labwright.tools.qpu.dynamics import LEVELS, Matrix, Transmon, channels
from labwright.tools.qpu.oracle import calibrated_gate, optimal_settings
from labwright.tools.qpu.playback import populations
from labwright.tools.qpu.readout import Readout, draw_shots, read_as_one
from labwright.tools.qpu.telegraph import coherence

Known = Iterator[tuple[Estimate, float]]  # what was reported, and what is true
CALIBRATED = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}


def now(lab: Any) -> Transmon:
    return lab.device.transmon("Q1", lab.device.settings.current("Q1").frequency)


def power_rabi(lab: Any, _: Experiment, report: Report) -> Known:
    best = optimal_settings(now(lab))
    yield report.estimates["amplitude_pi"], best.amplitude_pi
    yield report.estimates["amplitude_pi2"], best.amplitude_pi2
    yield report.estimates["drive_offset"], -now(lab).detuning


def cpmg(lab: Any, _: Experiment, report: Report) -> Known:
    truth = now(lab).truth
    for name, n in (("t2_one_pulse", 1), ("t2_cpmg", 16)):

        def left(t: float, n: int = n) -> float:
            waits = (t / 2 / n, *(n - 1) * (t / n,), t / 2 / n)
            return float(np.exp(1 - t / truth.t2_echo)) * coherence(truth, waits) - 1

        yield report.estimates[name], brentq(left, 1, 1400)


def transfer(channel: Matrix) -> np.ndarray:
    """Pauli transfer matrix (4, 4) of a channel on levels 0 and 1; what leaks is lost."""
    found = np.zeros((4, 4))
    for column, pauli in enumerate(PAULIS.values()):
        rho = np.zeros((LEVELS, LEVELS), dtype=complex)
        rho[:2, :2] = pauli / 2
        after = (channel @ rho.ravel()).reshape(LEVELS, LEVELS)[:2, :2]
        found[:, column] = [np.trace(each @ after).real for each in PAULIS.values()]
    return found


def gates(lab: Any) -> dict[str, Matrix]:
    settings = lab.device.settings.current("Q1")
    return dict(zip(GATES, channels(now(lab), tuple(calibrated_gate(name, settings) for name in GATES)), strict=True))


def clifford_channels(lab: Any) -> Iterator[Matrix]:
    each = gates(lab)
    for names in clifford_group().decompositions:
        whole: Matrix = np.eye(LEVELS**2, dtype=complex)
        for name in names:
            whole = each[name] @ whole
        yield whole


def leakage_rb(lab: Any, _: Experiment, report: Report) -> Known:
    """Mean population that leaves levels 0 and 1 from their mixture, and that returns from level 2."""
    begins = [np.diag([0.5, 0.5, 0, 0]).ravel(), np.diag([0, 0, 1.0, 0]).ravel()]
    out, stays = (
        np.mean([np.diag((c @ rho).reshape(LEVELS, LEVELS))[2:].sum().real for c in clifford_channels(lab)])
        for rho in begins
    )
    yield report.estimates["leakage_per_clifford"], float(out)
    yield report.estimates["seepage_per_clifford"], float(1 - stays)


def readout_optimization(lab: Any, experiment: Experiment, report: Report) -> Known:
    """Fidelity of the chosen readout with the line that was found, and the amplitude whose best line is best."""
    settings, transmon = lab.device.settings.current("Q1"), now(lab)
    levels = populations(transmon, program("Q1", [[], [half_turn(settings)]], 1))

    def fidelity(amplitude: float, angle: float, threshold: float) -> float:
        tone = Readout(transmon.truth, np.array([settings.readout_frequency]), np.array([amplitude]))
        ground, excited = levels @ read_as_one(tone, angle, threshold)[0]
        return float(1 + excited - ground) / 2

    angle, threshold = (report.estimates[f"readout_{name}"].value for name in ("angle", "threshold"))
    yield report.estimates["fidelity"], fidelity(report.estimates["best_amplitude"].value, angle, threshold)
    each = np.linspace(0.15, 0.6, 46)
    errors = [best_cut(transmon.truth, settings.readout_frequency, float(a))[2] for a in each]
    yield report.estimates["best_amplitude"], float(each[np.argmin(errors)])


def purity_rb(lab: Any, _: Experiment, report: Report) -> Known:
    losses = [np.sum(transfer(channel)[1:, 1:] ** 2) / 3 for channel in clifford_channels(lab)]
    yield report.estimates["unitarity"], float(np.mean(losses))


def gate_tomography(lab: Any, experiment: Experiment, report: Report) -> Known:
    true = transfer(gates(lab)["X180"])
    ideal = experiment.data["ideal"]
    for name, value in zip(("gate_error", "over_rotation", "axis_error"), remaining(true, ideal), strict=True):
        yield report.estimates[name], value


def tracking(lab: Any, experiment: Experiment, _: Report) -> Known:
    frequency = lab.device.settings.current("Q1").frequency
    for time, value, error in zip(*(experiment.data[n] for n in ("time", "value", "error")), strict=True):
        then = lab.device.transmon("Q1", frequency, clock=time)
        yield Estimate(value, error), then.truth.t1 if experiment.name == "t1_tracking" else then.detuning


def dispersive_shift(lab: Any, _: Experiment, report: Report) -> Known:
    truth = now(lab).truth
    yield report.estimates["chi"], truth.chi
    yield report.estimates["linewidth"], truth.kappa_ext + truth.resonator_frequency / truth.q_internal
    yield report.estimates["resonator"], truth.resonator_frequency


def three_level_readout(lab: Any, experiment: Experiment, report: Report) -> Known:
    """A million shots of what the pulses prepare, cut along the same lines."""
    settings, transmon = lab.device.settings.current("Q1"), now(lab)
    pi, second = half_turn(settings), second_half_turn(settings)
    levels = populations(transmon, program("Q1", [[], [pi], [pi, second]], 1))
    tone = Readout(transmon.truth, *np.full((2, 3), [[settings.readout_frequency], [settings.readout_amplitude]]))
    true = assigned(draw_shots(tone, levels, 300_000, np.random.default_rng(1)), experiment.data["centre"])
    for level in range(3):
        yield report.estimates[f"reads_{level}_of_{level}"], true[level, level]
    yield report.estimates["fidelity"], float(np.diag(true).mean())


# experiment -> what the device is opened with besides, arguments, what is known
CASES: dict[str, tuple[dict[str, float], dict[str, Any], Callable[..., Known]]] = {
    "power_rabi": ({"amplitude_error": -0.15, "frequency_offset": 0.4}, {}, power_rabi),
    "readout_optimization": ({}, {}, readout_optimization),
    "leakage_rb": ({"drag": 0.0}, {}, leakage_rb),
    "dispersive_shift": ({}, {}, dispersive_shift),
    "three_level_readout": ({}, {}, three_level_readout),
    "purity_rb": ({"amplitude_error": 0.02}, {}, purity_rb),
    "gate_tomography": ({"amplitude_error": 0.05}, {}, gate_tomography),
    "t1_tracking": ({"t1_drift": 0.2}, {"interval": 200.0}, tracking),
    "frequency_tracking": ({"frequency_offset": 0.3}, {"interval": 300.0}, tracking),
    "cpmg": ({"telegraph": 0.006}, {}, cpmg),
}


def pulls(open_lab: Any, name: str, seed: int) -> list[float]:
    """How many of its stated errors every estimate is off, on Q1 of the drawn device `seed`."""
    options, arguments, known = CASES[name]
    lab = open_lab(seed, device=f"drawn:{seed}", **CALIBRATED | options)
    experiment, report = lab.run(name, **arguments)
    assert report.verdict == "success", report
    found = [(estimate.value - true) / estimate.error for estimate, true in known(lab, experiment, report)]
    lab.device.close()
    return found


@pytest.mark.parametrize("seed", [3, 8])
@pytest.mark.parametrize("name", CASES)
def test_the_truth_is_within_the_error(open_lab: Any, name: str, seed: int) -> None:
    assert np.abs(pulls(open_lab, name, seed)).max() < 3.5


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_errors_cover_on_ten_devices(open_lab: Any, name: str) -> None:
    off = np.abs(np.concatenate([pulls(open_lab, name, seed) for seed in range(10, 20)]))
    assert off.max() < 4
    assert (off < 2).mean() >= 0.85, off
    assert 0.45 <= (off < 1).mean() <= 0.95, off
