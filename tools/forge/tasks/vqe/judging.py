"""What must hold of variational energies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labwright.tools.forge.tasks.base import Judgement
from labwright.tools.forge.tasks.reporting import values
from labwright.tools.forge.tasks.results import Results
from labwright.tools.forge.tasks.vqe.card import Ansatz, Scan, VqeCard

# how near to the exact energy a circuit has to come, hartree; chemical accuracy is 1.6e-3
ACCURACY = {"uccsd": 1.6e-3, "upccgsd": 1.6e-3, "hardware_efficient": 0.05}


def judge(card: VqeCard, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Energies of all geometries, the variational bound, how near to exact, the figure."""
    made = [one for scan in card.scans() for circuit in card.circuits for one in _scan(card, scan, circuit, results)]
    return [
        *made,
        Judgement("figure", "img/energies.png" in figures, f"Figures: {', '.join(sorted(figures)) or 'none'}.",
                  "result_incomplete", "Plot VQE and exact energies in one figure."),
    ]  # fmt: skip


def _scan(card: VqeCard, scan: Scan, circuit: Ansatz, results: Results) -> list[Judgement]:
    labels = card.labels(scan, circuit)
    name = ", ".join(labels.values())
    vqe = values(results, "energy", method="vqe", **labels)
    exact, field = (values(results, "energy", method=one, molecule=scan.molecule) for one in ("fci", "hf"))
    asked = (len(scan.distances),)
    if vqe is None or exact is None or field is None or not vqe.shape == exact.shape == field.shape == asked:
        there = ["no" if one is None else str(one.size) for one in (vqe, exact)]
        return [Judgement(f"energies {name}", False, f"{there[0]} VQE and {there[1]} exact energies are there;"
                          f" {asked[0]} geometries were asked for.", "script_incomplete",
                          "Compute both at every geometry.")]  # fmt: skip
    lowest, worst, above = (vqe - exact).min(), (vqe - exact).max(), (vqe - field).max()
    return [
        Judgement(f"variational bound {name}", bool(lowest > -1e-6), f"VQE minus exact is at least {lowest:.1e} hartree."),
        Judgement(f"below Hartree-Fock {name}", bool(above < 1e-6) or circuit == "hardware_efficient",
                  f"VQE minus Hartree-Fock is at most {above:.1e} hartree.", "more_simulation",
                  "Start from the reference, or optimise longer."),
        Judgement(f"accuracy {name}", bool(worst < ACCURACY[circuit]),
                  f"VQE minus exact is at most {worst:.1e} hartree; {ACCURACY[circuit]:g} is allowed to this circuit.",
                  "more_simulation", "Optimise longer, from other parameters, or with a richer circuit."),
    ]  # fmt: skip
