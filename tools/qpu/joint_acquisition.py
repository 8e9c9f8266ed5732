"""One joint acquisition: registers of coupled qubits played apart, every qubit read out, joint counts drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError
from labwright.tools.qpu.dynamics import LEVELS, Transmon
from labwright.tools.qpu.joint_crosstalk import lines_of, surrounded
from labwright.tools.qpu.joint_playback import LARGEST, joint_populations
from labwright.tools.qpu.joint_program import JointProgram, slot_times
from labwright.tools.qpu.readout import Readout, read_as_one
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.transmon_register import Register, register
from labwright.tools.qpu.truth import DeviceTruth

Real = NDArray[np.float64]
Settings = Callable[[str], QubitSettings]
MOST_OUTCOMES = 10  # qubits; beyond, joint counts would be mostly zeros


def components(qubits: Sequence[str], truth: DeviceTruth) -> list[list[str]]:
    """The program's qubits in groups that no coupling connects, each in the program's order.

    Raises:
        InputError: a group is larger than the simulation holds.
    """
    groups = [[qubit] for qubit in qubits]
    for first, second, _ in truth.couplings:
        touched = [group for group in groups if first in group or second in group]
        if first in qubits and second in qubits and len(touched) == 2:
            merged = sorted(touched[0] + touched[1], key=list(qubits).index)
            groups = [group for group in groups if group not in touched] + [merged]
    if large := [group for group in groups if len(group) > LARGEST]:
        raise InputError(
            f"At most {LARGEST} coupled qubits can be played together, but {', '.join(large[0])} are {len(large[0])}."
            " Leave some of them out."
        )
    return sorted(groups, key=lambda group: list(qubits).index(group[0]))


def register_of(
    qubits: Sequence[str], truth: DeviceTruth, transmon: Callable[[str], Transmon], settings: Settings
) -> Register:
    """The register of some qubits as they stand, in the frames of their calibrated drive frequencies."""
    places = {name: place for place, name in enumerate(qubits)}
    couplings = [(places[a], places[b], rate) for a, b, rate in truth.couplings if a in places and b in places]
    return register([transmon(name) for name in qubits], [settings(name).frequency for name in qubits], couplings)


def level_populations(program: JointProgram, groups: list[list[str]], registers: list[Register]) -> list[Real]:
    """Populations (n_points, 4^k) of the levels of every group of k qubits."""
    named = zip(groups, registers, strict=True)
    lines = {name: line for group, its in named for name, line in zip(group, lines_of(its), strict=True)}
    return [
        joint_populations(its, *surrounded(program, group, its, lines))
        for group, its in zip(groups, registers, strict=True)
    ]


def outcome_chances(populations: Real, ones: Sequence[Real]) -> Real:
    """Probabilities (n_points, 2^k) of the outcomes of k qubits; `ones` holds P(reads 1 | level), (4,), a qubit."""
    n = len(ones)
    tensor = (populations / populations.sum(axis=1, keepdims=True)).reshape(-1, *[LEVELS] * n)
    for place, one in enumerate(ones):
        reads = np.stack([1 - one, one])
        tensor = np.moveaxis(np.tensordot(reads, tensor, axes=(1, 1 + place)), 0, 1 + place)
    return np.asarray(tensor.reshape(len(populations), 2**n))


def reads_one(truth: DeviceTruth, qubit: str, settings: QubitSettings) -> Real:
    """P(reads 1 | level), (4,), with the calibrated readout."""
    readout = Readout(
        truth.qubit(qubit), np.array([settings.readout_frequency]), np.array([settings.readout_amplitude])
    )
    return np.asarray(read_as_one(readout, settings.readout_angle, settings.readout_threshold)[0])


def draw(
    program: JointProgram, truth: DeviceTruth, transmon: Callable[[str], Transmon], settings: Settings,
    rng: np.random.Generator,
) -> NDArray[np.int64]:  # fmt: skip
    """Counts as `JointProgram.returns` says."""
    groups = components(program.qubits, truth)
    registers = [register_of(group, truth, transmon, settings) for group in groups]
    chances = [
        outcome_chances(levels, [reads_one(truth, name, settings(name)) for name in group])
        for group, levels in zip(groups, level_populations(program, groups, registers), strict=True)
    ]
    if program.returns == "counts" and len(program.qubits) <= MOST_OUTCOMES:
        return np.asarray(rng.multinomial(program.shots, _joint(chances, groups, program.qubits)), dtype=np.int64)
    return _marginals(program, groups, chances, rng)


def _marginals(
    program: JointProgram, groups: list[list[str]], chances: list[Real], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Ones of every qubit, (n_points, n_qubits), with the correlations inside each group."""
    result = np.zeros((len(program.sequences), len(program.qubits)), dtype=np.int64)
    for group, chance in zip(groups, chances, strict=True):
        counts = rng.multinomial(program.shots, chance)
        for place, name in enumerate(group):
            bit = np.arange(chance.shape[1]) >> (len(group) - 1 - place) & 1
            result[:, program.qubits.index(name)] = counts @ bit
    return result


def _joint(chances: list[Real], groups: list[list[str]], qubits: tuple[str, ...]) -> Real:
    """Probabilities (n_points, 2^n) of all qubits' outcomes in the program's order."""
    total = np.ones((len(chances[0]), 1))
    for chance in chances:
        total = (total[:, :, None] * chance[:, None, :]).reshape(len(total), -1)
    order = [name for group in groups for name in group]
    axes = [0] + [1 + order.index(name) for name in qubits]
    shaped = total.reshape(-1, *[2] * len(qubits)).transpose(axes).reshape(len(total), -1)
    return np.asarray(shaped / shaped.sum(axis=1, keepdims=True))


def joint_seconds(program: JointProgram, truth: DeviceTruth) -> float:
    """Device time of a joint program, s."""
    played = sum(float(times.sum()) for times in slot_times(program))
    rest = truth.reset_wait + max(truth.qubit(name).readout_duration for name in program.qubits)
    return program.shots * (played + rest * len(program.sequences)) * 1e-6
