"""Accuracy of the sealed physics tasks: exact solutions of what each asks for, and its figures."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from labwright.evaluation.forge.accuracy.chains import heat
from labwright.evaluation.forge.accuracy.circuits import exact_curve, variational
from labwright.evaluation.forge.accuracy.open_systems import LOWERING
from labwright.evaluation.forge.criteria import Criterion, Missing, Seen, all_of, check
from labwright.evaluation.forge.figures import curves_shown, shows_heatmap, together
from labwright.evaluation.forge.records import counts, curve, number, records, surface
from labwright.evaluation.forge.references import chains
from labwright.evaluation.forge.references.circuits import X, Y, Z, correlator, damped_ghz, parity
from labwright.evaluation.forge.references.fermions import block_entropy, ising_chain, transverse_magnetisation
from labwright.evaluation.forge.references.hubbard import thermal
from labwright.evaluation.forge.references.open_systems import boltzmann_populations, evolved, steady
from labwright.evaluation.forge.references.tables import read
from labwright.evaluation.forge.references.two_electrons import exact_energy
from labwright.evaluation.forge.workspace import Workspace

Array = NDArray[np.float64]
Matrix = NDArray[np.complex128]
STARTS = {"X+": ("X+", "+", "plus"), "Z-": ("Z-", "minus z", "1", "|1>")}


def thermal_qubit(workspace: Workspace) -> list[Criterion]:
    """Emission, absorption and dephasing at a finite temperature."""
    gamma, n, dephasing = 0.15, 0.4, 0.05
    hamiltonian: Matrix = np.asarray(0.8 * Z + 0.3 * Y)
    down, up = np.sqrt(gamma * (n + 1)) * LOWERING, np.sqrt(gamma * n) * LOWERING.T
    jumps = [np.asarray(down), np.asarray(up), np.asarray(np.sqrt(dephasing / 2) * Z)]
    states = {"X+": (np.eye(2) + X) / 2, "Z-": (np.eye(2) - Z) / 2}
    observables = {"X": X, "Z": Z}

    def measured(observable: str, start: str) -> tuple[Array, Array]:
        return curve(workspace, "expectation", "time", observable=observable, initial=STARTS[start])

    def exact(start: str) -> Seen:
        worst = 0.0
        for name, operator in observables.items():
            time, values = measured(name, start)
            rho = evolved(hamiltonian, jumps, np.asarray(states[start], dtype=complex), time)
            worst = max(worst, float(np.max(np.abs(values - np.real(np.einsum("tij,ji->t", rho, operator))))))
        return worst < 2e-3 and len(time) == 301, f"largest difference {worst:.1e} at {len(time)} times"

    def purity() -> Seen:
        worst = 0.0
        for start, state in states.items():
            time, values = curve(workspace, "purity", "time", initial=STARTS[start])
            rho = evolved(hamiltonian, jumps, np.asarray(state, dtype=complex), time)
            worst = max(worst, float(np.max(np.abs(values - np.real(np.einsum("tij,tji->t", rho, rho))))))
        return worst < 2e-3, f"largest difference {worst:.1e}"

    def settled() -> Seen:
        rho, parts = steady(hamiltonian, jumps), []
        for name, operator in observables.items():
            said, true = number(workspace, "steady_state", observable=name), float(np.real(np.trace(rho @ operator)))
            parts.append((abs(said - true) < 1e-3, f"<{name}> = {said:.5f}, exact {true:.5f}"))
        return all_of(parts)

    def drawn() -> Seen:
        wanted = {f"<{name}>, {start}": measured(name, start)[1] for name in observables for start in STARTS}
        wanted |= {f"purity, {start}": curve(workspace, "purity", "time", initial=STARTS[start])[1] for start in STARTS}
        return curves_shown(workspace, wanted)

    return [
        check("I1", "from X+: equal to the exact evolution", partial(exact, "X+")),
        check("I2", "from Z-: equal to the exact evolution", partial(exact, "Z-")),
        check("I3", "purity", purity),
        check("I4", "steady state", settled),
        check("F1", "expectation values and purity are plotted", drawn),
    ]


GAMMAS = (0.0, 0.03, 0.08, 0.15)


def noisy_ghz(workspace: Workspace) -> list[Criterion]:
    """Three correlators against the strength of damping."""
    bases = {"ZZI": ("ZZZ", "Z"), "IZZ": ("ZZZ", "Z"), "XXX": ("XXX", "X")}

    def values(word: str) -> list[float]:
        return [number(workspace, "expectation", observable=word, noise=gamma) for gamma in GAMMAS]

    def exact(word: str) -> Seen:
        worst = 0.0
        for gamma, said in zip(GAMMAS, values(word), strict=True):
            true = correlator(damped_ghz(gamma), word)
            worst = max(worst, abs(said - true) / np.sqrt((1 - min(true, 0.9995) ** 2) / 8192))
        return bool(worst < 5), f"at most {worst:.1f} sigma of the shots from the exact values"

    def counted() -> Seen:
        parts = []
        for gamma in GAMMAS:
            for word, basis in bases.items():
                found = counts(workspace, basis=basis, noise=gamma)
                said = number(workspace, "expectation", observable=word, noise=gamma)
                held = sum(found.values()) == 8192 and abs(parity(found, word) - said) < 1e-3
                parts.append((held, f"{word} at gamma = {gamma:g}: {sum(found.values()):g} shots"))
        return all_of(parts)

    def drawn() -> Seen:
        return curves_shown(workspace, {word: np.array(values(word)) for word in bases})

    return [
        *(
            check(f"I{k}", f"<{word}> within 5 sigma of the exact value", partial(exact, word))
            for k, word in enumerate(bases)
        ),
        check("I3", "correlators are those of 8192 shots each", counted),
        check("F1", "three correlators against gamma", drawn),
    ]


def heh_cation(workspace: Workspace) -> list[Criterion]:
    """HeH+ from our own integrals."""
    grid = np.arange(0.5, 3.01, 0.25)
    exact = np.array([exact_energy(("He", "H"), float(distance)) for distance in grid])

    def lowest() -> Seen:
        said = number(workspace, "equilibrium_distance")
        return abs(said - grid[int(np.argmin(exact))]) < 1e-6, f"{said:g} angstrom"

    def depth() -> Seen:
        said, true = number(workspace, "well_depth"), float(exact[-1] - exact.min())
        return abs(said - true) < 1e-3, f"{said:.5f} hartree, exact {true:.5f}"

    def complete() -> Seen:
        distance, _ = curve(workspace, "energy", "distance", method="vqe")
        return len(distance) == len(grid) and bool(np.allclose(np.sort(distance), grid)), f"{len(distance)} distances"

    def drawn() -> Seen:
        energies = {method: curve(workspace, "energy", "distance", method=method)[1] for method in ("vqe", "fci")}
        held, said = curves_shown(workspace, energies)
        if not held or not together(workspace, list(energies.values())):
            return False, said
        difference = energies["vqe"] - energies["fci"]
        return any(
            bool(curves_shown(workspace, {"d": difference * scale}, tolerance=1e-6 * scale)[0]) for scale in (1.0, 1e3)
        ), "difference of the curves"

    return [
        check("I1", "exact energies within 1e-4 hartree", lambda: exact_curve(workspace, ("He", "H"))),
        check("I2", "VQE never below, and within 1.6 mhartree of the exact energy", lambda: variational(workspace)),
        check("I3", "distance of the lowest energy", lowest),
        check("I4", "depth of the well", depth),
        check("I5", "eleven distances from 0.5 to 3.0", complete),
        check("F1", "both curves in one figure, and their difference", drawn),
    ]


@cache
def _tilted(bits: str) -> Matrix:
    return chains.tilted_ising_exact(bits, 1.0, 0.9, 0.35, np.linspace(0, 4, 401))


def tilted_ising_ring(workspace: Workspace) -> list[Criterion]:
    """A ring of eight in a tilted field, from the Neel state."""
    n, bits = 8, "01010101"
    time = np.linspace(0, 4, 401)
    states = _tilted(bits)
    z = chains.signs(n)
    pairs = np.mean([z[i] * z[j] for i, j in chains.bonds(n, periodic=True)], axis=0)
    weights = np.abs(states) ** 2

    def profile() -> Seen:
        at, _, values = heat(workspace, ["time", "site"], n)
        if len(at) != len(time):
            return False, f"{len(at)} times in place of 401"
        worst = float(np.max(np.abs(values - weights @ z.T)))
        return worst < 5e-3, f"largest difference {worst:.1e}"

    def pair() -> Seen:
        at, values = curve(workspace, "expectation", "time", observable=("ZZ", "nearest neighbour ZZ"))
        worst = float(np.max(np.abs(values - np.interp(at, time, weights @ pairs))))
        return worst < 5e-3, f"largest difference {worst:.1e}"

    def energy() -> Seen:
        diagonal = chains.ising_energies(n, 1.0, 0.35, True)
        true = float(np.sum(np.abs(states[0]) ** 2 * diagonal))  # the Neel state has no <X>
        _, values = curve(workspace, "energy", "time")
        held = abs(values[0] - true) < 1e-6 and abs(values[-1] - true) < 0.02
        return held, f"{values[0]:.5f} and {values[-1]:.5f}, exact {true:.5f}"

    def drawn() -> Seen:
        at, site, values = heat(workspace, ["time", "site"], n)
        held, said = shows_heatmap(workspace, site, at, values)
        _, zz = curve(workspace, "expectation", "time", observable=("ZZ", "nearest neighbour ZZ"))
        line, other = curves_shown(workspace, {"ZZ": zz})
        return bool(held and line), f"{said}; {other}"

    return [
        check("I1", "<Z_i(t)> equal to the exact evolution within 0.005", profile),
        check("I2", "nearest-neighbour correlation within 0.005", pair),
        check("I3", "energy at the start exact, at the end conserved", energy),
        check("F1", "heatmap and line plot", drawn),
    ]


COUPLINGS = (5, 40, 120)


def dimer_sweep(workspace: Workspace) -> list[Criterion]:
    """A dimer for three strengths of its baths."""
    table = read("dimer")
    at = np.array(table["time"])

    def populations(coupling: int) -> tuple[Array, Array]:
        time, _, values = surface(workspace, "population", ["time", "site"], reorganization_energy=coupling)
        return time, values

    def exact(coupling: int) -> Seen:
        time, values = populations(coupling)
        mine = np.interp(at, time, values[:, 0])
        worst = min(
            float(np.max(np.abs(mine - np.array(table[kind][str(coupling)])))) for kind in ("plain", "terminated")
        )
        total = float(np.max(np.abs(values.sum(axis=1) - 1)))
        held = worst < 0.02 and total < 1e-3 and len(time) == 301
        return held, f"largest difference {worst:.3f}, sum within {total:.0e}, {len(time)} times"

    def thermal_limit() -> Seen:
        wanted = boltzmann_populations([[120, 60], [60, 0]], 300.0)
        _, said = curve(workspace, "boltzmann_population", "site")
        return bool(np.max(np.abs(said - wanted)) < 2e-3), f"{said.round(4).tolist()}, exact {wanted.round(4).tolist()}"

    def drawn() -> Seen:
        curves = {f"lambda = {coupling}": populations(coupling)[1][:, 0] for coupling in COUPLINGS}
        held, said = curves_shown(workspace, curves)
        return bool(held) and together(workspace, list(curves.values())), said

    return [
        *(
            check(f"I{k}", f"lambda = {c}: equal to our own hierarchy within 0.02", partial(exact, c))
            for k, c in enumerate(COUPLINGS)
        ),
        check("I3", "Boltzmann populations", thermal_limit),
        check("F1", "site 0 for the three couplings in one figure", drawn),
    ]


def doped_hubbard(workspace: Workspace) -> list[Criterion]:
    """Six sites with two chemical potentials, by exact traces."""

    def exact(mu: float, quantity: str) -> Seen:
        beta, values = curve(workspace, quantity, "beta", mu=mu)
        if beta.min() > 1e-9 or beta.max() < 3 - 1e-9 or len(beta) < 13:
            return False, f"{len(beta)} values of beta from {beta.min():g} to {beta.max():g}"
        wanted = {"energy_per_site": "energy", "double_occupancy": "double"}[quantity]
        chosen = np.unique(np.linspace(0, len(beta) - 1, 5).astype(int))
        worst = max(abs(values[k] - getattr(thermal(6, 6.0, float(beta[k]), mu), wanted)) for k in chosen)
        return bool(worst < 0.02), f"largest difference {worst:.4f}"

    def density(mu: float) -> Seen:
        spins = {}
        for spin in ("up", "down", "total"):
            beta, _, values = surface(workspace, "occupation", ["beta", "site"], spin=spin, mu=mu)
            spins[spin] = values
        true = thermal(6, 6.0, float(beta[-1]), mu).density
        said = float(spins["total"][-1].mean())
        alike = float(np.max(np.abs(spins["up"] - spins["down"])))
        return abs(said - true) < 0.02 and alike < 5e-3, f"{said:.4f}, exact {true:.4f}; spins differ by {alike:.1e}"

    def drawn() -> Seen:
        wanted = {
            f"{q}, mu = {mu}": curve(workspace, q, "beta", mu=mu)[1]
            for q in ("energy_per_site", "double_occupancy")
            for mu in (3, 1)
        }
        return curves_shown(workspace, wanted)

    criteria = []
    for mu in (3, 1):
        for quantity in ("energy_per_site", "double_occupancy"):
            demand = f"mu = {mu}: {quantity} within 0.02 of exact traces"
            criteria.append(check(f"I {quantity}", demand, partial(exact, mu, quantity)))
        demand = f"mu = {mu}: density at beta = 3 within 0.02, equal spins"
        criteria.append(check("I occupation", demand, partial(density, mu)))
    return [*criteria, check("F1", "energies and double occupancies are plotted", drawn)]


FIELDS = (0.5, 0.8, 0.9, 1.0, 1.1, 1.2, 1.5)


def ising_chain_dmrg(workspace: Workspace) -> list[Criterion]:
    """A transverse Ising chain of 32 sites is free fermions."""
    grounds = {g: ising_chain(32, g) for g in FIELDS}

    def along(quantity: str, **labels: str) -> dict[float, float]:
        g, values = curve(workspace, quantity, "g", **labels)
        found = {
            field: float(values[int(np.argmin(np.abs(g - field)))])
            for field in FIELDS
            if np.min(np.abs(g - field)) < 1e-6
        }
        if len(found) != len(FIELDS):
            raise Missing(f"{quantity} at {len(found)} of {len(FIELDS)} fields")
        return found

    def energy() -> Seen:
        worst = max(abs(value - grounds[g].energy / 32) for g, value in along("energy_per_site").items())
        return worst < 1e-4, f"largest difference {worst:.1e}"

    def entropy() -> Seen:
        parts = []
        for g, value in along("entropy", cut="middle").items():
            exact = block_entropy(grounds[g], 16)
            broken = (
                g < 1 and abs(value - (exact - np.log(2))) < 0.05
            )  # one of the two ordered states is a ground state, too
            parts.append((abs(value - exact) < 0.02 or bool(broken), f"g = {g:g}: {value:.4f}, exact {exact:.4f}"))
        return all_of(parts)

    def transverse() -> Seen:
        worst = max(
            abs(abs(value) - float(transverse_magnetisation(grounds[g])[8:24].mean()))
            for g, value in along("magnetisation", axis="x").items()
        )
        return worst < 5e-3, f"largest difference {worst:.1e}"

    def critical() -> Seen:
        values = [float(str(record.value)) for record in records(workspace, "critical_point")]
        if not values:
            raise Missing("no critical_point")
        return all(0.85 <= value <= 1.15 for value in values), f"g = {', '.join(f'{value:.3f}' for value in values)}"

    def drawn() -> Seen:
        wanted = {"entropy": curve(workspace, "entropy", "g", cut="middle")[1]}
        wanted["magnetisation"] = curve(workspace, "magnetisation", "g", axis="x")[1]
        return curves_shown(workspace, wanted)

    return [
        check("I1", "energies of free fermions within 1e-4 per site", energy),
        check("I2", "entropies of free fermions within 0.02 (ordered: or less ln 2)", entropy),
        check("I3", "transverse magnetisation within 0.005", transverse),
        check("C1", "critical field between 0.85 and 1.15", critical),
        check("F1", "entropy and magnetisation against g", drawn),
    ]
