"""A few periods of one realisation against the exact state vector."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from labwright.results import parameter, record

from .driven import Given, begun, disorder, driven, evolved

PERIODS = 4


def main(given: Given, tools: Any) -> None:
    """Record how far the two differ.

    Raises:
        SystemExit: too far.
    """
    periods, drawn, miss = min(given["periods"], PERIODS), disorder(given)[0], 0.0
    found = np.array(evolved(given, tools, 0, drawn, periods).expectations[0])
    if given["sites"] <= given["exact_sites"]:
        psi = [[one.real, one.imag] for one in product(begun(given)).tolist()]
        for period in range(1, periods + 1):
            for segment in driven(given, 0, drawn):
                psi, spins = exact(given, tools, psi, segment)
            miss = max(miss, float(np.abs(spins - found[period]).max()))
        print(f"{periods} periods: TEBD and the exact state vector differ by {miss:.1e} in any spin (Pauli units)")
        if miss > 0.05:
            raise SystemExit("TEBD misses the exact evolution: look at the step, the order and the bond dimension.")
    record("trotter_error", miss, labels={"periods": periods})
    parameter(periods=periods)


def product(vectors: Any) -> Any:
    """Amplitudes of the product state."""
    psi = np.ones(1, dtype=complex)
    for x, y, z in vectors:
        up = math.sqrt(max((1 + z) / 2, 0.0))
        psi = np.kron(psi, [up, (x + 1j * y) / (2 * up)] if up > 1e-9 else [0, 1])
    return psi


def exact(given: Given, tools: Any, psi: Any, segment: Given) -> tuple[Any, Any]:
    """State and spins after a segment."""
    n, letter = given["sites"], given["axis"].upper()
    terms = [
        {"letters": one["letters"], "coefficient": one["weight"],
         "sites": [one["site"] + k for k in range(len(one["letters"]))]}
        for one in segment["terms"]
    ]  # fmt: skip
    watch = [{"label": str(k), "terms": [{"letters": letter, "sites": [k], "coefficient": 1.0}]} for k in range(n)]
    made = tools.chain_exact_evolution(
        n_qubits=n, initial_state=psi, hamiltonian=terms, times=[0.0, segment["duration"]], observables=watch,
        cuts=[n // 2],
    )  # fmt: skip
    return made.final_state, np.array([made.expectations[str(k)][-1] for k in range(n)])
