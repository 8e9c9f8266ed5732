"""Spin chains by exact diagonalisation or free fermions, thermal Hubbard chains by exact traces, pulses by limits."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, identity, kron
from scipy.sparse.linalg import expm_multiply

from labwright.evaluation.forge.references.chains import kicked_magnetisation, middle_entropy, product_state, signs
from labwright.evaluation.forge.references.circuits import PAULIS
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


TASKS = {
    "14_latex_ising_quench": ising_quench,
    "15_domain_wall": domain_wall,
    "16_kicks_in_words": kicked_words,
}
