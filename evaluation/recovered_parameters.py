"""What newer experiments report, beside the truth of the drawn device that they were played on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import curve_fit

from labwright.tools.experiments.base import Estimate, Experiment, Report
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.cpmg import stretched
from labwright.tools.experiments.gates import half_turn, program
from labwright.tools.experiments.leakage_rb import leaked
from labwright.tools.experiments.perform import perform
from labwright.tools.experiments.registry import card, experiments
from labwright.tools.experiments.single_qubit_process_tomography import remaining
from labwright.tools.experiments.thermal_population import second_half_turn
from labwright.tools.experiments.three_level_readout import assigned
from labwright.tools.experiments.tomography_estimation import PAULIS
from labwright.tools.qpu.cliffords import GATES, clifford_group
from labwright.tools.qpu.dynamics import LEVELS, Matrix, Transmon, channels
from labwright.tools.qpu.oracle import calibrated_gate, optimal_settings
from labwright.tools.qpu.playback import populations
from labwright.tools.qpu.program import Delay, Operation
from labwright.tools.qpu.readout import Readout, draw_shots, read_as_one
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated
from labwright.tools.qpu.telegraph import coherence

Known = Iterator[tuple[str, Estimate, float]]  # quantity, what was reported, and what is true
RUNS = 4  # each with what the one before proposes
CALIBRATED: dict[str, float | str] = {"frequency_offset": 0.0, "amplitude_error": 0.0, "drag": 0.5}


def now(device: SimulatedProcessor) -> Transmon:
    """Q1 at the drive frequency that is set, as it is now."""
    return device.transmon("Q1", device.settings.current("Q1").frequency)


def power_rabi(device: SimulatedProcessor, _: Experiment, report: Report) -> Known:
    best = optimal_settings(now(device))
    yield "amplitude_pi", report.estimates["amplitude_pi"], best.amplitude_pi
    yield "amplitude_pi2", report.estimates["amplitude_pi2"], best.amplitude_pi2
    yield "drive_offset", report.estimates["drive_offset"], -now(device).detuning


def cpmg(device: SimulatedProcessor, experiment: Experiment, report: Report) -> Known:
    """The times of the stretched exponentials nearest to the true decays at the delays that were played."""
    truth, data = now(device).truth, experiment.data
    for name, row in (("t2_one_pulse", 0), ("t2_cpmg", -1)):
        n, delays = int(data["pulses"][row]), data["delay"][row]
        left = [
            np.exp(-t / truth.t2_echo) * coherence(truth, (t / 2 / n, *(n - 1) * (t / n,), t / 2 / n)) for t in delays
        ]
        (_, time, _), _ = curve_fit(stretched, delays, left, (1.0, truth.t2_echo, 1.2), data["error"][row])
        yield name, report.estimates[name], float(time)


def transfer(channel: Matrix) -> np.ndarray:
    """Pauli transfer matrix (4, 4) of a channel on levels 0 and 1; what leaks is lost."""
    found = np.zeros((4, 4))
    for column, pauli in enumerate(PAULIS.values()):
        rho = np.zeros((LEVELS, LEVELS), dtype=complex)
        rho[:2, :2] = pauli / 2
        after = (channel @ rho.ravel()).reshape(LEVELS, LEVELS)[:2, :2]
        found[:, column] = [np.trace(each @ after).real for each in PAULIS.values()]
    return found


def gates(device: SimulatedProcessor) -> dict[str, Matrix]:
    """Channels of the calibrated gates as the device plays them now."""
    settings = device.settings.current("Q1")
    return dict(
        zip(GATES, channels(now(device), tuple(calibrated_gate(name, settings) for name in GATES)), strict=True)
    )


def clifford_channels(device: SimulatedProcessor) -> Iterator[Matrix]:
    """Channels of the 24 Cliffords."""
    each = gates(device)
    for names in clifford_group().decompositions:
        whole: Matrix = np.eye(LEVELS**2, dtype=complex)
        for name in names:
            whole = each[name] @ whole
        yield whole


def leakage_rb(device: SimulatedProcessor, experiment: Experiment, report: Report) -> Known:
    """The rates nearest to what the mean Clifford does again and again, from 0 and from 2."""
    mean, lengths = np.mean(list(clifford_channels(device)), axis=0), experiment.data["length"].astype(int)
    begins = [now(device).thermal_state(), np.diag([0, 0, 1.0, 0]).ravel()]
    powers = [np.linalg.matrix_power(mean, int(m)) for m in lengths]
    above = [np.diag((p @ rho).reshape(LEVELS, LEVELS))[2:].sum().real for rho in begins for p in powers]
    (_, _, out, back), _ = curve_fit(leaked, np.tile(lengths, 2), above, (0.0, 1.0, 1e-5, 1e-3))
    yield "leakage_per_clifford", report.estimates["leakage_per_clifford"], float(out)
    yield "seepage_per_clifford", report.estimates["seepage_per_clifford"], float(back)


def readout_optimization(device: SimulatedProcessor, _: Experiment, report: Report) -> Known:
    """Fidelity of the chosen readout with the line that was found; the amplitude is one of those that were tried."""
    settings, transmon = device.settings.current("Q1"), now(device)
    levels = populations(transmon, program("Q1", [[], [half_turn(settings)]], 1))
    amplitude, angle, threshold = (
        report.estimates[name].value for name in ("best_amplitude", "readout_angle", "readout_threshold")
    )
    tone = Readout(transmon.truth, np.array([settings.readout_frequency]), np.array([amplitude]))
    ground, excited = levels @ read_as_one(tone, angle, threshold)[0]
    yield "fidelity", report.estimates["fidelity"], float(1 + excited - ground) / 2


def purity_rb(device: SimulatedProcessor, _: Experiment, report: Report) -> Known:
    losses = [np.sum(transfer(channel)[1:, 1:] ** 2) / 3 for channel in clifford_channels(device)]
    yield "unitarity", report.estimates["unitarity"], float(np.mean(losses))


def gate_tomography(device: SimulatedProcessor, experiment: Experiment, report: Report) -> Known:
    true = transfer(gates(device)["X180"])
    ideal = experiment.data["ideal"]
    for name, value in zip(("gate_error", "over_rotation", "axis_error"), remaining(true, ideal), strict=True):
        yield name, report.estimates[name], value


def tracking(device: SimulatedProcessor, experiment: Experiment, _: Report) -> Known:
    """Every round's value; of a life, that of the exponential nearest to what was played, without noise."""
    settings = device.settings.current("Q1")
    for time, value, error in zip(*(experiment.data[n] for n in ("time", "value", "error")), strict=True):
        then = device.transmon("Q1", settings.frequency, clock=time)
        yield (
            "value",
            Estimate(value, error),
            life(then, settings) if experiment.name == "t1_tracking" else then.detuning,
        )


def life(transmon: Transmon, settings: QubitSettings) -> float:
    """Time constant (us) of the exponential nearest to the difference with and without a pi pulse: heat shortens it."""
    delays = np.linspace(0, 4 * transmon.truth.t1, 31)
    tone = Readout(transmon.truth, np.array([settings.readout_frequency]), np.array([settings.readout_amplitude]))
    waits: list[list[Operation]] = [[half_turn(settings), Delay(float(t))] for t in delays]
    levels = populations(transmon, program("Q1", [*waits, *([Delay(float(t))] for t in delays)], 1))
    high, low = (levels @ read_as_one(tone, settings.readout_angle, settings.readout_threshold)[0]).reshape(2, -1)
    (_, found), _ = curve_fit(lambda t, a, tau: a * np.exp(-t / tau), delays, high - low, (0.6, transmon.truth.t1))
    return float(found)


def dispersive_shift(device: SimulatedProcessor, _: Experiment, report: Report) -> Known:
    truth = now(device).truth
    yield "chi", report.estimates["chi"], truth.chi
    yield "linewidth", report.estimates["linewidth"], truth.kappa_ext + truth.resonator_frequency / truth.q_internal
    yield "resonator", report.estimates["resonator"], truth.resonator_frequency


def three_level_readout(device: SimulatedProcessor, experiment: Experiment, report: Report) -> Known:
    """A million shots of what the pulses prepare, cut along the same lines."""
    settings, transmon = device.settings.current("Q1"), now(device)
    pi, second = half_turn(settings), second_half_turn(settings)
    levels = populations(transmon, program("Q1", [[], [pi], [pi, second]], 1))
    tone = Readout(transmon.truth, *np.full((2, 3), [[settings.readout_frequency], [settings.readout_amplitude]]))
    true = assigned(draw_shots(tone, levels, 300_000, np.random.default_rng(1)), experiment.data["centre"])
    for level in range(3):
        name = f"reads_{level}_of_{level}"
        yield name, report.estimates[name], true[level, level]
    yield "fidelity", report.estimates["fidelity"], float(np.diag(true).mean())


# experiment -> what the device is opened with besides, arguments, what is known
RECOVERED: dict[str, tuple[dict[str, float], dict[str, Any], Callable[..., Known]]] = {
    "power_rabi": ({"amplitude_error": -0.15, "frequency_offset": 0.1}, {}, power_rabi),
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


def recovered(name: str, seed: int, folder: Path) -> tuple[Report, list[tuple[str, float]]]:
    """The report on Q1 of the drawn device `seed`, and how many of its stated errors every estimate is off."""
    options, arguments, known = RECOVERED[name]
    heat = float(
        np.random.default_rng([seed, 9]).uniform(0.005, 0.03)
    )  # what `labwright.tools.qpu.coherence_limit` allows for
    device = open_simulated(folder, seed, {"device": f"drawn:{seed}", "thermal": heat, **CALIBRATED, **options})
    try:
        kind = experiments()[name]
        seeds = {"seed": seed} if any(each.name == "seed" for each in card(kind).parameters) else {}
        chosen = {"qubit": "Q1", **seeds, **arguments}
        for run in range(RUNS):
            done = perform(kind, ExperimentCall(name, chosen), device, f"run.{run}")
            if done.report.verdict in ("success", "wrong_setup"):
                break
            chosen |= done.report.proposal
        if done.report.verdict != "success":
            return done.report, []
        each = known(device, done.experiment, done.report)
        return done.report, [(what, (estimate.value - true) / estimate.error) for what, estimate, true in each]
    finally:
        device.close()
