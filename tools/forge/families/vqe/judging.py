"""What must hold of variational energies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labwright.tools.forge.families.base import Judgement
from labwright.tools.forge.families.vqe.spec import Ansatz, Scan, VqeSpec
from labwright.tools.forge.results import Results


def judge(spec: VqeSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
    """Energies of all geometries, the variational bound, how near to exact, the figure."""
    made = [one for scan in spec.scans for circuit in spec.circuits for one in _scan(spec, scan, circuit, results)]
    return [
        *made,
        Judgement("figure", "img/energies.png" in figures, f"Figures: {', '.join(sorted(figures)) or 'none'}.",
                  "result_incomplete", "Plot VQE and exact energies in one figure."),
    ]  # fmt: skip


def energies(results: Results, method: str, molecule: str, ansatz: str = "") -> list[float]:
    """Of one method, or one circuit of several, at all geometries; empty if they are not there."""
    found = results.find("energy", method=method, molecule=molecule, **({"ansatz": ansatz} if ansatz else {}))
    if len(found) != 1:
        return []
    value = found[0].value
    return [float(one) for one in value] if isinstance(value, list) else [float(value)]  # type: ignore[arg-type]


def _scan(spec: VqeSpec, scan: Scan, circuit: Ansatz, results: Results) -> list[Judgement]:
    name = scan.molecule
    vqe = energies(results, "vqe", name, circuit if spec.others else "")
    exact, field = (energies(results, one, name) for one in ("fci", "hf"))
    name = f"{name}, {circuit}" if spec.others else name
    if not len(vqe) == len(exact) == len(field) == len(scan.points):
        return [Judgement(f"energies {name}", False, f"{len(vqe)} VQE and {len(exact)} exact energies are there;"
                          f" {len(scan.points)} geometries were asked for.", "script_incomplete",
                          "Compute both at every geometry.")]  # fmt: skip
    lowest = min(a - b for a, b in zip(vqe, exact, strict=True))
    worst = max(a - b for a, b in zip(vqe, exact, strict=True))
    above = max(a - b for a, b in zip(vqe, field, strict=True))
    return [
        Judgement(f"variational bound {name}", lowest > -1e-6, f"VQE minus exact is at least {lowest:.1e} hartree."),
        Judgement(f"below Hartree-Fock {name}", above < 1e-6 or circuit == "hardware_efficient",
                  f"VQE minus Hartree-Fock is at most {above:.1e} hartree.", "more_simulation",
                  "Start from the reference, or optimise longer."),
        Judgement(f"accuracy {name}", worst < spec.accuracy(circuit),
                  f"VQE minus exact is at most {worst:.1e} hartree; {spec.accuracy(circuit):g} is allowed to this circuit.",
                  "more_simulation", "Optimise longer, from other parameters, or with a richer circuit."),
    ]  # fmt: skip
