"""The devices of the arena: what each is and what is wrong with it, drawn from a secret of the grader's."""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from labwright.tools.errors import InputError
from labwright.tools.qpu.chip_grid import drawn_grid
from labwright.tools.qpu.random_pairs import drawn_pair
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.starting_settings import BEST_DRAG, Start, believed, drawn_device
from labwright.tools.qpu.truth import DeviceTruth, QubitTruth
from labwright.tools.upkeep.causes import table

Kind = Literal["qubit", "pair", "chip"]
Condition = Literal["good", "drifting", "spoilt", "doubly_spoilt"]
Changes = dict[str, float]
Draw = Callable[[np.random.Generator, QubitTruth, QubitSettings], tuple[Changes, Changes]]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong with one qubit.

    Attributes:
        cause: of `CAUSES`; what a refusal names.
        draw: from the random numbers, the truth and the settings to changes of both.
        excuses: a refusal is right, because nothing that can be measured tells the states apart.
    """

    cause: str
    draw: Draw
    excuses: bool = False


@dataclass(frozen=True, slots=True)
class Drawn:
    """One device.

    Attributes:
        truth: the processor.
        start: settings of every qubit when it is opened.
        seed: of its noise and drift.
        faults: names in `FAULTS`, by qubit.
    """

    kind: Kind
    condition: Condition
    truth: DeviceTruth
    start: dict[str, QubitSettings]
    seed: int
    faults: dict[str, tuple[str, ...]]


# What a refusal may name -> what it means. Public.
CAUSES = {name: cause.says for name, cause in table()[0].items()} | {"other": "Something else, or unknown."}
FAULTS: dict[str, Fault] = {
    "short_t1": Fault("short_lifetime", lambda rng, truth, _: (_lifetime(rng.uniform(2.5, 6), rng), {})),
    "blind_readout": Fault("readout_noise", lambda rng, *_: ({"snr": rng.uniform(0.15, 0.35)}, {}), excuses=True),
    "far_frequency": Fault(
        "frequency", lambda rng, truth, _: ({}, {"frequency": truth.frequency + _signed(rng, 20, 50)})
    ),
    "drive_strength": Fault(
        "drive_strength",
        lambda rng, truth, _: ({"drive_scale": truth.drive_scale * rng.choice([rng.uniform(1.8, 3), 0.6])}, {}),
    ),
    "frequency_jump": Fault(
        "frequency_jump", lambda rng, *_: ({"step": _signed(rng, 0.5, 1.5), "step_at": rng.uniform(60, 300)}, {})
    ),
    "slow_noise": Fault("frequency_noise", lambda rng, *_: ({"detuning_sigma": rng.uniform(0.015, 0.045)}, {})),
    "telegraph": Fault("frequency_noise", lambda rng, *_: ({"telegraph": rng.uniform(0.015, 0.04)}, {})),
    "readout_off": Fault(
        "readout_settings",
        lambda rng, _, start: (
            {},
            {
                "readout_frequency": start.readout_frequency + _signed(rng, 1.5, 3.5),
                "readout_angle": start.readout_angle + _signed(rng, 1.0, 2.0),
            },
        ),
    ),
}


def seed_of(secret: bytes, number: int, what: str) -> int:
    """64 bits that only who has the secret can compute."""
    return int.from_bytes(hmac.new(secret, f"{number}:{what}".encode(), hashlib.sha256).digest()[:8], "big")


def draw(secret: bytes, number: int, kind: Kind = "qubit", condition: Condition | Literal["any"] = "any") -> Drawn:
    """The device `number` of a secret; ``any`` draws its condition as well.

    Raises:
        InputError: there is no such kind or condition.
    """
    if kind not in get_args(Kind) or condition not in (*get_args(Condition), "any"):
        raise InputError(f"A device is one of {get_args(Kind)}, and any or one of {get_args(Condition)}.")
    rng = np.random.default_rng([seed_of(secret, number, "start"), seed_of(secret, number, "faults")])
    chosen: Condition = rng.choice(get_args(Condition)) if condition == "any" else condition
    truth = _truth(seed_of(secret, number, "device"), kind)
    if chosen == "drifting":
        truth = truth.with_numbers(_drift(rng))
    start = {name: _start(each, rng) for name, each in truth.qubits.items()}
    faulty = str(rng.choice(list(truth.qubits)))
    names = _faults(secret, number, {"spoilt": 1, "doubly_spoilt": 2}.get(chosen, 0))
    for name in names:
        true, settings = FAULTS[name].draw(rng, truth.qubits[faulty], start[faulty])
        truth = truth.with_numbers({k: float(v) for k, v in true.items()}, faulty)
        start[faulty] = start[faulty].changed({k: float(v) for k, v in settings.items()})
    return Drawn(kind, chosen, truth, start, seed_of(secret, number, "noise"), {faulty: names} if names else {})


def _faults(secret: bytes, number: int, many: int) -> tuple[str, ...]:
    """The faults of a device: in the secret's own order each has its turn, so that few devices show all of them."""
    order = np.random.default_rng(seed_of(secret, 0, "order")).permutation(list(FAULTS))
    return tuple(str(order[(number + 3 * place) % len(order)]) for place in range(many))


def _truth(seed: int, kind: Kind) -> DeviceTruth:
    if kind == "chip":
        return DeviceTruth(*drawn_grid(seed))
    if kind == "pair":
        return drawn_pair(seed)
    return DeviceTruth({"Q1": drawn_device(seed)[0].qubits["Q1"]})


def _start(truth: QubitTruth, rng: np.random.Generator) -> QubitSettings:
    """The controller's guess: every number off on its own, so that none tells the truth or another."""
    right = believed(truth, Start(0.0, 0.0, BEST_DRAG))
    return replace(
        right,
        frequency=right.frequency + _signed(rng, 0.2, 3.0),
        amplitude_pi=right.amplitude_pi * (1 + _signed(rng, 0.05, 0.2)),
        amplitude_pi2=right.amplitude_pi2 * (1 + _signed(rng, 0.05, 0.2)),
        drag=right.drag + _signed(rng, 0.1, 0.5),
        anharmonicity=right.anharmonicity + _signed(rng, 1.0, 5.0),
        readout_frequency=right.readout_frequency + _signed(rng, 0.02, 0.1),
        readout_angle=right.readout_angle + _signed(rng, 0.01, 0.05),
        readout_threshold=right.readout_threshold + _signed(rng, 0.005, 0.02),
    )


def _drift(rng: np.random.Generator) -> Changes:
    """Frequency, drive and lifetime that wander within an hour."""
    return {
        "drift_sigma": float(rng.uniform(0.02, 0.05)),
        "drift_time": float(rng.uniform(1200, 3600)),
        "amplitude_drift": float(rng.uniform(0.004, 0.01)),
        "t1_drift": float(rng.uniform(0.1, 0.25)),
    }


def _lifetime(t1: float, rng: np.random.Generator) -> Changes:
    return {"t1": t1, "t2_echo": t1 * rng.uniform(0.8, 1.3)}


def _signed(rng: np.random.Generator, low: float, high: float) -> float:
    return float(rng.choice([-1.0, 1.0]) * math.exp(rng.uniform(math.log(low), math.log(high))))
