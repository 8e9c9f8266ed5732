"""What experiments on pairs report, beside the truth of the pair that they met: drawn gates of the paper's device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import brentq

from labwright.evaluation.ghz_preparation import true_fidelity
from labwright.evaluation.recovered_parameters import CALIBRATED, Known
from labwright.tools.experiments.base import Bench, Experiment, Report
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.named_state_circuits import prepared
from labwright.tools.experiments.perform import perform
from labwright.tools.experiments.qubit_pairs import pair_of
from labwright.tools.experiments.registry import card, experiments
from labwright.tools.qpu.oracle_pair import PairError, gate_error, zz_rate
from labwright.tools.qpu.settings import PairSettings
from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated
from labwright.tools.qpu.transmon_register import Register

NAME, BOTH = "Q1-Q2", {"qubit": "Q1", "partner": "Q2"}
GATE = {"amplitude_first": 0.3477, "amplitude_second": 0.3463, "edge": 0.08, "z_first": -1.5708, "z_second": -1.5708}
FREQUENCY, DURATION = 4759.0, 0.4528  # MHz; us of one Stark pulse


def seen(device: SimulatedProcessor) -> Register:
    """The pair as the last acquisition met it: the drive's gain drifts by more than the trains' errors meanwhile."""
    return device.register(("Q1", "Q2"), float(device.log[-1]["clock"]))


def error_of(device: SimulatedProcessor, gate: PairSettings) -> PairError:
    """Of the true process of `gate`."""
    return gate_error(seen(device), gate, *(device.settings.current(qubit) for qubit in ("Q1", "Q2")))


def stark(device: SimulatedProcessor, experiment: Experiment, report: Report) -> Known:
    """Of the driven dressed states."""
    given = experiment.arguments
    drive = pair_of(Bench(device, "truth"), "Q1", "Q2").driven(given["frequency"], given["amplitude"], GATE["edge"])
    both = (drive.amplitude_first, drive.amplitude_second)
    yield "zz_rate", report.estimates["zz_rate"], zz_rate(seen(device), drive.frequency, both)


def gate(device: SimulatedProcessor, _: Experiment, report: Report) -> Known:
    """Of the true process."""
    yield "cz_error", report.estimates["cz_error"], error_of(device, device.settings.pair(NAME)).total


def length(device: SimulatedProcessor, _: Experiment, report: Report) -> Known:
    """At which the gate's own conditional phase is half a turn."""
    now = device.settings.pair(NAME)

    def beyond(duration: float) -> float:
        return error_of(device, replace(now, duration=duration)).conditional_phase - 0.5

    yield "duration", report.estimates["duration"], brentq(beyond, 0.93 * now.duration, 1.07 * now.duration, xtol=1e-6)


def state(device: SimulatedProcessor, experiment: Experiment, report: Report) -> Known:
    """Of the state that is truly prepared."""
    circuit = prepared("bell", ("Q1", "Q2"), device.settings.pairs)
    yield "fidelity", report.estimates["fidelity"], true_fidelity(device, circuit)


PAIRS: dict[str, tuple[dict[str, Any], Callable[..., Known]]] = {
    "conditional_stark_continuous": ({**BOTH, "amplitude": GATE["amplitude_first"]}, stark),
    "stark_echo_tuneup": (BOTH, length),
    "interleaved_rb_cz": (BOTH, gate),
    "process_tomography": (BOTH, gate),
    "state_tomography": ({"qubits": "Q1,Q2", "state": "bell"}, state),
}


def paired(name: str, seed: int, folder: Path) -> tuple[Report, list[tuple[str, float]]]:
    """The report on Q1 and Q2 with a drawn gate, and how many of its stated errors every estimate is off."""
    rng, (arguments, known) = np.random.default_rng([seed, 11]), PAIRS[name]
    frequency, duration = FREQUENCY + rng.uniform(-3, 3), DURATION * (1 + rng.uniform(-0.02, 0.02))
    device = open_simulated(folder, seed, CALIBRATED)
    try:
        drawn = {**GATE, "frequency": frequency, "duration": duration}
        device.settings.update(NAME, drawn, key="drawn", reason="a search")
        takes = {each.name for each in card(experiments()[name]).parameters}
        told = {"frequency": frequency, "seed": seed}
        chosen = {**arguments, **{each: value for each, value in told.items() if each in takes}}
        done = perform(experiments()[name], ExperimentCall(name, chosen), device, "run")
        if done.report.verdict != "success":
            return done.report, []
        each = known(device, done.experiment, done.report)
        return done.report, [(what, (estimate.value - true) / estimate.error) for what, estimate, true in each]
    finally:
        device.close()
