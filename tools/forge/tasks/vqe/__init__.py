"""Molecular ground states by the variational quantum eigensolver, beside exact energies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from labwright.tools.forge.tasks.reporting import report_of, values
from labwright.tools.forge.tasks.results import Results
from labwright.tools.forge.tasks.solver_scripts import script
from labwright.tools.forge.tasks.task_type import Family, Judgement, Script, drawn
from labwright.tools.forge.tasks.vqe.card import Ansatz, Scan, VqeCard

TOOLS = {"molecular_vqe": "minimises the energy of the circuit", "plot_lines": "draws the energies"}
TOOLS["casci_states"] = "gives the exact energy in the same orbitals"
KERNEL = Path(__file__).parent / "solver"
# how near to the exact energy a circuit has to come, hartree; chemical accuracy is 1.6e-3
ACCURACY = {"uccsd": 1.6e-3, "upccgsd": 1.6e-3, "hardware_efficient": 0.05}


def scripts(card: VqeCard, imports: Mapping[str, str]) -> Sequence[Script]:
    """One point first where there are many, then all."""
    given = card.model_dump(mode="json") | {
        "circuits": card.circuits, "scans": [asdict(one) for one in card.scans()],
    }  # fmt: skip
    points = sum(len(one.geometries) for one in card.scans())
    wall = 300.0 + 120.0 * points
    whole = script("VQE and exact energies at all geometries.", KERNEL, imports, given, wall_seconds=wall)
    trial = script("Try one geometry.", KERNEL, imports, given, "trial_run", subset=True, wall_seconds=300.0)
    return [trial, whole] if points >= 4 else [whole]


def judge(card: VqeCard, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Energies of all geometries, the variational bound, how near to exact, the figure."""
    made = [one for scan in card.scans() for circuit in card.circuits for one in _scan(card, scan, circuit, results)]
    return [*made, drawn(figures, "img/energies.png")]


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
        Judgement(f"variational bound {name}", bool(lowest > -1e-6),
                  f"VQE minus exact is at least {lowest:.1e} hartree."),
        Judgement(f"below Hartree-Fock {name}", bool(above < 1e-6) or circuit == "hardware_efficient",
                  f"VQE minus Hartree-Fock is at most {above:.1e} hartree.", "more_simulation",
                  "Start from the reference, or optimise longer."),
        Judgement(f"accuracy {name}", bool(worst < ACCURACY[circuit]),
                  f"VQE minus exact is at most {worst:.1e} hartree; {ACCURACY[circuit]:g} is allowed to this circuit.",
                  "more_simulation", "Optimise longer, from other parameters, or with a richer circuit."),
    ]  # fmt: skip


FAMILY = Family("vqe", VqeCard, lambda card: TOOLS, scripts, judge, report_of("vqe/report.md"))
