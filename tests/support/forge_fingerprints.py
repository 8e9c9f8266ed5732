"""Specifications as the few numbers that a text fixes, whatever their form: matrices, rates, grids."""

from __future__ import annotations

from functools import singledispatch
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.forge.families.circuits.spec import CircuitSpec
from labwright.tools.forge.families.control.spec import ControlSpec
from labwright.tools.forge.families.heom.spec import HeomSpec
from labwright.tools.forge.families.open_system.spec import OpenSystemSpec, Operator
from labwright.tools.forge.families.spin_chain.spec import SpinChainSpec

Array = NDArray[np.complex128]
_SMALL = 1e-12


@singledispatch
def fingerprint(spec: Any) -> dict[str, Any]:
    """What a specification fixes."""
    raise TypeError(type(spec))


@fingerprint.register
def _(spec: HeomSpec) -> dict[str, Any]:
    rows = [one.reorganization for one in spec.cases]
    times = [one.cutoff_times for one in spec.cases]
    rho = np.array(spec.initial)[..., 0]
    return {
        "hamiltonian": spec.hamiltonian,
        "temperatures": [one.temperature for one in spec.cases],
        "reorganization": rows[0],
        "reorganizations": [one[0] for one in rows],
        "cutoff": times[0],
        "cutoffs": [one[0] for one in times],
        "depth": spec.depth,
        "terms": spec.terms,
        "duration": spec.duration,
        "n_times": spec.n_times,
        "start": int(np.argmax(np.diag(rho))) if np.isclose(np.diag(rho).max(), 1) else np.diag(rho).tolist(),
        "coherences": spec.coherences,
        "wants": list(spec.wants),
    }


@fingerprint.register
def _(spec: ControlSpec) -> dict[str, Any]:
    drift = np.array(spec.drift)[..., 0]
    return {
        "goal": spec.goal,
        "size": len(spec.levels),
        "drift": drift.tolist(),
        "drift22": float(drift[-1, -1]),
        "controls": len(spec.controls),
        "initial": [one[0] for one in spec.initial],
        "target": [row[0][0] for row in spec.target]
        if spec.goal == "state"
        else [[one[0] for one in row] for row in spec.target],
        "duration": spec.duration,
        "slots": spec.slots,
        "lower": spec.lower,
        "upper": spec.upper,
        "fidelity": spec.fidelity_goal,
        "seed": spec.seed,
        "penalties": [one.level for one in spec.penalties],
    }


@fingerprint.register
def _(spec: CircuitSpec) -> dict[str, Any]:
    first, last = spec.cases[0], spec.cases[-1]

    def said(gate: Any) -> str:
        return " ".join(map(str, [gate.name, *gate.qubits, *([f"{gate.value:.8g}"] if gate.value is not None else [])]))

    return {
        "n": spec.n_qubits,
        "gates": [said(one) for one in first.gates],
        "noise": [f"{one.kind} {one.place} {one.probability:g}" for one in first.noise],
        "values": [case.noise[0].probability for case in spec.cases if case.noise],
        "cases": len(spec.cases),
        "last_angle": next((one.value for one in reversed(last.gates) if one.value is not None), None),
        "sampled": spec.sampled,
        "shots": spec.shots,
        "seed": spec.seed,
        "observables": spec.observables,
        "bases": spec.bases,
        "outcomes": spec.outcomes,
        "chsh": spec.chsh,
        "wants": list(spec.wants),
    }


@fingerprint.register
def _(spec: SpinChainSpec) -> dict[str, Any]:
    case = spec.cases[0]
    first = spec.initial[0]
    patterns = {one.letters: one.coefficient for one in case.patterns}
    return {
        "n": spec.n_qubits,
        "boundary": spec.boundary,
        "cases": len(spec.cases),
        "terms": patterns,
        "offsets": {one.letters: one.offsets for one in case.patterns},
        "power": next((one.power for one in case.patterns if one.power is not None), None),
        "layers": [{one.letters: one.coefficient for one in layer} for layer in case.layers],
        "total": spec.total_time,
        "steps": spec.steps,
        "records": spec.steps // spec.record_every + 1,
        "method": spec.method,
        "scale": spec.spin_scale,
        "wants": list(spec.wants),
        "bits": first.bits,
        "start": first.directions[0] if first.directions else None,
        "axes": list(spec.axes_of_spin),
        "sums": len(spec.sums),
    }


@fingerprint.register
def _(spec: OpenSystemSpec) -> dict[str, Any]:
    case = spec.cases[0]
    size = int(np.prod(spec.dims))
    ham = matrix_of(case.hamiltonian, spec.dims)
    jumps = [matrix_of(one, spec.dims) for one in case.collapse]
    pairs = {
        f"{spec.levels[b]}>{spec.levels[a]}": float(sum(abs(one[a, b]) ** 2 for one in jumps))
        for a, b in product(range(size), repeat=2)
        if a != b
    }
    diagonal = [float(sum(abs(one[k, k]) ** 2 for one in jumps)) for k in range(size)]
    made: dict[str, Any] = {
        "dims": spec.dims,
        "h": ham.real.tolist(),
        "gap": float(np.ptp(np.linalg.eigvalsh(ham))),
        "jumps": {name: value for name, value in pairs.items() if value > _SMALL},
        "diagonal": {spec.levels[k]: value for k, value in enumerate(diagonal) if value > _SMALL},
        "diagonal_sum": diagonal[0],
        "cases": len(spec.cases),
        "stop": case.stop,
        "points": case.points,
        "wants": list(spec.wants),
        "drives": [one.frequency for one in case.drives],
        "coherence_rate": coherence_rate(jumps) if size > 1 else None,
        "total_decay": float(sum(np.linalg.norm(one) ** 2 for one in jumps)) / max(size // 2, 1),
        "populations": sorted(spec.populations),
        "observables": sorted(one.label for one in spec.observables),
    }
    if case.initial.amplitudes:
        made["start"] = [abs(complex(*one)) for one in case.initial.amplitudes]
    return made


def coherence_rate(jumps: list[Array]) -> float:
    """How fast the element between the first two levels decays."""
    total = 0.0
    for one in jumps:
        square = one.conj().T @ one
        total += float((square[0, 0] + square[1, 1]).real / 2 - (one[0, 0] * one[1, 1].conj()).real)
    return total


def matrix_of(operator: Operator, dims: list[int]) -> Array:
    """The matrix of a specified operator."""
    if operator.matrix:
        return np.array([[complex(*cell) for cell in row] for row in operator.matrix])
    total = np.zeros((int(np.prod(dims)),) * 2, dtype=complex)
    for term in operator.terms:
        one = np.eye(len(total), dtype=complex)
        for factor in term.factors:
            one = one @ _placed(_local(factor.op, dims[factor.site]), factor.site, dims)
        total += complex(*term.coefficient) * one
    return total


def _placed(local: Array, site: int, dims: list[int]) -> Array:
    made = np.eye(1, dtype=complex)
    for place, size in enumerate(dims):
        made = np.asarray(np.kron(made, local if place == site else np.eye(size)), dtype=complex)
    return made


def _local(op: str, size: int) -> Array:
    lower = np.diag(np.sqrt(np.arange(1, size)), 1).astype(complex)
    pauli = {
        "I": np.eye(size),
        "X": np.array([[0, 1], [1, 0]]),
        "Y": np.array([[0, -1j], [1j, 0]]),
        "Z": np.diag([1, -1]),
        "P": np.array([[0, 1], [0, 0]]),
        "M": np.array([[0, 0], [1, 0]]),
    }
    oscillator = {"a": lower, "adag": lower.T, "n": lower.T @ lower}
    if op.startswith("|"):
        ket, bra = (int(one) for one in op[1:].rstrip("|").split("><"))
        made = np.zeros((size, size), dtype=complex)
        made[ket, bra] = 1
        return made
    return np.asarray({**oscillator, **pauli}[op] if size == 2 else oscillator.get(op, np.eye(size)), dtype=complex)
