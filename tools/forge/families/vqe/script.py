"""The scripts of a task of variational molecular energies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labwright.tools.forge.families.base import Script
from labwright.tools.forge.families.program import program
from labwright.tools.forge.families.vqe.spec import VqeSpec


def scripts(spec: VqeSpec, imports: Mapping[str, str]) -> Sequence[Script]:
    """One point first where there are many, then all."""
    given = spec.model_dump(mode="json")
    tools = ["molecular_vqe", "casci_states"]
    points = sum(len(one.points) for one in spec.scans)
    full = program("VQE and exact energies at all geometries.", imports, [*tools, "plot_lines"], given, _BODY)
    whole = Script("Compute VQE and exact energies at all geometries.", full, wall_seconds=300.0 + 120.0 * points)
    if points < 4:
        return [whole]
    small = program("VQE and exact energy at one geometry.", imports, tools, given, _SUBSET)
    return [Script("Try one geometry.", small, subset=True, wall_seconds=300.0), whole]


_COMMON = """

def variational(scan, point, start):
    \"\"\"VQE at one geometry.\"\"\"
    # a hardware-efficient circuit at angle zero sits on a saddle; coupled cluster starts at the reference
    scale = 0.1 if GIVEN["ansatz"] == "hardware_efficient" else (0.01 if GIVEN["ansatz"] == "upccgsd" else 0.0)
    return molecular_vqe(MolecularVqeInput(
        symbols=scan["symbols"], positions=point["positions"], charge=scan["charge"], basis=GIVEN["basis"],
        active_orbitals=scan["active_orbitals"], mapping=GIVEN["mapping"], ansatz=GIVEN["ansatz"],
        layers=GIVEN["layers"], start=start, start_scale=scale, seed=GIVEN["seed"], optimiser=GIVEN["optimiser"],
        max_iterations=GIVEN["iterations"], tolerance=GIVEN["tolerance"]))


def exact(scan, point, made):
    \"\"\"Full configuration interaction in the same orbitals, by PySCF.\"\"\"
    return casci_states(CasciStatesInput(
        symbols=scan["symbols"], positions=point["positions"], charge=scan["charge"], multiplicity=1, method="HF",
        basis=GIVEN["basis"], n_electrons=made.n_electrons, n_orbitals=made.n_qubits // 2, n_roots=1,
        active=scan["active_orbitals"])).energies[0]

"""
_SUBSET = (
    _COMMON
    + """
scan = GIVEN["scans"][0]
point = scan["points"][len(scan["points"]) // 2]
made = variational(scan, point, [])
sure = exact(scan, point, made)
print(f"{scan['molecule']} at {point['distance']}: VQE {made.energy:.6f}, exact {sure:.6f} hartree")
if made.energy < sure - 1e-6:
    raise SystemExit("VQE lies below the exact energy: the orbitals or the charge of the two differ.")
record("energy", made.energy, "hartree", method="vqe", molecule=scan["molecule"])
record("energy", sure, "hartree", method="fci", molecule=scan["molecule"])
save("results/vqe_subset.json", {"distance": point["distance"]})
"""
)
_BODY = (
    _COMMON
    + """
panels, sizes = [], {}
for scan in GIVEN["scans"]:
    name = scan["molecule"]
    points = scan["points"]
    rows, start = [], []
    for point in points:
        made = variational(scan, point, start)
        sure = exact(scan, point, made)
        # neighbouring geometries have similar parameters, if the circuit has the same ones
        again = len(points) > 1 and GIVEN["ansatz"] != "hardware_efficient"
        if again and start and made.energy - sure > 1e-4:
            fresh = variational(scan, point, [])
            made = fresh if fresh.energy < made.energy else made
        start = made.parameters if again else []
        rows.append((made.energy, sure, made.hartree_fock, made.variance))
        print(f"{name} {point['distance']}: VQE {made.energy:.8f}, exact {sure:.8f}, HF {made.hartree_fock:.8f}")
    sizes[name] = {"qubits": made.n_qubits, "terms": made.n_terms, "parameters": len(made.parameters)}
    scanned = points[0]["distance"] is not None and len(points) > 1
    distances = [point["distance"] for point in points]
    axes = [("distance", distances, "angstrom")] if scanned else []
    for column, method in enumerate(("vqe", "fci", "hf")):
        values = [row[column] for row in rows]
        record("energy", values if scanned else values[0], "hartree", axes, method=method, molecule=name)
    record("vqe_error", [row[0] - row[1] for row in rows] if scanned else rows[0][0] - rows[0][1], "hartree", axes,
           molecule=name)
    record("energy_variance", [row[3] for row in rows] if scanned else rows[0][3], "hartree^2", axes, molecule=name)
    if scanned:
        far = int(np.argmax(distances))
        for column, method in enumerate(("vqe", "fci", "hf")):
            depth = rows[far][column] - min(row[column] for row in rows)
            record("well_depth", depth, "hartree", method=method, molecule=name)
        best = int(np.argmin([row[0] for row in rows]))
        if 0 < best < len(rows) - 1:
            fit = np.polyfit(distances[best - 1 : best + 2], [row[0] for row in rows[best - 1 : best + 2]], 2)
            record("equilibrium_distance", float(-fit[1] / (2 * fit[0])), "angstrom", molecule=name)
            record("minimum_energy", float(np.polyval(fit, -fit[1] / (2 * fit[0]))), "hartree", molecule=name)
        panels.append({"title": name, "x_label": "distance (angstrom)", "y_label": "energy (hartree)", "series": [
            {"label": "exact (FCI)", "x": distances, "y": [row[1] for row in rows]},
            {"label": "VQE", "x": distances, "y": [row[0] for row in rows], "style": "points"},
            {"label": "Hartree-Fock", "x": distances, "y": [row[2] for row in rows], "style": "dashed"}]})
        panels.append({"title": f"{name}: VQE minus exact", "x_label": "distance (angstrom)",
            "y_label": "error (hartree)", "series": [
            {"label": "", "x": distances, "y": [row[0] - row[1] for row in rows], "style": "points"}]})
    else:
        panels.append({"title": name, "x_label": "method (0 HF, 1 VQE, 2 exact)", "y_label": "energy (hartree)", "series": [
            {"label": name, "x": [0, 1, 2], "y": [rows[0][2], rows[0][0], rows[0][1]], "style": "points"}]})
Path("img").mkdir(exist_ok=True)
plot_lines(PlotLinesInput(path="img/energies.png", title="Variational and exact energies", panels=panels))
save("results/vqe.json", {name: GIVEN[name] for name in ("basis", "ansatz", "mapping", "optimiser", "tolerance", "seed")}
     | {"simulator": "qulacs", "sizes": sizes})
"""
)
