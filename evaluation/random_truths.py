"""Truth, starting settings and arguments for the suites `adversarial` and `coverage`, drawn from a seed."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, replace
from itertools import count, product
from pathlib import Path
from typing import Any

import numpy as np

from labwright.tools.errors import InputError
from labwright.tools.experiments import registry
from labwright.tools.experiments.base import Experiment
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.perform import rehearse
from labwright.tools.qpu.oracle_pair import timed
from labwright.tools.qpu.random_pairs import drawn_pair
from labwright.tools.qpu.readout import best_frequency
from labwright.tools.qpu.settings import PairSettings, QubitSettings
from labwright.tools.qpu.simulated import SimulatedProcessor
from labwright.tools.qpu.starting_settings import BEST_DRAG, EDGE, Start, believed, drawn_device
from labwright.tools.qpu.truth import DeviceTruth, QubitTruth

QUBIT, PARTNER = "Q1", "Q2"
LONGEST_T2_STAR = 0.045  # MHz of quasi-static noise, T2* = 5 us
HOW_MANY_WRONG = (0.15, 0.45, 0.25, 0.15)  # chances of none, one, two, three wrong settings; more are only refused
FAR = {"qubit_spectroscopy": 250.0}  # MHz of wrong drive frequency; all others have to notice up to 40


@dataclass(frozen=True, slots=True)
class Drawn:
    """An experiment, what it is called with, and what is wrong around it.

    Attributes:
        kind: the experiment.
        arguments: of its `run`.
        truth: the device.
        start: settings of its controller.
        pair: settings of the pair to begin with, by field; empty for experiments on one qubit.
        wrong: the settings that were made wrong.
    """

    kind: type[Experiment]
    arguments: dict[str, Any]
    truth: DeviceTruth
    start: dict[str, QubitSettings]
    pair: dict[str, float]
    wrong: tuple[str, ...]

    def open(self, folder: Path, seed: int) -> SimulatedProcessor:
        """The device, with the pair's settings written."""
        device = SimulatedProcessor(folder, seed, self.truth, self.start)
        if self.pair:
            device.settings.update(f"{QUBIT}-{PARTNER}", self.pair, key="start", reason="drawn")
        return device


def drawn(name: str, seed: int, folder: Path, trouble: bool = True) -> Drawn:
    """The case `seed` of an experiment; without `trouble` settings are right and arguments are the defaults."""
    kind = registry.experiments()[name]
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    on_pair = any(p.name == "partner" for p in registry.card(kind).parameters)
    truth = drawn_pair(seed) if on_pair else drawn_device(seed)[0]
    pair: dict[str, float] = {}
    if name == "stark_echo_tuneup":  # which needs a drive; a pair that has none is drawn again
        places = (drawn_pair(seed + 1000 * again) for again in count())
        truth, pair = next((t, p) for k, t in enumerate(places) if (p := _pair(t, folder / f"pair-{k}")))
    if trouble:
        truth = replace(truth, qubits={n: _harder(q, rng, on_pair) for n, q in truth.qubits.items()})
    start = {n: believed(q, Start(0.0, 0.0, BEST_DRAG)) for n, q in truth.qubits.items()}
    wrong: dict[str, float] = _wrong(truth.qubits[QUBIT], start[QUBIT], rng, FAR.get(name, 40.0)) if trouble else {}
    start[QUBIT] = start[QUBIT].changed(wrong)
    found = Drawn(kind, {}, truth, start, pair, tuple(wrong))
    device = found.open(folder / "rehearsal", 0)
    try:
        for _ in range(100):
            arguments = _arguments(kind, truth, rng if trouble else None)
            try:
                rehearse(kind, ExperimentCall(name, arguments), device)
            except InputError:
                continue  # the device refuses to play it, which is no silence
            return replace(found, arguments=arguments)
    finally:
        device.close()
    raise InputError(f"No arguments of {name!r} that the device plays were drawn from seed {seed}. Widen the draws.")


def _harder(truth: QubitTruth, rng: np.random.Generator, on_pair: bool) -> QubitTruth:
    """Now and then a short life, slow noise, another drive line or a poor readout."""
    changes: dict[str, float] = {}
    often = iter(rng.random(4) < (0.1 if on_pair else 0.3))
    if next(often):
        t1 = _log(rng, 5, 40)
        changes |= {"t1": t1, "t2_echo": t1 * rng.uniform(0.5, 1.3)}
    if next(often):
        changes["detuning_sigma"] = _log(rng, 1e-3, LONGEST_T2_STAR)
    if next(often) and not on_pair:
        changes |= {"drive_scale": truth.drive_scale * _log(rng, 0.5, 3), "compression": rng.uniform(0, 0.5)}
    if next(often):
        changes["snr"] = rng.uniform(0.8, 5)
    return replace(truth, **changes)


def _wrong(truth: QubitTruth, right: QubitSettings, rng: np.random.Generator, far: float) -> dict[str, float]:
    """None to three settings that are not what they should be."""
    sign = rng.choice([-1.0, 1.0], 4)
    factor = rng.choice([_log(rng, 0.3, 3), 3.0, 5.0, 0.5], p=[0.7, 0.1, 0.1, 0.1])
    blobs = truth.readout_nominal * best_frequency(truth)[1]
    drawn: dict[str, float] = {
        "frequency": right.frequency + sign[0] * _log(rng, 0.2, far),
        "amplitude_pi": min(right.amplitude_pi * factor, 1.0),
        "amplitude_pi2": min(right.amplitude_pi2 * rng.choice([factor, 5.0, _log(rng, 0.3, 3)]), 1.0),
        "drag": rng.uniform(-1, 2),
        "readout_angle": rng.uniform(-math.pi, math.pi),
        "readout_threshold": right.readout_threshold + rng.normal() * blobs,
        "readout_frequency": right.readout_frequency + sign[1] * _log(rng, 0.3, 15),
        "readout_amplitude": _log(rng, 0.1, 0.9),
        "anharmonicity": right.anharmonicity + sign[2] * rng.uniform(5, 60),
    }
    many = rng.choice(len(HOW_MANY_WRONG), p=HOW_MANY_WRONG)
    return {name: float(drawn[name]) for name in rng.choice(list(drawn), many, replace=False).tolist()}


def _arguments(kind: type[Experiment], truth: DeviceTruth, rng: np.random.Generator | None) -> dict[str, Any]:
    """Every argument its default, or up to four times as large or small; the drive of a pair between its qubits."""
    found: dict[str, Any] = {}
    for each in registry.card(kind).parameters:
        if each.name == "qubit":
            found["qubit"] = QUBIT
        elif each.name == "partner":
            found["partner"] = PARTNER
        elif each.name == "update":
            found["update"] = True
        elif each.required and each.name == "frequency":
            among = sorted(truth.qubits[n].frequency for n in (QUBIT, PARTNER))
            share = 0.5 if rng is None else rng.uniform(-0.3, 1.1)
            found["frequency"] = among[0] + share * (among[1] - among[0])
        elif rng is not None and each.minimum is not None and each.default and rng.random() < 0.5:
            value = float(np.clip(each.default * _log(rng, 0.25, 4), each.minimum, each.maximum))
            found[each.name] = round(value) if each.type == "int" else float(f"{value:.4g}")
    return found


def _pair(truth: DeviceTruth, folder: Path) -> dict[str, float]:
    """A drive between the qubits that works, 5 % too long, as a search would leave it; empty if there is none."""
    right = {n: believed(q, Start(0.0, 0.0, BEST_DRAG)) for n, q in truth.qubits.items()}
    device = SimulatedProcessor(folder, 0, truth, right)
    register = device.register((QUBIT, PARTNER))
    device.close()
    one, two = (truth.qubits[n] for n in (QUBIT, PARTNER))
    for share, amplitude in product((0.5, 0.4, 0.6, -0.2, 0.3, 0.7, -0.4), (0.3, 0.2)):
        frequency = two.frequency + share * (one.frequency - two.frequency)
        amplitudes = (amplitude, amplitude * one.drive_scale / two.drive_scale)
        gate = timed(register, frequency, amplitudes, EDGE, 4.0)
        if gate is not None and gate.unitary_error < 0.02:
            made = PairSettings(frequency, *amplitudes, 0.0, 1.05 * gate.duration, EDGE, 0.0, 0.0)
            return {name: float(getattr(made, name)) for name in PairSettings.__slots__}
    return {}


def _log(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(math.log(low), math.log(high))))
