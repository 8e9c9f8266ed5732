"""A small chain against exact diagonalisation."""

from __future__ import annotations

from typing import Any

from labwright.results import parameter, record

from .ground import Given, exact, ground


def main(given: Given, tools: Any) -> None:
    """Record its energies.

    Raises:
        SystemExit: DMRG misses an exact energy.
    """
    reach = max(max(one["offsets"]) - min(one["offsets"]) for one in given["patterns"])
    n = max(5, reach + 2) if min(given["sizes"]) % 2 else max(6, reach + 2 + reach % 2)
    n = min(n, min(given["sizes"]))
    picked = [given["couplings"][k] for k in sorted({0, len(given["couplings"]) // 2})]
    made = ground(given, tools, n, picked)
    for row, energy in zip(picked, made.energies, strict=True):
        sure = exact(given, tools, n, row).energies[0]
        print(f"{n} sites, couplings {row}: DMRG {energy:.8f}, exact {sure:.8f}")
        if abs(energy - sure) > 1e-5 * max(1, abs(sure)):
            raise SystemExit("DMRG misses the exact ground state of a small chain: look at sectors and start states.")
    parameter(N=n)
    record("energy", made.energies, axes={"point": list(range(len(picked)))}, labels={"method": "dmrg", "N": n})
