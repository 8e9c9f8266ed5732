"""A trial with few time slots and iterations."""

from __future__ import annotations

from typing import Any

from labwright.results import parameter, record

from .main import Given, optimised, verified

SLOTS = 60


def main(given: Given, tools: Any) -> None:
    """Record the fidelity.

    Raises:
        SystemExit: the optimiser's propagation and the verification disagree.
    """
    slots = min(given["slots"], SLOTS)
    found = optimised(given, tools, slots, given["penalties"], 15)
    shown = verified(given, tools, found.amplitudes)
    print(f"trial with {slots} slots: fidelity {found.fidelity:.6f}, verified {shown.fidelity:.6f}")
    if abs(found.fidelity - shown.fidelity) > 1e-4 or shown.norm_error > 1e-6:
        raise SystemExit("The optimiser's propagation and the verification disagree.")
    parameter(slots=slots)
    record("fidelity", shown.fidelity, labels={"case": "subset"})
