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

def variational(scan, point, start, ansatz):
    \"\"\"VQE at one geometry.\"\"\"
    # a hardware-efficient circuit at angle zero sits on a saddle; coupled cluster starts at the reference
    scale = 0.1 if ansatz == "hardware_efficient" else (0.01 if ansatz == "upccgsd" else 0.0)
    return molecular_vqe(MolecularVqeInput(
        symbols=scan["symbols"], positions=point["positions"], charge=scan["charge"], basis=GIVEN["basis"],
        active_orbitals=scan["active_orbitals"], mapping=GIVEN["mapping"], ansatz=ansatz,
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
made = variational(scan, point, [], GIVEN["ansatz"])
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
circuits = [GIVEN["ansatz"], *GIVEN["others"]]


def curve(scan, ansatz):
    \"\"\"(VQE, exact, Hartree-Fock, variance) at every geometry, and the last result.\"\"\"
    points = scan["points"]
    rows, start = [], []
    for point in points:
        made = variational(scan, point, start, ansatz)
        sure = exact(scan, point, made)
        # neighbouring geometries have similar parameters, if the circuit has the same ones
        again = len(points) > 1 and ansatz != "hardware_efficient"
        if again and start and made.energy - sure > 1e-4:
            fresh = variational(scan, point, [], ansatz)
            made = fresh if fresh.energy < made.energy else made
        start = made.parameters if again else []
        rows.append((made.energy, sure, made.hartree_fock, made.variance, made.parameters))
        print(f"{scan['molecule']} {point['distance']} {ansatz}: VQE {made.energy:.8f}, exact {sure:.8f}, "
              f"HF {made.hartree_fock:.8f}")
    return rows, made


for scan in GIVEN["scans"]:
    name, points = scan["molecule"], scan["points"]
    scanned = points[0]["distance"] is not None and len(points) > 1
    distances = [point["distance"] for point in points]
    axes = [("distance", distances, "angstrom")] if scanned else []
    whole = (lambda values: values) if scanned else (lambda values: values[0])
    of_circuit = {}
    for ansatz in circuits:
        rows, made = curve(scan, ansatz)
        of_circuit[ansatz] = rows
        how = {"ansatz": ansatz} if len(circuits) > 1 else {}
        size = {"qubits": made.n_qubits, "terms": made.n_terms, "parameters": len(made.parameters)}
        sizes[f"{name}, {ansatz}" if how else name] = size
        record("qubits", size["qubits"], molecule=name, **how)
        record("pauli_terms", size["terms"], molecule=name, **how)
        record("circuit_parameters", size["parameters"], molecule=name, **how)
        record("energy", whole([row[0] for row in rows]), "hartree", axes, method="vqe", molecule=name, **how)
        record("vqe_error", whole([row[0] - row[1] for row in rows]), "hartree", axes, molecule=name, **how)
        record("energy_variance", whole([row[3] for row in rows]), "hartree^2", axes, molecule=name, **how)
        parameters = [list(row[4]) for row in rows]
        number = ("parameter", list(range(len(parameters[0]))), "")
        record("optimal_parameters", whole(parameters), axes=[*axes, number], molecule=name, **how)
        record("correlation_energy", whole([row[0] - row[2] for row in rows]), "hartree", axes, method="vqe", molecule=name, **how)
        if scanned:
            far = int(np.argmax(distances))
            depth = rows[far][0] - min(row[0] for row in rows)
            record("well_depth", depth, "hartree", method="vqe", molecule=name, **how)
            best = int(np.argmin([row[0] for row in rows]))
            record("lowest_distance", distances[best], "angstrom", method="vqe", molecule=name, **how)
            record("lowest_energy", rows[best][0], "hartree", method="vqe", molecule=name, **how)
            if 0 < best < len(rows) - 1:
                fit = np.polyfit(distances[best - 1 : best + 2], [row[0] for row in rows[best - 1 : best + 2]], 2)
                record("equilibrium_distance", float(-fit[1] / (2 * fit[0])), "angstrom", molecule=name, **how)
                record("minimum_energy", float(np.polyval(fit, -fit[1] / (2 * fit[0]))), "hartree", molecule=name, **how)
    for column, method in ((1, "fci"), (2, "hf")):
        values = [row[column] for row in rows]
        record("energy", whole(values), "hartree", axes, method=method, molecule=name)
        if method == "fci":
            correlation = [row[1] - row[2] for row in rows]
            record("correlation_energy", whole(correlation), "hartree", axes, method="fci", molecule=name)
        if scanned:
            record("lowest_distance", distances[int(np.argmin(values))], "angstrom", method=method, molecule=name)
            record("lowest_energy", min(values), "hartree", method=method, molecule=name)
            record("well_depth", values[far] - min(values), "hartree", method=method, molecule=name)
    if scanned:
        panels.append({"title": name, "x_label": "distance (angstrom)", "y_label": "energy (hartree)", "series": [
            {"label": "exact (FCI)", "x": distances, "y": [row[1] for row in rows]},
            *({"label": "VQE" if len(circuits) == 1 else ansatz, "x": distances, "y": [row[0] for row in found],
               "style": "points"} for ansatz, found in of_circuit.items()),
            {"label": "Hartree-Fock", "x": distances, "y": [row[2] for row in rows], "style": "dashed"}]})
        panels.append({"title": f"{name}: VQE minus exact", "x_label": "distance (angstrom)",
            "y_label": "error (hartree)", "series": [
            {"label": ansatz if len(circuits) > 1 else "", "x": distances, "y": [row[0] - row[1] for row in found],
             "style": "points"} for ansatz, found in of_circuit.items()]})
    else:
        heights = [rows[0][2], *(found[0][0] for found in of_circuit.values()), rows[0][1]]
        panels.append({"title": name, "x_label": f"method (0 HF, then {', '.join(circuits)}, last exact)",
            "y_label": "energy (hartree)", "series": [
            {"label": name, "x": list(range(len(heights))), "y": heights, "style": "points"}]})
Path("img").mkdir(exist_ok=True)
plot_lines(PlotLinesInput(path="img/energies.png", title="Variational and exact energies", panels=panels))
save("results/vqe.json", {name: GIVEN[name] for name in ("basis", "ansatz", "others", "mapping", "optimiser", "tolerance", "seed")}
     | {"simulator": "qulacs", "sizes": sizes})
"""
)
