"""Circuits with noise by density matrices, and two-electron molecules in STO-3G from exact matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from labwright.evaluation.forge.references.circuits import (
    HADAMARD,
    X,
    Z,
    applied,
    cnot,
    depolarized,
    on,
    probabilities,
    zero,
)
from labwright.evaluation.forge.references.circuits import correlator as mean_of
from labwright.evaluation.forge.references.two_electrons import BOHR, exact_energy
from labwright.evaluation.forge.references.wording.entries import (
    Entry,
    Plain,
    correlator,
    curve,
    entry,
    expectation,
    lines,
)

NOISE = "noise|p|lambda|probability|strength|gamma|error_rate|q"


def _ghz(n: int) -> Any:
    rho, gates = zero(n), [on(HADAMARD, [0], n), *(cnot(k, k + 1, n) for k in range(n - 1))]
    for gate in gates:
        rho = gate @ rho @ gate.conj().T
    return rho


def _sampled(word: str, value: float, noise: float, shots: int) -> Entry:
    """A correlator from shots: four standard deviations, and never less than 0.02."""
    spread = 4 * np.sqrt(max(1e-4, 1 - value**2) / shots)
    labels = {"observable|basis|correlator": correlator(word), NOISE: [noise]}
    return entry(
        f"{word} at {noise:g}", ["expectation", word], value, labels=labels, tolerance=round(max(0.02, spread), 3)
    )


def mixed_ghz() -> Plain:
    """Table: four qubits, each sent through a depolarising channel at the end."""
    results = []
    for p in (0.0, 0.04, 0.1, 0.25):
        rho = _ghz(4)
        for qubit in range(4):
            rho = depolarized(rho, p, [qubit], 4)
        results += [_sampled(word, mean_of(rho, word), p, 6000) for word in ("ZZII", "XXXX")]
        for basis in ("ZZZZ", "XXXX"):
            chances = {bits: round(v, 6) for bits, v in probabilities(rho, basis).items() if v > 1e-9}
            labels = {"basis": [basis, basis[0]], NOISE: [p]}
            results.append(entry(f"counts {basis} at {p:g}", "counts", labels=labels, shots=6000,
                                 probabilities=chances, tolerance=0.035))  # fmt: skip
    return expectation(results, [], packages=[["qiskit", "qiskit_aer"]])


def flipped_pair() -> Plain:
    """Passive voice: a Bell pair of negative sign whose halves lose their phase."""
    results = []
    for p in (0.0, 0.1, 0.2, 0.35):
        rho = zero(2)
        for gate in (on(X, [0], 2), on(HADAMARD, [0], 2), cnot(0, 1, 2)):
            rho = gate @ rho @ gate.conj().T
        for qubit in (0, 1):
            rho = applied(rho, [np.sqrt(1 - p) * np.eye(4), np.sqrt(p) * on(Z, [qubit], 2)])
        results += [_sampled(word, mean_of(rho, word), p, 3000) for word in ("ZZ", "XX", "YY")]
    return expectation(results)


def tilted_pair() -> Plain:
    """Bullets: how correlations grow with the angle of the first rotation; no noise, no sampling."""
    angles, found = np.linspace(0, np.pi / 2, 10), dict[str, list[float]]()
    for word in ("ZI", "ZZ", "XX", "YY"):
        found[word] = []
        for angle in angles:
            ry = np.array([[np.cos(angle / 2), -np.sin(angle / 2)], [np.sin(angle / 2), np.cos(angle / 2)]])
            gate = cnot(0, 1, 2) @ on(ry.astype(complex), [0], 2)
            found[word].append(mean_of(gate @ zero(2) @ gate.conj().T, word))
    results = [
        curve(word, ["expectation", word], "angle|theta|phi|rotation", angles, values, axis_unit="rad",
              labels={"observable|correlator": [*correlator(word), *(["Z0", "<Z0>", "Z_0"] if word == "ZI" else [])]})
        for word, values in found.items()
    ]  # fmt: skip
    return expectation(results, [lines(*found)])


def hydrogen_in_picometres() -> Plain:
    """Distances in picometres; energies against full configuration interaction."""
    distances = [50.0, 74.0, 100.0, 150.0, 250.0]
    exact = [exact_energy(("H", "H"), d / 100) for d in distances]
    more: Any = {"unit": "hartree", "axis_unit": "pm", "tolerance": 2e-4}
    results = [
        curve(name, "energy", "distance", distances, exact, labels={"method": accepted}, **more)
        for name, accepted in (("vqe", ["vqe", "uccsd", "variational"]), ("exact", ["fci", "exact", "full CI"]))
    ]
    return expectation(results, [lines("vqe", "exact", together=True)], packages=[["tequila"]])


def helium_hydride_in_bohr() -> Plain:
    """One distance in bohr, energy in electronvolts."""
    energy = exact_energy(("He", "H"), 1.4632 * BOHR)
    quantity = ["energy", "ground_state_energy"]
    labels = {"method": ["vqe", "uccsd", "variational"]}
    results = [
        entry("vqe", quantity, energy, labels=labels, unit="hartree", tolerance=2e-4),
        entry(
            "exact", quantity, energy, labels={"method": ["fci", "exact", "full CI"]}, unit="hartree", tolerance=2e-5
        ),
    ]
    return expectation(results)


TASKS = {
    "09_table_noisy_ghz": mixed_ghz,
    "10_passive_dephased_pair": flipped_pair,
    "11_bullets_tilted_pair": tilted_pair,
    "12_picometre_hydrogen": hydrogen_in_picometres,
    "13_bohr_helium_hydride": helium_hydride_in_bohr,
}
