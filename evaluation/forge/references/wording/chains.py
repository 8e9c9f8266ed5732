"""Spin chains by exact diagonalisation or free fermions, thermal Hubbard chains by exact traces, pulses by limits."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, identity, kron
from scipy.sparse.linalg import expm_multiply

from labwright.evaluation.forge.references.chains import (
    kicked_magnetisation,
    middle_entropy,
    product_state,
    rotated,
    signs,
)
from labwright.evaluation.forge.references.circuits import PAULIS
from labwright.evaluation.forge.references.fermions import block_entropy, ising_chain, transverse_magnetisation
from labwright.evaluation.forge.references.hubbard import thermal
from labwright.evaluation.forge.references.wording.entries import Plain, curve, entry, expectation, lines


def word_on(letters: str, at: int, n: int) -> csr_matrix:
    """A Pauli word that begins at a site of a chain."""
    total = identity(2**at, dtype=complex, format="csr")
    for letter in letters:
        total = kron(total, csr_matrix(PAULIS[letter]), format="csr")
    return kron(total, identity(2 ** (n - at - len(letters)), dtype=complex, format="csr"), format="csr")


def chain(n: int, **terms: float) -> csr_matrix:
    """Sum of words such as XX=0.5, Z=1.0 over an open chain."""
    total = csr_matrix((2**n, 2**n), dtype=complex)
    for word, weight in terms.items():
        for at in range(n - len(word) + 1):
            total = total + weight * word_on(word, at, n)
    return total


def states_along(h: csr_matrix, psi: Any, times: Any) -> Any:
    """States at equally spaced times, ``(n_times, 2**n)``."""
    return expm_multiply(-1j * h.tocsc(), psi, times[0], times[-1], len(times), endpoint=True)


def sites(n: int, profile: Any, axis: str, x: Any, every: int, tolerance: float = 3e-3, **labels: Any) -> list[Any]:
    """One curve for each site of a profile ``(len(x), n)``."""
    return [
        curve(f"site {k}{''.join(f', {key} {v[0]}' for key, v in labels.items() if key != 'axis|observable')}",
              ["expectation", "magnetisation", "Z"], axis, x, profile[:, k], every=every, tolerance=tolerance,
              labels={"site": [k], **labels})
        for k in range(n)
    ]  # fmt: skip


def ising_quench() -> Plain:
    """LaTeX: open transverse Ising chain after a quench; energy conserved; average magnetisation along z."""
    n, time = 8, np.linspace(0, 5, 101)
    h = chain(n, ZZ=-1.0, X=-1.4)
    states = states_along(h, product_state("0" * n), time)
    z = np.abs(states) ** 2 @ signs(n).T
    energy = float(np.real(np.vdot(states[0], h @ states[0])))
    back = np.abs(states @ states[0].conj()) ** 2
    results = [
        curve("mean Z", ["expectation", "magnetisation", "m", "m_z", "mean_magnetisation"], "time", time,
              z.mean(axis=1), every=4, tolerance=3e-3),
        curve("return", ["return_probability", "loschmidt", "L"], "time", time, back, every=4, tolerance=3e-3),
        entry("energy", ["energy", "initial_energy", "E"], energy, tolerance=5e-3),
    ]  # fmt: skip
    return expectation(results, [lines("mean Z"), lines("return")])


def domain_wall() -> Plain:
    """Heisenberg-type chain with a domain wall: profile and entanglement."""
    n, time = 8, np.linspace(0, 6, 61)
    h = chain(n, XX=0.25, YY=0.25, ZZ=0.125)
    states = states_along(h, product_state("00001111"), time)
    profile = np.abs(states) ** 2 @ signs(n).T / 2
    entropy = [middle_entropy(state, n // 2, n) for state in states]
    found = sites(n, profile, "time", time, 5, tolerance=3e-3)
    for one in found:
        one["quantity"] = ["expectation", "magnetisation", "Sz", "S_z"]
    nats = curve("entropy", "entropy", "time", time, entropy, every=3, tolerance=5e-3)
    nats["either"] = {"nats": nats.pop("values"), "bits": [v / np.log(2) for v in entropy[::3]]}
    return expectation([*found, nats], [{"kind": "heatmap", "show": ["site 3", "site 4"]}, lines("entropy")])


def kicked_words() -> Plain:
    """Numbers in words: a kicked chain of six."""
    z = kicked_magnetisation(product_state("0" * 6), 6, 0.35, 0.9, 15)
    found = sites(6, z, "period", np.arange(16), 1, tolerance=1e-3)
    return expectation(found, [{"kind": "heatmap", "show": [one["name"] for one in found]}])


def flawed_drive() -> Plain:
    """Two parts a cycle: interaction with a field along z, then a pulse about x that may fall short."""
    n, cycles = 8, 20
    first = np.real(chain(n, ZZ=0.6, Z=0.25).diagonal())
    found = []
    for eps in (0.0, 0.1):
        psi, m = product_state("0" * n), []
        for cycle in range(cycles + 1):
            if cycle:
                psi = rotated(np.exp(-1j * first) * psi, np.pi / 2 * (1 - eps), n)
            m.append(float((signs(n) @ np.abs(psi) ** 2).mean()))
        quantity = ["expectation", "magnetisation", "polarisation", "Z"]
        labels = {"eps|epsilon|imperfection|error|flaw": [eps]}
        found.append(curve(f"Z, eps={eps:g}", quantity, "period", range(cycles + 1), m, labels=labels, tolerance=0.01))
    both = lines(*(one["name"] for one in found), together=True)
    return expectation(found, [both], packages=[["tenpy"]])


def free_fermion_chain() -> Plain:
    """Open XX chain at zero field: free fermions with hopping J/2, all negative modes filled."""
    n = 24
    energies, modes = np.linalg.eigh(-0.5 * (np.eye(n, k=1) + np.eye(n, k=-1)))
    filled = modes[:, energies < 0]
    weights = np.clip(np.linalg.eigvalsh((filled @ filled.T)[: n // 2, : n // 2]), 1e-15, 1 - 1e-15)
    entropy = float(-(weights * np.log(weights) + (1 - weights) * np.log(1 - weights)).sum())
    results = [
        entry("energy", ["energy", "ground_state_energy"], energies[energies < 0].sum(), tolerance=1e-3),
        entry("entropy", "entropy", entropy, tolerance=5e-3),
    ]
    return expectation(results, packages=[["tenpy"]])


def field_scan() -> Plain:
    """Ising chain with free ends by free fermions."""
    n, fields = 20, [0.6, 0.8, 1.0, 1.2, 1.4]
    grounds = [ising_chain(n, field) for field in fields]
    axis = "lambda|field|g|transverse_field|h"
    energy = [ground.energy / n for ground in grounds]
    x = [float(transverse_magnetisation(ground).mean()) for ground in grounds]
    entropy = [block_entropy(ground, n // 2) for ground in grounds]
    single = curve("entropy", "entropy", axis, fields, entropy, tolerance=5e-3)
    # below the transition DMRG may end in one of the two nearly degenerate polarised states: less by up to ln 2
    symmetric, broken = single.pop("values"), _broken_entropies(n, fields)
    single["either"] = {"symmetric": symmetric, "polarised at 0.6": broken}
    results = [
        curve(
            "energy per spin", ["energy_per_site", "energy_per_spin", "energy"], axis, fields, energy, tolerance=1e-3
        ),
        curve("mean X", ["expectation", "magnetisation", "X"], axis, fields, x, tolerance=2e-3),
        single,
    ]
    return expectation(results, [lines("mean X"), lines("entropy")], packages=[["tenpy"]])


def _broken_entropies(n: int, fields: list[float]) -> list[float]:
    """Entropies where the state at the smallest field is the polarised combination of the two lowest ones."""
    symmetric = [block_entropy(ising_chain(n, field), n // 2) for field in fields]
    return [symmetric[0] - float(np.log(2)), *symmetric[1:]]


def hot_hubbard() -> Plain:
    """Four sites by exact traces at three temperatures, given as temperature or as its inverse."""
    betas = [0.2, 0.5, 1.0]
    found = [thermal(4, 8.0, beta, 4.0) for beta in betas]
    results = []
    for beta, one in zip(betas, found, strict=True):
        labels: Any = {"temperature|T|beta|inverse_temperature": [1 / beta, beta] if beta != 1 else [1.0]}
        names = ["energy_per_site", "energy", "internal_energy"]
        results += [
            entry(f"energy at T={1 / beta:g}", names, one.energy, labels=labels, tolerance=5e-3),
            entry(f"double at T={1 / beta:g}", "double_occupancy", one.double, labels=labels, tolerance=2e-3),
        ]
    return expectation(results, packages=[["tenpy"]])


def root_of_x() -> Plain:
    """A gate by a bounded control against a drift."""
    c = float(np.sqrt(0.5))
    problem = {"drift": "0.5 Z", "controls": {"X": "X"}, "duration": 6.0, "bound": 1.0,
               "gate": [[(c, 0.0), (0.0, -c)], [(0.0, -c), (c, 0.0)]]}  # fmt: skip
    results = [
        entry("fidelity", ["fidelity", "gate_fidelity"], at_least=0.999, at_most=1.000001),
        entry("pulse", ["pulse", "u", "amplitude"], axis="time", points=60, at_least=0.999, pulses=problem),
    ]
    return expectation(results, [lines("pulse")], packages=[["qutip_qtrl", "qutip_qoc"]])


def ladder_transfer() -> Plain:
    """Three levels, two amplitudes, a detuned level between."""
    problem = {
        "drift": [[0.0, 0, 0], [0, 0.3, 0], [0, 0, 0]],
        "controls": {"01": [[0.0, 1, 0], [1, 0, 0], [0, 0, 0]], "12": [[0.0, 0, 0], [0, 0, 1], [0, 1, 0]]},
        "duration": 12.0,
        "initial": [1.0, 0, 0],
        "target": [0.0, 0, 1],
    }
    results = [
        entry("fidelity", "fidelity", at_least=0.995, at_most=1.000001),
        entry("pulses", ["pulse", "amplitude"], axis="time", points=120, at_least=0.995, pulses=problem),
    ]
    for level, ends in ((0, [1.0, 0.0]), (1, [0.0, 0.0]), (2, [0.0, 1.0])):
        more: Any = {"labels": {"level|state": [level, f"|{level}>"]}, "axis": "time", "at": [0.0, 12.0], "points": 100}
        results.append(entry(f"population {level}", "population", ends, tolerance=0.01, **more))
    return expectation(results, [lines("pulses")], packages=[["qutip_qtrl", "qutip_qoc"]])


TASKS = {
    "14_latex_ising_quench": ising_quench,
    "15_domain_wall": domain_wall,
    "16_kicks_in_words": kicked_words,
    "17_drive_with_flaw": flawed_drive,
    "18_free_fermion_chain": free_fermion_chain,
    "19_ising_field_scan": field_scan,
    "20_hot_hubbard": hot_hubbard,
    "21_root_of_x": root_of_x,
    "22_ladder_transfer": ladder_transfer,
}
