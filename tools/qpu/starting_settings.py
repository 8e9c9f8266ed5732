"""Which simulated device, and what its controller believes at the start."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

import numpy as np
from scipy.optimize import brentq

from labwright.tools.errors import InputError
from labwright.tools.qpu.chip_grid import MOST, SIDE, drawn_grid
from labwright.tools.qpu.pulses import gaussian
from labwright.tools.qpu.random_pairs import drawn_pair
from labwright.tools.qpu.readout import best_frequency, response
from labwright.tools.qpu.settings import PairSettings, QubitSettings, pair_name
from labwright.tools.qpu.truth import COUPLINGS, DRIVE_SCALE, DeviceTruth, QubitTruth, paper_device

PULSE_DURATION = 0.03
EDGE = 0.08  # us, of a Stark pulse; 15 ns leak, and 50 ns still leave the outcome to chance by a few MHz
BEST_DRAG = 0.5  # cancels the phase error of a pulse at fixed frequency; 1 would cancel the leakage alone
SPOILT: dict[str, dict[str, float]] = {
    "short_t1": {"t1": 3.0, "t2_echo": 4.0},
    "low_snr": {"snr": 0.3},
    "far_frequency": {},  # the controller starts 40 MHz off
    "overdriven": {"drive_scale": 3 * DRIVE_SCALE},
    "jump": {"step": 1.0, "step_at": 240.0},
}


@dataclass(frozen=True, slots=True)
class Start:
    """How wrong the controller is when the device is opened.

    Attributes:
        frequency_offset: MHz, believed minus true.
        amplitude_error: believed over right amplitude, minus 1.
        drag: believed DRAG coefficient.
    """

    frequency_offset: float = 1.5
    amplitude_error: float = -0.15
    drag: float = 0.0


def choose(options: dict[str, float | str]) -> tuple[DeviceTruth, dict[str, QubitSettings]]:
    """Truth and starting settings for the options of `open_device`.

    Options: ``device`` (``paper``, ``drawn:SEED``, ``grid:SEED``, ``grid:SEED:SIDE`` for 2x2 to 12x12, ``pair:SEED``,
    ``spoilt:NAME``), ``frequency_offset``, ``amplitude_error``, ``drag``, any number of `QubitTruth`, and ``qubit`` to
    apply these to one qubit only.

    Raises:
        InputError: an option is unknown or not a number.
    """
    left = dict(options)
    truth, starts, amplitude_of = _device(str(left.pop("device", "paper")))
    qubit = left.pop("qubit", None)
    if qubit is not None and qubit not in truth.qubits:
        raise InputError(f"Option `qubit` must be one of {', '.join(truth.qubits)}, but is {qubit!r}.")
    numbers = {name: _number(name, value) for name, value in left.items()}
    start_names = {f.name for f in fields(Start)}
    said = {n: v for n, v in numbers.items() if n in start_names}
    truth = truth.with_numbers({n: v for n, v in numbers.items() if n not in start_names}, qubit and str(qubit))
    right = Start(0.0, 0.0, BEST_DRAG)
    own = {name: replace(start, **said) if qubit in (None, name) else right for name, start in starts.items()}
    settings = {name: believed(truth.qubits[name], own[name], amplitude_of) for name in truth.qubits}
    return truth, settings


def believed(truth: QubitTruth, start: Start, drive_factor: float = 1.0) -> QubitSettings:
    """The controller's settings: right, except for `start`. The readout is calibrated."""
    calibrated = replace(truth, drive_scale=truth.drive_scale / drive_factor)
    frequency, _ = best_frequency(truth)
    blobs = truth.readout_nominal * response(truth, np.array([frequency]))[0]
    angle = float(np.angle(blobs[1] - blobs[0]))
    middle = float((blobs[:2].mean() * np.exp(-1j * angle)).real)
    return QubitSettings(
        frequency=truth.frequency + start.frequency_offset,
        amplitude_pi=right_amplitude(calibrated, 0.5) * (1 + start.amplitude_error),
        amplitude_pi2=right_amplitude(calibrated, 0.25) * (1 + start.amplitude_error),
        drag=start.drag,
        pulse_duration=PULSE_DURATION,
        anharmonicity=truth.anharmonicity,
        readout_frequency=frequency,
        readout_amplitude=truth.readout_nominal,
        readout_angle=angle,
        readout_threshold=middle,
    )


def pairs_without_gate(truth: DeviceTruth, start: dict[str, QubitSettings]) -> dict[str, PairSettings]:
    """What is known of the coupled pairs at the start: that they are coupled, and no gate yet."""
    return {
        pair_name(first, second): PairSettings(
            (start[first].frequency + start[second].frequency) / 2, 0.0, 0.0, 0.0, 0.0, EDGE, 0.0, 0.0
        )
        for first, second, _ in truth.couplings
    }


def right_amplitude(truth: QubitTruth, turns: float) -> float:
    """Peak amplitude whose compressed Gaussian turns the qubit by `turns`, to first order in rate / anharmonicity."""
    shape = gaussian(np.ones(1), np.zeros(1), PULSE_DURATION, truth.anharmonicity)[0].real

    def missing(amplitude: float) -> float:
        return float(truth.gain(amplitude * shape).mean()) * PULSE_DURATION - turns

    return float(brentq(missing, 0.0, 0.9 / truth.compression**0.5 if truth.compression else 2.0))


def drawn_device(seed: int) -> tuple[DeviceTruth, Start]:
    """A device like the paper's with other numbers, and a start with either sign of every offset.

    T1 is uniform in 40-130 us; T2E / T1 and sigma lie around the paper's; the drive loses 1-3 % between 0.2 and 0.35.
    """
    rng = np.random.Generator(np.random.Philox(key=np.array([seed, 7], dtype=np.uint64)))
    qubits = {}
    for name, base in paper_device().qubits.items():
        t1 = rng.uniform(40, 130)
        qubits[name] = replace(
            base,
            frequency=base.frequency + rng.uniform(-20, 20),
            anharmonicity=base.anharmonicity + rng.uniform(-5, 5),
            t1=t1,
            t2_echo=t1 * rng.uniform(0.8, 1.3),
            detuning_sigma=rng.uniform(0.8e-3, 5e-3),
            thermal=rng.uniform(0.01, 0.02),
            drive_scale=DRIVE_SCALE * rng.uniform(0.97, 1.03),
            compression=rng.uniform(0.125, 0.38),
            resonator_frequency=base.resonator_frequency + rng.uniform(-5, 5),
            kappa_ext=base.kappa_ext * rng.uniform(0.9, 1.1),
            chi=base.chi * rng.uniform(0.9, 1.1),
            cable_phase=rng.uniform(-math.pi, math.pi),
            snr=rng.uniform(2.8, 3.3),
        )
    return DeviceTruth(qubits, COUPLINGS), _drawn_start(rng)


def _drawn_start(rng: np.random.Generator) -> Start:
    signs = rng.choice([-1.0, 1.0], 3)
    return Start(
        frequency_offset=float(signs[0] * rng.uniform(0.2, 3.0)),
        amplitude_error=float(signs[1] * rng.uniform(0.05, 0.2)),
        drag=BEST_DRAG + float(signs[2] * rng.uniform(0.1, 0.5)),
    )


def grid_device(seed: int, side: int = SIDE) -> tuple[DeviceTruth, dict[str, Start]]:
    """A square lattice, and a start of its own for each qubit."""
    qubits, couplings = drawn_grid(seed, side)
    rng = np.random.Generator(np.random.Philox(key=np.array([seed, 17], dtype=np.uint64)))
    return DeviceTruth(qubits, couplings), {name: _drawn_start(rng) for name in qubits}


def _device(name: str) -> tuple[DeviceTruth, dict[str, Start], float]:
    """Truth, each qubit's start, and how much stronger the drive is than the controller believes."""
    kind, _, detail = name.partition(":")
    seed, _, side = detail.partition(":")
    if kind == "grid" and seed.isdecimal() and (side or str(SIDE)).isdecimal() and 2 <= int(side or SIDE) <= MOST:
        return *grid_device(int(seed), int(side or SIDE)), 1.0
    truth, start, factor = _alike(name, kind, detail)
    return truth, dict.fromkeys(truth.qubits, start), factor


def _alike(name: str, kind: str, detail: str) -> tuple[DeviceTruth, Start, float]:
    """A device whose qubits all start in the same way."""
    if kind == "paper" and not detail:
        return paper_device(), Start(), 1.0
    if kind == "drawn" and detail.isdecimal():
        return *drawn_device(int(detail)), 1.0
    if kind == "pair" and detail.isdecimal():
        return drawn_pair(int(detail)), Start(0.0, 0.0, BEST_DRAG), 1.0
    if kind == "spoilt" and detail in SPOILT:
        start = Start(frequency_offset=-40.0) if detail == "far_frequency" else Start()
        truth = paper_device().with_numbers(SPOILT[detail])
        return truth, start, 3.0 if detail == "overdriven" else 1.0
    raise InputError(
        "Option `device` must be paper, drawn:SEED, grid:SEED, grid:SEED:SIDE with a side of 2 to 12, pair:SEED or"
        f" spoilt:NAME, but is {name!r}. Names: {', '.join(SPOILT)}."
    )


def _number(name: str, value: float | str) -> float:
    known = {f.name for f in fields(Start)} | {f.name for f in fields(QubitTruth)}
    if name not in known:
        raise InputError(f"There is no device option {name!r}. Options are: device, qubit, {', '.join(sorted(known))}.")
    try:
        return float(value)
    except ValueError:
        raise InputError(f"Device option `{name}` must be a number, but is {value!r}.") from None
