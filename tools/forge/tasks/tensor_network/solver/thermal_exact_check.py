"""A short chain against exact diagonalisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from labwright.results import parameter, record

from .thermal import Given, cooled

Strings = list[dict[str, Any]]


def strings(given: Given, n: int) -> tuple[int, Strings, Strings, float, float]:
    """(qubits, H, mu N, their constants); fermions by Jordan and Wigner with site = 2 k + spin."""
    made: Strings = []
    number: Strings = []

    def put(where: Strings, letters: str, sites: list[int], weight: float) -> None:
        if weight != 0:
            where.append({"letters": letters, "sites": sites, "weight": weight})

    if given["model"] == "xyz":
        for k in range(n):
            put(made, "X", [k], given["fields"][0] / 2)
            put(made, "Z", [k], given["fields"][1] / 2)
            for letter, j in zip("XYZ", given["exchange"], strict=True) if k < n - 1 else ():
                put(made, letter * 2, [k, k + 1], j / 4)
        return n, made, number, 0.0, 0.0
    t, u, mu = given["hopping"], given["interaction"], given["chemical_potential"]
    for k in range(n):
        put(made, "ZZ", [2 * k, 2 * k + 1], u / 4)
        for spin in range(2):
            put(made, "Z", [2 * k + spin], -u / 4)
            put(number, "Z", [2 * k + spin], mu / 2)
            for letter in "XY" if k < n - 1 else "":
                put(made, letter + "Z" + letter, [2 * k + spin, 2 * k + spin + 1, 2 * k + spin + 2], -t / 2)
    return 2 * n, made, number, n * u / 4, -mu * n


def main(given: Given, tools: Any) -> None:
    """Record the energy by both.

    Raises:
        SystemExit: they differ.
    """
    n = min(given["sites"], 6 if given["model"] == "xyz" else 4)
    qubits, made, number, shift, grand = strings(given, n)
    whole = {"hamiltonian": [*made, *number], "n_states": 2**qubits, "dense": True, "observables": made}
    solved = tools.spin_chain_exact_states(n_sites=qubits, **whole)
    levels = np.array(solved.energies) + shift + grand
    plain, beta = np.array(solved.expectations).sum(axis=1) + shift, given["betas"][-1]
    weights = np.exp(-beta * (levels - levels.min()))
    sure = float(plain @ weights / weights.sum())
    found = cooled(given, tools, n, [0.0, beta], given["step"]).energies[-1]
    print(f"{n} sites at beta = {beta}: purification {found:.6f}, exact {sure:.6f}")
    if abs(found - sure) > 5e-3 * max(1.0, abs(sure)):
        raise SystemExit("The purification misses the exact energy of a short chain: look at step and truncation.")
    record("energy", found, labels={"method": "purification", "N": n})
    record("energy", sure, labels={"method": "exact", "N": n})
    parameter(N=n, beta=beta)
