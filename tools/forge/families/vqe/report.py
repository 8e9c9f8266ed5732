"""The report of a task of variational molecular energies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labwright.tools.forge.families.vqe.judging import energies
from labwright.tools.forge.families.vqe.spec import Ansatz, Scan, VqeSpec
from labwright.tools.forge.results import Results

_NAMES = {
    "uccsd": "unitary coupled cluster with singles and doubles (UCCSD)",
    "upccgsd": "paired unitary coupled cluster with generalised singles and doubles (UpCCGSD)",
    "hardware_efficient": "a hardware-efficient circuit of Ry, Rz and CNOT on the Hartree-Fock determinant",
}


def report(spec: VqeSpec, results: Results, figures: Sequence[str]) -> str:
    """Method, energies, where they differ, what the curve means."""
    lines = [
        "## Method\n",
        f"tequila with the Qulacs state-vector simulator; basis {spec.basis}, {spec.mapping.replace('_', '-')} mapping,"
        f" ansatz {' and '.join(_NAMES[one] for one in spec.circuits)}, optimiser {spec.optimiser} with analytic gradients to {spec.tolerance:g} hartree."
        " The exact energies are full configuration interaction in the same orbitals by PySCF, which shares only the"
        " integrals with VQE.\n",
    ]
    for scan in spec.scans:
        for circuit in spec.circuits:
            lines += _scan(spec, scan, circuit, results)
    lines += [f"![{path}]({path})" for path in figures]
    return "\n".join(lines) + "\n"


def _scan(spec: VqeSpec, scan: Scan, circuit: Ansatz, results: Results) -> list[str]:
    name = f"{scan.molecule}, {circuit}" if spec.others else scan.molecule
    vqe = energies(results, "vqe", scan.molecule, circuit if spec.others else "")
    exact, field = (energies(results, one, scan.molecule) for one in ("fci", "hf"))
    size: Any = results.parameters.get("sizes", {}).get(name, {})
    lines = [
        f"## {name}\n",
        f"{size.get('qubits', '?')} qubits, {size.get('terms', '?')} Pauli strings, {size.get('parameters', '?')} parameters,"
        f" charge {scan.charge}"
        + (f", active orbitals {scan.active_orbitals}" if scan.active_orbitals else ", all orbitals active")
        + ".\n",
        "| distance (angstrom) | VQE (hartree) | exact | Hartree-Fock | VQE - exact |",
        "|---:|---:|---:|---:|---:|",
    ]
    for point, a, b, c in zip(scan.points, vqe, exact, field, strict=False):
        where = "" if point.distance is None else f"{point.distance:.3f}"
        lines.append(f"| {where} | {a:.6f} | {b:.6f} | {c:.6f} | {a - b:.1e} |")
    return [*lines, "", *_meaning(circuit, scan, results, vqe, exact, field), ""]


def _meaning(
    circuit: Ansatz, scan: Scan, results: Results, vqe: list[float], exact: list[float], field: list[float]
) -> list[str]:
    if not vqe:
        return []
    worst = max(range(len(vqe)), key=lambda k: vqe[k] - exact[k])
    at = scan.points[worst].distance
    said = [
        f"VQE is above the exact energy by at most {vqe[worst] - exact[worst]:.1e} hartree"
        + ("." if at is None else f" (at {at:g} angstrom).")
    ]
    if len(scan.symbols) == 2 and set(scan.symbols) == {"H"} and circuit == "uccsd":
        said.append(
            "That is the accuracy of the optimiser: two electrons have no excitations beyond doubles, so UCCSD is exact for"
            " them in any basis, up to the order of its factors, which does not matter in two orbitals."
        )
    if len(vqe) > 2:
        best = min(range(len(vqe)), key=lambda k: vqe[k])
        said += [
            f"The lowest computed point is {vqe[best]:.6f} hartree at {scan.points[best].distance:g} angstrom"
            + _equilibrium(results, scan.molecule)
            + _depth(results, scan.molecule)
            + " Shorter bonds cost energy steeply by the repulsion of the nuclei and the confinement of the electrons;"
            " longer ones lead to separated fragments, where the curve flattens.",
            f"Hartree-Fock misses {1000 * (field[0] - exact[0]):.1f} millihartree at the shortest distance and"
            f" {1000 * (field[-1] - exact[-1]):.1f} at the longest: one determinant forces both electrons of the bond into"
            " one orbital and keeps ionic terms that dissociated atoms do not have (static correlation). The correlated"
            " circuit mixes in the antibonding determinant and follows the exact curve.",
        ]
    return [" ".join(said)]


def _equilibrium(results: Results, molecule: str) -> str:
    found = results.find("equilibrium_distance", molecule=molecule)
    if not found or not isinstance(found[0].value, float):
        return "."
    return f"; a parabola through its neighbours puts the minimum at {found[0].value:.3f} angstrom."


def _depth(results: Results, molecule: str) -> str:
    found = results.find("well_depth", molecule=molecule, method="fci")
    if not found or not isinstance(found[0].value, float):
        return ""
    return f" Against the largest distance the exact well is {found[0].value:.6f} hartree deep."
