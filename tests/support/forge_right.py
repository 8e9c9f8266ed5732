"""Right workspaces of the dynamics tasks, from the references' exact methods and no package of the tasks."""

from __future__ import annotations

from typing import Any

import numpy as np
from forge_workspaces import bars, heatmap, lines, made, record

from labwright.evaluation.forge.references import circuits, fermions, open_systems
from labwright.evaluation.forge.references.slow_references import read
from labwright.evaluation.forge.references.two_electrons import exact_energy

Made = dict[str, Any]


def sampled(probabilities: dict[str, float], shots: int, seed: int) -> dict[str, int]:
    """Counts drawn from exact probabilities."""
    names = list(probabilities)
    p = np.clip(np.array([probabilities[name] for name in names]), 0, None)
    drawn = np.random.default_rng(seed).multinomial(shots, p / p.sum())
    return {name: int(n) for name, n in zip(names, drawn, strict=True) if n}


def bell_state() -> Made:
    h, c = circuits.on(circuits.HADAMARD, [0], 2), circuits.cnot(0, 1, 2)
    rho = c @ h @ circuits.zero(2) @ h.conj().T @ c.conj().T
    records, figures = [], []
    for seed, basis in enumerate(("ZZ", "XX")):
        counts = sampled(circuits.probabilities(rho, basis), 4096, seed)
        records += [
            record("counts", counts, basis=basis),
            record("expectation", circuits.parity(counts, basis), observable=basis),
        ]
        figures.append(bars(counts))
    script = "import cudaq\nk = cudaq.make_kernel()\nk.h(q)\nk.cx(q, r)\ncudaq.sample(k, shots_count=4096)\n"
    return made(records, figures, {"shots": 4096}, packages=["cudaq"], script=script)


def noisy_bell(noise_on: str = "all gates") -> Made:
    records, curves = [], {"ZZ": [], "XX": []}
    noises = (0.0, 0.05, 0.1, 0.2, 0.3)
    for k, p in enumerate(noises):
        exact = circuits.noisy_bell(p, noise_on)
        for j, word in enumerate(("ZZ", "XX")):
            same = (1 + exact[word]) / 4
            distribution = {"00": same, "11": same, "01": 0.5 - same, "10": 0.5 - same}
            counts = sampled(distribution, 4096, 10 * k + j)
            value = circuits.parity(counts, word)
            curves[word].append(value)
            records += [
                record("counts", counts, basis=word, noise=p),
                record("expectation", value, observable=word, noise=p),
            ]
    script = (
        "from qiskit import QuantumCircuit\nfrom qiskit_aer import AerSimulator\n"
        "from qiskit_aer.noise import depolarizing_error\n"
        "c = QuantumCircuit(2)\nc.h(0)\nc.cx(0, 1)\ndepolarizing_error(0.05, 1)\nAerSimulator().run(c, shots=4096)\n"
    )
    return made(records, [lines(curves, x=noises)], packages=["qiskit", "qiskit_aer"], script=script)


def h2_vqe() -> Made:
    distance = np.round(np.linspace(0.4, 2.2, 19), 3)
    exact = np.array([exact_energy(("H", "H"), float(d)) for d in distance])
    energies = {"fci": exact, "vqe": exact + 1e-6}
    records = [record("energy", e, {"distance": distance}, method=m, molecule="H2") for m, e in energies.items()]
    script = (
        "import tequila as tq\nm = tq.Molecule(g, basis_set='sto-3g')\nu = m.make_uccsd_ansatz()\ntq.minimize(e)\n"
        "m.compute_energy('fci')\n"
    )
    return made(records, [lines(energies, x=distance)], packages=["tequila"], script=script)


def hubbard_gibbs() -> Made:
    table = read("hubbard")
    beta = np.array(table["beta"])
    energy, double = np.array(table["grand"]["energy"]), np.array(table["grand"]["double"])
    occupation = {"up": 0.5, "down": 0.5, "total": 1.0}
    records = [
        record("energy_per_site", energy, {"beta": beta}),
        record("double_occupancy", double, {"beta": beta}),
        *(
            record("occupation", np.full((len(beta), 10), n), {"beta": beta, "site": range(10)}, spin=spin)
            for spin, n in occupation.items()
        ),
    ]
    script = (
        "import tenpy\nfrom tenpy.models.hubbard import FermiHubbardModel\nFermiHubbardModel\ntenpy.PurificationTEBD\n"
    )
    parameters = {"energy_convention": "hubbard", "t": 1, "U": 4, "L": 10, "beta": 2}
    return made(records, [lines({"E": energy}, x=beta)], parameters, packages=["tenpy"], script=script)


def signs(n: int) -> Any:
    """Z of every site in every basis state, ``(n, 2**n)``; site 0 is the leftmost bit, 0 has Z = +1."""
    return np.array([1.0 - 2.0 * (np.arange(2**n) >> (n - 1 - site) & 1) for site in range(n)])


def spun(coupling: float, kick: float, steps: int, seed: int) -> Any:
    """<Z> of ten sites after every exp(-i kick sum X) exp(-i coupling sum ZZ) on a Haar-random state."""
    rng, z = np.random.default_rng(seed), signs(10)
    psi = rng.normal(size=2**10) + 1j * rng.normal(size=2**10)
    phase = np.exp(-1j * coupling * (z[1:] * z[:-1]).sum(axis=0))
    turn = np.cos(kick) * np.eye(2) - 1j * np.sin(kick) * circuits.X
    turns, states = circuits.kron([turn] * 10), [psi / np.linalg.norm(psi)]
    for _ in range(steps):
        states.append(turns @ (phase * states[-1]))
    return np.abs(states) ** 2 @ z.T


def ising_dynamics() -> Made:
    time, records, figures = np.linspace(0, 10, 1001), [], []
    for case, coupling, field in (("ferromagnetic", 10.0, 0.1), ("paramagnetic", 0.1, 10.0)):
        z = spun(-0.01 * coupling, -0.01 * field, 1000, 5)
        records.append(record("magnetisation", z, {"time": time, "site": range(10)}, axis="z", case=case))
        figures.append(heatmap(range(10), time, z))
    parameters = {"seed": 5, "steps": 1000, "total_time": 10.0, "initial": "haar", "n_qubits": 10, "h": 0.1}
    return made(records, figures, parameters, packages=["cudaq"], script="import cudaq\ncudaq.get_state(k)\n")


def kicked_ising() -> Made:
    z = spun(1.0, 2.0, 10, 3)
    records = [record("magnetisation", z, {"period": range(11), "site": range(10)}, axis="z")]
    parameters = {"J": 1, "h": 2, "T": 1, "n_qubits": 10, "periods": 10, "boundary": "open", "initial": "haar"}
    script = "import cudaq\ncudaq.get_state(k)\n"
    return made(records, [heatmap(range(10), range(11), z)], parameters, packages=["cudaq"], script=script)


def open_qubit() -> Made:
    time, hamiltonian = np.linspace(0, 40, 400), circuits.X + 0.5 * circuits.Z
    jump = np.sqrt(0.2) * np.array([[0, 0], [1, 0]])
    records, panels = [], {"unitary": {}, "lindblad": {}}
    for start, sign in (("plus", 1), ("minus", -1)):
        for way, jumps in (("unitary", []), ("lindblad", [jump])):
            rho = open_systems.evolved(hamiltonian, jumps, (np.eye(2) + sign * circuits.X) / 2, time)
            z = np.real(np.einsum("tij,ji->t", rho, circuits.Z))
            records.append(record("expectation", z, {"time": time}, observable="Z", initial=start, evolution=way))
            panels[way][start] = z
    script = "import qutip\nqutip.sesolve(H, s, t)\nqutip.mesolve(H, s, t, c)\ng = 0.2\nh = 0.5\nt = 40\n"
    return made(records, [lines(panels["unitary"], panels["lindblad"], x=time)], packages=["qutip"], script=script)


def fmo() -> Made:
    table = read("fmo")
    time, records, panels = np.array(table["time"]), [], []
    for temperature in (300, 77):
        p = np.array(table[str(temperature)])
        records.append(record("population", p, {"time": time, "site": range(7)}, temperature=temperature))
        panels.append({f"site {k}": p[:, k] for k in range(7)})
    script = (
        "from qutip.solver.heom import HEOMSolver\nHEOMSolver(h, b, max_depth=4)\nH = [240.0, -87.7, 435.0, 245.0]\n"
    )
    parameters = {"depth": 4, "matsubara_terms": 2, "reorganization": 35, "tau": 50, "temperatures": [300, 77]}
    return made(records, [lines(*panels, x=time)], parameters, packages=["qutip"], script=script)


def grape() -> Made:
    """Equal constant couplings move |1> to |3> when sqrt(2) omega T = pi."""
    omega, time = np.pi / (np.sqrt(2) * 40), np.arange(3000) * 40 / 3000
    pulses = np.full((3000, 2), omega)
    pump, stokes = np.zeros((3, 3)), np.zeros((3, 3))
    pump[0, 1] = pump[1, 0] = stokes[1, 2] = stokes[2, 1] = 1
    states = open_systems.pulse_states(np.zeros((3, 3)), [pump, stokes], pulses, 40 / 3000, np.eye(3)[0])
    p, grid = np.abs(states) ** 2, np.linspace(0, 40, 3001)
    records = [
        record("pulse", pulses[:, 0], {"time": time}, control="pump"),
        record("pulse", pulses[:, 1], {"time": time}, control="stokes"),
        *(record("population", p[:, k], {"time": grid}, level=k + 1) for k in range(3)),
        record("fidelity", float(p[-1, 2])),
    ]
    figures = [
        lines({"pump": pulses[:, 0], "stokes": pulses[:, 1]}, x=time),
        lines({f"P{k + 1}": p[:, k] for k in range(3)}, x=grid),
    ]
    script = "import qutip\nfrom qutip_qtrl import pulseoptim\npulseoptim.optimize_pulse_unitary(a)\n"
    script += "qutip.sesolve(H, s, t)\nT = 40\nn = 3000\n"
    return made(records, figures, packages=["qutip", "qutip_qtrl"], script=script)


def cluster() -> Made:
    theta = np.linspace(0, np.pi / 2, 25)
    curves, records = {}, [record("critical_point", 0.71, estimator="steepest slope")]
    for n in (11, 21, 41):
        curves[f"N = {n}"] = np.array([fermions.string_order(n, float(t)) for t in theta])
        energy = np.array([fermions.cluster_ring(n, float(t)).energy for t in theta])
        records += [
            record("string_order", curves[f"N = {n}"], {"theta": theta}, N=n),
            record("energy", energy, {"theta": theta}, method="dmrg", N=n),
        ]
    script = (
        "from tenpy.algorithms.dmrg import TwoSiteDMRGEngine\nfrom tenpy.models.model import CouplingMPOModel\n"
        "TwoSiteDMRGEngine(psi, model, {}).run()\nCouplingMPOModel\nchi = 100\n"
    )
    return made(records, [lines(curves, x=np.cos(theta))], packages=["tenpy"], script=script)


RIGHT = {
    "dynamics/01_bell_state": bell_state,
    "dynamics/02_h2_vqe": h2_vqe,
    "dynamics/03_hubbard_gibbs": hubbard_gibbs,
    "dynamics/04_ising_dynamics": ising_dynamics,
    "dynamics/05_open_qubit": open_qubit,
    "dynamics/06_fmo_heom": fmo,
    "dynamics/07_grape_lambda": grape,
    "dynamics/08_kicked_ising": kicked_ising,
    "dynamics/10_cluster_string_order": cluster,
    "dynamics/11_noisy_bell": noisy_bell,
}
