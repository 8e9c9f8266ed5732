"""Open and driven few-level systems by exponentials of the Liouvillian, and excitons by our own hierarchy."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from labwright.evaluation.forge.references.circuits import I2, X, Z
from labwright.evaluation.forge.references.open_systems import (
    boltzmann_populations,
    evolved,
    heom_populations,
)
from labwright.evaluation.forge.references.wording.entries import Plain, curve, entry, expectation, lines, pauli

DOWN = np.array([[0, 1], [0, 0]], dtype=complex)  # |0><1|
EXCITED = ["excited", "e", "1", "upper", "excited state", "|1>", "|1><1|", "P1", "P_1", "P_e", "|e>", "|e><e|"]
P = ["population", "expectation", "P1", "P_1", "P_e", "p_excited"]
MEV_CM = 8.065543937  # 1/cm per meV, CODATA 2018
PLANCK_K_GHZ = 0.04799243073  # h / k_B in K per GHz
CURVE = 2e-3


def _means(states: Any, operator: Any) -> Any:
    return np.real(np.einsum("tij,ji->t", states, operator))


def free_decay() -> Plain:
    """Telegram: Ramsey-like precession of a transmon with T1 and Tphi."""
    time = np.linspace(0, 60, 601)
    detuning, t1, tphi = 2 * np.pi * 0.15, 12.5, 20.0
    jumps = [np.sqrt(1 / t1) * DOWN, np.sqrt(1 / (2 * tphi)) * Z]
    states = evolved(np.asarray(detuning / 2 * Z), jumps, (I2 + X) / 2, time)
    more: Any = {"axis_unit": "us", "every": 12}
    shown = {"observable": pauli("X")}
    results = [
        curve("X", ["expectation", "X"], "time", time, _means(states, X), labels=shown, **more),
        curve("P1", P, "time", time, np.real(states[:, 1, 1]), labels={"level|state": EXCITED}, **more),
    ]
    return expectation(results, [lines("X"), lines("P1")])


def driven_damped() -> Plain:
    """Homework: resonantly driven two-level atom with spontaneous decay; steady state in closed form."""
    omega, gamma, time = 1.5, 0.4, np.linspace(0, 20, 401)
    h, jump = np.asarray(omega / 2 * X, dtype=complex), np.sqrt(gamma) * DOWN
    states = evolved(h, [jump], np.diag([1, 0]).astype(complex), time)
    last = omega**2 / (2 * omega**2 + gamma**2)
    excited = {"level|state": EXCITED}
    p = np.real(states[:, 1, 1])
    results = [
        curve("excited population", P, "time", time, p, every=10, labels=excited),
        curve("purity", "purity", "time", time, np.real(np.einsum("tij,tji->t", states, states)), every=10),
        entry("steady population", ["steady_state", "population"], last, labels=excited, tolerance=1e-3),
    ]
    return expectation(results, [lines("excited population"), lines("purity")], packages=[["qutip"]])


def swapping_pair() -> Plain:
    """Email: two exchange-coupled qubits, one of them lossy."""
    time, g, lifetime = np.linspace(0, 400, 401), 2 * np.pi * 5e-3, 300.0
    a, b = np.kron(DOWN, I2), np.kron(I2, DOWN)
    h = g * (a.conj().T @ b + b.conj().T @ a)
    start = np.zeros((4, 4), dtype=complex)
    start[2, 2] = 1.0
    states = evolved(h, [np.sqrt(1 / lifetime) * b], start, time)
    results = []
    for name, operator, accepted in (
        ("A", a, ["A", "qubit A", "0", "qubit 0", "10", "PA", "P_A"]),
        ("B", b, ["B", "qubit B", "1", "qubit 1", "01", "PB", "P_B"]),
    ):
        p = _means(states, operator.conj().T @ operator)
        labels = {"qubit|site|system|subsystem|level": accepted}
        results.append(
            curve(
                f"P{name}",
                ["population", "expectation", f"P{name}", f"P_{name}"],
                "time",
                time,
                p,
                every=8,
                axis_unit="ns",
                labels=labels,
            )
        )
    return expectation(results, [lines("PA", "PB", together=True)], [{"name": "swap.csv", "hold": ["PA", "PB"]}])


def optical_pumping() -> Plain:
    """Lab manual: a driven transition with branching decay empties one ground level into the other."""
    time = np.linspace(0, 30, 301)
    h = np.zeros((3, 3), dtype=complex)  # a, b, e
    h[0, 2] = h[2, 0] = 0.6
    jumps = [np.zeros((3, 3), dtype=complex) for _ in range(2)]
    jumps[0][0, 2], jumps[1][1, 2] = np.sqrt(0.7), np.sqrt(0.3)
    p = np.real(np.einsum("tii->ti", evolved(h, jumps, np.diag([1, 0, 0]).astype(complex), time)))
    results = [
        curve(name, ["population", f"P{name}", f"P_{name}", name], "time", time, p[:, k], every=6, axis_unit="us",
              labels={"level|state": [name, k, f"|{name}>", f"P{name}", f"P_{name}"]})
        for k, name in enumerate("abe")
    ]  # fmt: skip
    return expectation(results, [lines("a", "b", "e", together=True)], [{"name": "pumping.csv", "hold": ["a", "b"]}])


def warm_resonant_qubit() -> Plain:
    """JSON: a qubit in a warm line; occupation of the bath from frequency and temperature."""
    frequency, temperature, kappa = 5.0, 0.09, 0.02
    n = 1 / np.expm1(PLANCK_K_GHZ * frequency / temperature)
    time = np.linspace(0, 250, 251)
    up, down = kappa * n, kappa * (n + 1)
    p = up / (up + down) + (1 - up / (up + down)) * np.exp(-(up + down) * time)
    excited = {"level|state": EXCITED}
    results = [
        curve("P1", P, "time", time, p, every=5, axis_unit="ns", labels=excited),
        entry("final P1", ["steady_state", "population", "residual"], n / (2 * n + 1), labels=excited, tolerance=5e-4),
        entry("occupation", ["thermal_occupation", "mean_occupation", "bath_occupation", "n_thermal", "photon_number",
                             "occupation", "n_bar", "nbar"], n, tolerance=5e-4),
    ]  # fmt: skip
    return expectation(results, [lines("P1")])


def rotating_drive() -> Plain:
    """Floquet: a spin driven far from the rotating-wave limit, three drive strengths."""
    time, results = np.linspace(0, 40, 401), []
    for strength in (0.2, 0.8, 1.6):
        p = _driven(1.0, strength, 1.0, time)
        labels = {"amplitude|strength|drive|A": [strength]}
        quantity = ["expectation", "Z"]
        results.append(curve(f"Z, A={strength:g}", quantity, "time", time, p, every=8, labels=labels))
    return expectation(results, [lines(*(one["name"] for one in results), together=True)])


def _driven(splitting: float, strength: float, frequency: float, time: Any) -> Any:
    """<Z> under splitting/2 Z + strength cos(frequency t) X from |0>, by the midpoint rule in fine steps."""
    psi, seen, per = np.array([1, 0], dtype=complex), [1.0], 400
    for left, right in pairwise(time):
        dt = (right - left) / per
        for k in range(per):
            field = strength * np.cos(frequency * (left + (k + 0.5) * dt))
            size = np.hypot(splitting / 2, field)
            h = (splitting / 2 * Z + field * X) / size
            psi = np.cos(size * dt) * psi - 1j * np.sin(size * dt) * (h @ psi)
        seen.append(float(abs(psi[0]) ** 2 - abs(psi[1]) ** 2))
    return np.array(seen)


def warm_dimer() -> Plain:
    """Excitons with energies in meV: two dyes and a bath."""
    time = np.arange(0.0, 601.0, 5.0)
    h = np.array([[12.0, 8.0], [8.0, 0.0]]) * MEV_CM
    results = []
    for terminator in (False, True):
        p = heom_populations(h.tolist(), 5 * MEV_CM, 80.0, 290.0, 4, 1, time, terminator=terminator)
        results.append(p)
    boltzmann = boltzmann_populations(h.tolist(), 290.0)
    found = []
    for k, accepted in enumerate((["donor", 0, "D", 1.0], ["acceptor", 1, "A", 2.0])):
        labels = {"site|molecule|dye": accepted[:3]}
        one = curve(str(accepted[0]), "population", "time", time, results[0][:, k], every=5, labels=labels,
                    tolerance=0.01, axis_unit="fs")  # fmt: skip
        values = one.pop("values")
        found.append({**one, "either": {"plain": values, "with terminator": _every(results[1][:, k], 5)}})
        quantity = ["boltzmann_population", "boltzmann", "thermal_population", "equilibrium_population"]
        found.append(entry(f"Boltzmann {accepted[0]}", quantity, boltzmann[k], labels=labels, tolerance=2e-3))
    return expectation(found, [lines("donor", "acceptor")], packages=[["qutip"]])


def _every(values: Any, step: int) -> list[float]:
    return [float(f"{value:.6g}") for value in values[::step]]


def three_site_chain() -> Plain:
    """A table of site energies; two temperatures; the excitation starts at the far end."""
    time = np.arange(0.0, 501.0, 5.0)
    h = [[150.0, -90.0, 8.0], [-90.0, 60.0, -70.0], [8.0, -70.0, 0.0]]
    found = []
    for temperature in (150.0, 300.0):
        plain, ended = (
            heom_populations(h, 25.0, 60.0, temperature, 3, 1, time, 2, terminator) for terminator in (False, True)
        )
        for site in range(3):
            labels = {"temperature|T": [temperature], "site": [f"P{site + 1}", site]}
            one = curve(f"site {site + 1}, {temperature:g} K", "population", "time", time, plain[:, site], every=5,
                        labels=labels, tolerance=0.012, axis_unit="fs")  # fmt: skip
            one.pop("values")
            found.append({**one, "either": {"plain": _every(plain[:, site], 5),
                                            "with terminator": _every(ended[:, site], 5)}})  # fmt: skip
    return expectation(found, [lines(*(one["name"] for one in found))])


TASKS = {
    "01_telegram_decay": free_decay,
    "02_homework_driven_atom": driven_damped,
    "03_email_swapping_pair": swapping_pair,
    "04_manual_optical_pumping": optical_pumping,
    "05_json_warm_line": warm_resonant_qubit,
    "06_strong_drive": rotating_drive,
    "07_warm_dimer_mev": warm_dimer,
    "08_three_dyes_table": three_site_chain,
}
