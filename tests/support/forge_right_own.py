"""Right workspaces of our own tasks and the studies, from the references' exact methods."""

from __future__ import annotations

from typing import Any

import numpy as np
from forge_right import sampled
from forge_workspaces import bars, heatmap, lines, made, record

from labwright.evaluation.forge.references import chains, circuits, fermions, open_systems
from labwright.evaluation.forge.references.hubbard import thermal
from labwright.evaluation.forge.references.molecules import HARTREE_KCAL, table
from labwright.evaluation.forge.references.tables import read
from labwright.evaluation.forge.references.two_electrons import exact_energy

Made = dict[str, Any]
DOWN = np.array([[0, 0], [1, 0]], dtype=complex)


def thermal_qubit() -> Made:
    time, h = np.linspace(0, 30, 301), 0.8 * circuits.Z + 0.3 * circuits.Y
    jumps = [np.sqrt(0.15 * 1.4) * DOWN, np.sqrt(0.15 * 0.4) * DOWN.T, np.sqrt(0.025) * circuits.Z]
    records, means, purities = [], {}, {}
    for start, rho in (("X+", (np.eye(2) + circuits.X) / 2), ("Z-", np.diag([0, 1]).astype(complex))):
        states = open_systems.evolved(h, jumps, rho, time)
        purities[start] = np.real(np.einsum("tij,tji->t", states, states))
        records.append(record("purity", purities[start], {"time": time}, initial=start))
        for name, operator in (("X", circuits.X), ("Z", circuits.Z)):
            means[f"{name}{start}"] = np.real(np.einsum("tij,ji->t", states, operator))
            records.append(
                record("expectation", means[f"{name}{start}"], {"time": time}, observable=name, initial=start)
            )
    steady = open_systems.steady(h, jumps)
    for name, operator in (("X", circuits.X), ("Z", circuits.Z)):
        records.append(record("steady_state", float(np.real(np.trace(steady @ operator))), observable=name))
    return made(
        records,
        [lines(means, x=time), lines(purities, x=time)],
        packages=["qutip"],
        script="import qutip\nqutip.mesolve()\n",
    )


def noisy_ghz() -> Made:
    gammas, records = (0.0, 0.03, 0.08, 0.15), []
    curves: dict[str, list[float]] = {"ZZI": [], "IZZ": [], "XXX": []}
    for k, gamma in enumerate(gammas):
        rho = circuits.damped_ghz(gamma)
        counts = {basis: sampled(circuits.probabilities(rho, basis), 8192, 2 * k) for basis in ("ZZZ", "XXX")}
        records += [record("counts", one, basis=basis, noise=gamma) for basis, one in counts.items()]
        for word in curves:
            curves[word].append(circuits.parity(counts["XXX" if word == "XXX" else "ZZZ"], word))
            records.append(record("expectation", curves[word][-1], observable=word, noise=gamma))
    script = "import qiskit\nqiskit.QuantumCircuit(3)\n"
    return made(records, [lines(curves, x=gammas)], packages=["qiskit"], script=script)


def heh_cation() -> Made:
    distance = np.arange(0.5, 3.01, 0.25)
    exact = np.array([exact_energy(("He", "H"), float(d)) for d in distance])
    energies = {"fci": exact, "vqe": exact + 2e-6}
    records = [record("energy", e, {"distance": distance}, method=m, molecule="HeH+") for m, e in energies.items()]
    records.append(record("equilibrium_distance", float(distance[int(np.argmin(exact))])))
    records.append(record("well_depth", float(exact[-1] - exact.min())))
    figures = [lines(energies, x=distance), lines({"d": (energies["vqe"] - exact) * 1e3}, x=distance)]
    return made(records, figures, packages=["tequila"], script="import tequila\ntequila.minimize()\n")


def tilted_ising_ring() -> Made:
    time, z = np.linspace(0, 4, 401), chains.signs(8)
    diagonal = chains.ising_energies(8, 1.0, 0.35, True)
    states = chains.trotter_states(chains.product_state("01010101"), 8, diagonal, 0.9, 0.01, 400)
    weights = np.abs(states) ** 2
    pairs = weights @ np.mean([z[i] * z[(i + 1) % 8] for i in range(8)], axis=0)
    h = np.diag(diagonal) - 0.9 * chains.sum_x(8).toarray()
    energy = [float(np.real(np.vdot(states[k], h @ states[k]))) for k in (0, -1)]
    records = [
        record("magnetisation", weights @ z.T, {"time": time, "site": range(8)}, axis="z"),
        record("expectation", pairs, {"time": time}, observable="ZZ"),
        record("energy", energy, {"time": [0, 4]}),
    ]
    return made(records, [heatmap(range(8), time, weights @ z.T), lines({"zz": pairs}, x=time)])


def dimer_sweep() -> Made:
    kept, fine = read("dimer"), np.linspace(0, 1500, 301)
    records, curves = [], {}
    for coupling in (5, 40, 120):
        first = np.interp(fine, kept["time"], kept["plain"][str(coupling)])
        curves[str(coupling)] = first
        both = np.array([first, 1 - first]).T
        records.append(record("population", both, {"time": fine, "site": [0, 1]}, reorganization_energy=coupling))
    boltzmann = open_systems.boltzmann_populations([[120, 60], [60, 0]], 300.0)
    records.append(record("boltzmann_population", boltzmann, {"site": [0, 1]}))
    return made(records, [lines(curves, x=fine)], packages=["qutip"], script="import qutip\nqutip.HEOMSolver()\n")


def doped_hubbard() -> Made:
    beta, records, curves = np.linspace(0, 3, 13), [], {}
    for mu in (3, 1):
        found = [thermal(6, 6.0, float(b), mu) for b in beta]
        for quantity, values in (
            ("energy_per_site", [f.energy for f in found]),
            ("double_occupancy", [f.double for f in found]),
        ):
            records.append(record(quantity, values, {"beta": beta}, mu=mu))
            curves[f"{quantity}{mu}"] = values
        density = np.repeat(np.array([[f.density for f in found]]).T, 6, axis=1)
        for spin, share in (("up", 0.5), ("down", 0.5), ("total", 1.0)):
            records.append(record("occupation", density * share, {"beta": beta, "site": range(6)}, spin=spin, mu=mu))
    return made(records, [lines(curves, x=beta)], packages=["tenpy"], script="import tenpy\ntenpy.PurificationTEBD()\n")


def ising_chain_dmrg() -> Made:
    g = [0.5, 0.8, 0.9, 1.0, 1.1, 1.2, 1.5]
    grounds = [fermions.ising_chain(32, field) for field in g]
    entropy = [fermions.block_entropy(ground, 16) for ground in grounds]
    x = [float(fermions.transverse_magnetisation(ground)[8:24].mean()) for ground in grounds]
    records = [
        record("energy_per_site", [ground.energy / 32 for ground in grounds], {"g": g}),
        record("entropy", entropy, {"g": g}, cut="middle"),
        record("magnetisation", x, {"g": g}, axis="x"),
        record("critical_point", 1.0, estimator="entropy"),
    ]
    figure = lines({"s": entropy, "x": x}, x=g)
    return made(records, [figure], packages=["tenpy"], script="import tenpy\ntenpy.TwoSiteDMRGEngine()\n")


def hydrogenation() -> Made:
    label, records, heights = "ethylene + hydrogen -> ethane", [], {}
    for at in (298.15, 500.0):
        for quantity, kind in (("reaction_enthalpy", "enthalpy"), ("reaction_gibbs", "gibbs")):
            parts = {name: table()[name]["thermo"][f"{at:g}"][kind] for name in ("ethane", "ethylene", "hydrogen")}
            value = (parts["ethane"] - parts["ethylene"] - parts["hydrogen"]) * HARTREE_KCAL
            records.append(record(quantity, value, reaction=label, temperature=at))
            heights[f"{quantity} {at}"] = value
    return made(records, [bars(heights)])


def thioformaldehyde() -> Made:
    kept, name, heights = table()["thioformaldehyde"], "thioformaldehyde", {}
    quantities = ("energy", "dipole", "homo_lumo_gap", "point_group", "mulliken_charges", "frequencies")
    records = [record(quantity, kept[quantity], molecule=name) for quantity in quantities]
    records.append(record("coordinates", {"symbols": kept["symbols"], "positions": kept["positions"]}, molecule=name))
    for functional, states in kept["excited"].items():
        for state in ("S1", "T1"):
            heights[functional + state] = states[state]
            records.append(
                record("excitation_energy", states[state], molecule=name, functional=functional, state=state)
            )
        records.append(record("singlet_triplet_gap", states["S1"] - states["T1"], molecule=name, functional=functional))
        f = states["oscillator_strength"]
        records.append(record("oscillator_strength", f, molecule=name, functional=functional, state="S1"))
    return made(records, [bars(heights)], packages=["pyscf"], script="import pyscf\npyscf.TDDFT()\n")


def rubidium_qubit() -> Made:
    time = np.linspace(0, 30, 301)
    p = {"excited": np.exp(-time / 10), "superposition": np.exp(-time / 10) / 2}
    c = {"excited": 0 * time, "superposition": np.exp(-time / 5) / 2}
    records = [
        record("contact_density", 2.66, molecule="Rb"),
        record("hyperfine_splitting", 6.8347, source="measured"),
        *(record("population", v, {"time": time}, level="excited", initial=k) for k, v in p.items()),
        *(record("coherence", v, {"time": time}, initial=k) for k, v in c.items()),
    ]
    script = "import qutip, pyscf\nqutip.mesolve()\npyscf.gto.M()\n"
    return made(records, [lines(p, x=time), lines(c, x=time)], packages=["qutip", "pyscf"], script=script)


RIGHT = {
    "sealed/01_thermal_qubit": thermal_qubit,
    "sealed/02_noisy_ghz": noisy_ghz,
    "sealed/03_heh_cation": heh_cation,
    "sealed/04_tilted_ising_ring": tilted_ising_ring,
    "sealed/05_dimer_sweep": dimer_sweep,
    "sealed/06_doped_hubbard": doped_hubbard,
    "sealed/07_ising_chain_dmrg": ising_chain_dmrg,
    "sealed/08_hydrogenation": hydrogenation,
    "sealed/09_thioformaldehyde": thioformaldehyde,
    "studies/02_rubidium_qubit": rubidium_qubit,
}
