"""One geometry, before all are computed."""

from __future__ import annotations

from typing import Any

from labwright.results import record

from .energies import Given, exact, variational


def main(given: Given, tools: Any) -> None:
    """Hold VQE against the exact energy.

    Raises:
        SystemExit: VQE lies below it.
    """
    scan = given["scans"][0]
    at = len(scan["geometries"]) // 2
    made = variational(given, tools, scan, at, given["circuits"][0])
    sure = exact(given, tools, scan, at, made)
    print(f"{scan['molecule']} at {scan['distances'][at]}: VQE {made.energy:.6f}, exact {sure:.6f} hartree")
    if made.energy < sure - 1e-6:
        raise SystemExit("VQE lies below the exact energy: the orbitals or the charge of the two differ.")
    for method, energy in (("vqe", made.energy), ("fci", sure)):
        record("energy", energy, unit="hartree", labels={"method": method, "molecule": scan["molecule"]})
