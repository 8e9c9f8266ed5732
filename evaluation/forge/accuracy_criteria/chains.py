"""Accuracy of the chains of spins and electrons (paper's table 9, and exact solutions)."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from labwright.evaluation.forge.criteria import Criterion, Missing, Seen, all_of, check
from labwright.evaluation.forge.figure_checks import curves_shown, shows_curve, shows_heatmap, together
from labwright.evaluation.forge.references.fermions import cluster_ring, string_order
from labwright.evaluation.forge.references.slow_references import read
from labwright.evaluation.forge.result_records import curve, parameter, records, surface
from labwright.evaluation.forge.workspace_contents import Workspace

Array = NDArray[np.float64]
SITES = 10
REGIMES = {
    "ferromagnetic": ("ferromagnetic", "fm", "strong coupling"),
    "paramagnetic": ("paramagnetic", "pm", "strong field"),
}
RINGS = (11, 21, 41)
HUBBARD_TOLERANCE = 0.02  # in units of t, a site: with fixed numbers of electrons the reference is good to 0.006


def heat(workspace: Workspace, axes: list[str], **labels: object) -> tuple[Array, Array, Array]:
    """Times or periods, sites and <Z>, ``(n_times, n_sites)``."""
    time, site, values = surface(workspace, "magnetisation", axes, axis="z", **labels)  # type: ignore[arg-type]
    if values.shape[1] != SITES:
        raise Missing(f"{values.shape[1]} sites in place of {SITES}")
    return time, site, values


def ising_dynamics(workspace: Workspace) -> list[Criterion]:
    """Two regimes of one chain, from a state that only its run knows: the physics of each regime, and its limits."""

    def z(case: str) -> tuple[Array, Array, Array]:
        return heat(workspace, ["time", "site"], case=REGIMES[case])

    def rate(case: str) -> float:
        time, _, values = z(case)
        return float(np.mean(np.abs(np.diff(values, axis=0))) / np.mean(np.diff(time)))

    def kept(case: str) -> float:
        return float(np.mean(np.abs(z(case)[2].mean(axis=0))))

    def ferromagnet() -> Seen:
        values = z("ferromagnetic")[2]
        held = rate("ferromagnetic") < 0.2 * rate("paramagnetic") and kept("ferromagnetic") > 3 * kept("paramagnetic")
        varied = float(values.std())
        return held and varied > 1e-3, f"rate {rate('ferromagnetic'):.2e}, time averages {kept('ferromagnetic'):.4f}"

    def paramagnet() -> Seen:
        peak = _strongest(*z("paramagnetic")[::2])
        slow = rate("ferromagnetic") / rate("paramagnetic")
        held = abs(peak - 20.0) < 1.5 and slow < 0.2
        return held, f"oscillates at {peak:.2f} (2 h = 20); other regime {slow:.3f} as fast"

    def drawn() -> Seen:
        parts = []
        for case in REGIMES:
            time, site, values = z(case)
            held, said = shows_heatmap(workspace, site, time, values)
            parts.append((bool(held), f"{case}: {said}"))
        return all_of(parts)

    def haar() -> Seen:
        first = [z(case)[2][0] for case in REGIMES]
        spread = float(np.sqrt(np.mean(first[0] ** 2)))
        # <Z_i> of a Haar state has the standard deviation 1/sqrt(2**10 + 1) = 0.031; ten sites
        held = 0.008 < spread < 0.08 and float(max(np.max(np.abs(z(case)[2])) for case in REGIMES)) <= 0.3
        return held, f"<Z> at t = 0 spreads by {spread:.4f} (0.031 expected)"

    def steps() -> Seen:
        time = z("paramagnetic")[0]
        held = len(time) in (1000, 1001) and abs(time[-1] - 10.0) < 0.011
        return held, f"{len(time)} times to {time[-1]:g}"

    return [
        check("C1", "strong coupling: structured, quasi-static", ferromagnet),
        check("C2", "strong field: qualitatively different", paramagnet),
        check("C3", "a heatmap of each regime, qubit along x and time along y, as in the results", drawn),
        check("I1", "spread and bounds of a Haar-random state of ten qubits", haar),
        check("I2", "1000 steps to t = 10", steps),
    ]


def _strongest(time: Array, values: Array) -> float:
    """Angular frequency with the most power in all sites."""
    power = (np.abs(np.fft.rfft(values - values.mean(axis=0), axis=0)) ** 2).sum(axis=1)
    frequencies = 2 * np.pi * np.fft.rfftfreq(len(time), float(np.mean(np.diff(time))))
    return float(frequencies[int(np.argmax(power))])


def kicked_ising(workspace: Workspace) -> list[Criterion]:
    """A kicked chain from a random state."""

    def z() -> tuple[Array, Array, Array]:
        return heat(workspace, ["period", "site"])

    def drawn() -> Seen:
        period, site, values = z()
        held, said = shows_heatmap(workspace, site, period, values)
        near = bool(np.max(np.abs(values)) <= 0.3 and values.std() > 3e-3)
        return bool(held) and near, f"{said}; |<Z>| at most {np.max(np.abs(values)):.3f}"

    def stated() -> Seen:
        wanted = {"J": 1.0, "h": 2.0, "T": 1.0, "n_qubits": 10.0, "periods": 10.0}
        names = {"J": ("J", "coupling"), "h": ("h", "kick", "kick_strength"), "T": ("T", "period_length"),
                 "n_qubits": ("n_qubits", "qubits", "sites", "n"), "periods": ("periods", "n_periods")}  # fmt: skip
        parts = []
        for name, value in wanted.items():
            said = parameter(workspace, *names[name])
            parts.append((isinstance(said, int | float) and abs(said - value) < 1e-6, f"{name} = {said}"))
        edge = str(parameter(workspace, "boundary", "boundary_conditions"))
        return all_of([*parts, ("open" in edge.lower() or edge.lower() == "obc", f"boundary: {edge}")])

    def structured() -> Seen:
        values = z()[2]
        moves, differs = float(values.std(axis=0).min()), float(values.std(axis=1).max())
        held = moves > 1e-3 and differs > 1e-3
        return held, f"every site moves by {moves:.4f} or more, sites differ by {differs:.4f}"

    def haar() -> Seen:
        spread = float(np.sqrt(np.mean(z()[2][0] ** 2)))
        return 0.008 < spread < 0.08, f"<Z> at the start spreads by {spread:.4f} (0.031 expected)"

    def shape() -> Seen:
        period, _, values = z()
        held = values.shape == (11, 10) and period[0] == 0 and period[-1] == 10
        return held, f"{values.shape[0]} periods x {values.shape[1]} sites"

    return [
        check("C1", "heatmap of qubit against period, near zero and structured", drawn),
        check("C2", "J = 1, h = 2 J, T = 1, ten periods, ten qubits and open ends stated", stated),
        check("C3", "structured evolution in time and space", structured),
        check("I1", "spread of a Haar-random state of ten qubits", haar),
        check("I2", "periods 0 to 10 of ten sites", shape),
    ]


def hubbard_gibbs(workspace: Workspace) -> list[Criterion]:
    """Ten sites at half filling down to beta = 2; with a chemical potential or with fixed numbers."""
    table = read("hubbard")

    def energies() -> tuple[Array, Array]:
        beta, energy = curve(workspace, "energy_per_site", "beta")
        grand = "grand" in str(parameter(workspace, "energy_convention", "convention")).lower()
        order = np.argsort(beta)
        return beta[order], energy[order] + (2.0 if grand else 0.0)  # mu N per site at mu = U/2 and one electron a site

    def window() -> Seen:
        beta, energy = energies()
        value = float(np.interp(2.0, beta, energy))
        held = -0.7 <= value <= -0.2 and beta[-1] >= 2.0 - 1e-6
        return held, f"E/L = {value:.4f} at beta = {beta[-1]:g}, without mu N"

    def occupied(spin: str) -> tuple[Array, Array]:
        beta, _, values = surface(workspace, "occupation", ["beta", "site"], spin=spin)
        if values.shape[1] != 10:
            raise Missing(f"{values.shape[1]} sites in place of 10")
        return beta, values

    def half_filled() -> Seen:
        at = {spin: float(occupied(spin)[1][-1].mean()) for spin in ("up", "down", "total")}
        held = abs(at["total"] - 1) < 0.02 and abs(at["up"] - 0.5) < 0.02 and abs(at["down"] - 0.5) < 0.02
        return held, ", ".join(f"{spin} {value:.4f}" for spin, value in at.items())

    def flat() -> Seen:
        _, energy = energies()
        drift = float(np.max(np.abs(occupied("total")[1].mean(axis=1) - 1)))
        falls = bool(np.all(np.diff(energy) < 1e-6))
        raw = curve(workspace, "energy_per_site", "beta")[1]
        shown = bool(shows_curve(workspace, raw))
        return falls and drift < 0.02 and shown, f"falls: {falls}; occupation drifts by {drift:.4f}; drawn: {shown}"

    def exact() -> Seen:
        beta, energy = energies()
        kept = beta <= 2.0 + 1e-9
        worst = {
            ensemble: float(
                np.max(np.abs(energy[kept] - np.interp(beta[kept], *_dense(table["beta"], table[ensemble]["energy"]))))
            )
            for ensemble in ("grand", "canonical")
        }
        name = min(worst, key=lambda one: worst[one])
        return worst[name] <= HUBBARD_TOLERANCE, f"largest difference {worst[name]:.4f} per site ({name} ensemble)"

    def start() -> Seen:
        beta, energy = energies()
        if beta[0] > 1e-9:
            return False, f"begins at beta = {beta[0]:g}"
        double = curve(workspace, "double_occupancy", "beta")[1]
        held = abs(energy[0] - 1.0) < 0.02 and abs(double[0] - 0.25) < 0.01
        said = f"E/L = {energy[0]:.4f}, double occupancy {double[0]:.4f} at infinite temperature (1 and 0.25 are exact)"
        return held, said

    def double() -> Seen:
        beta, values = curve(workspace, "double_occupancy", "beta")
        value = float(np.interp(2.0, beta, values))
        references = [table[ensemble]["double"][-1] for ensemble in ("grand", "canonical")]
        error = min(abs(value - reference) for reference in references)
        return error < 0.01, f"{value:.4f} at beta = 2, references {references[0]:.4f} and {references[1]:.4f}"

    return [
        check("C1", "E/L at beta = 2 between -0.7 and -0.2 (without mu N)", window),
        check("C2", "occupations 1.0 and 0.5 + 0.5", half_filled),
        check("C3", "energy falls with beta, occupations flat, drawn", flat),
        check("I1", "energies of exact traces within 0.02 per site", exact),
        check("I2", "infinite temperature: U/4 and 1/4", start),
        check("I3", "double occupancy at beta = 2 within 0.01", double),
    ]


def _dense(beta: list[float], values: list[float]) -> tuple[Array, Array]:
    """A smooth curve through the table."""
    from scipy.interpolate import CubicSpline

    grid = np.linspace(beta[0], beta[-1], 201)
    return grid, np.asarray(CubicSpline(beta, values)(grid))


def cluster_string_order(workspace: Workspace) -> list[Criterion]:
    """Rings of 11, 21 and 41 qubits; free fermions are exact."""

    def order(n: int) -> tuple[Array, Array]:
        theta, values = curve(workspace, "string_order", "theta", N=n)
        return theta, np.abs(values)

    def limits() -> Seen:
        parts = []
        for n in RINGS:
            theta, values = order(n)
            first, last = float(values[int(np.argmin(theta))]), float(values[int(np.argmax(theta))])
            parts.append((first > 0.9 and last < 0.1, f"N = {n}: {first:.3f} to {last:.3f}"))
        return all_of(parts)

    def sizes() -> Seen:
        have = [n for n in RINGS if records(workspace, "string_order", N=n)]
        return len(have) == 3, f"sizes {have}"

    def critical() -> Seen:
        values = [float(str(record.value)) for record in records(workspace, "critical_point")]
        if not values:
            raise Missing("no critical_point")
        return all(0.65 <= value <= 0.85 for value in values), f"J = {', '.join(f'{value:.3f}' for value in values)}"

    def drawn() -> Seen:
        curves = {f"N = {n}": curve(workspace, "string_order", "theta", N=n)[1] for n in RINGS}
        held, said = curves_shown(workspace, curves)
        steepest, beyond = [], []
        for n in RINGS:
            theta, values = order(n)
            steepest.append(float(theta[int(np.argmax(np.abs(np.gradient(values, theta))))]) / np.pi)
            trivial = values[theta > np.pi / 4 + 0.05]
            if not trivial.size:
                raise Missing(f"N = {n}: no angle beyond pi/4")
            beyond.append(float(trivial.mean()))
        sharper = all(np.diff(beyond) < 1e-4) and all(0.18 <= at <= 0.28 for at in steepest)
        return bool(held) and together(workspace, list(curves.values())) and sharper, (
            f"{said}; steepest at theta/pi of {', '.join(f'{at:.3f}' for at in steepest)};"
            f" left beyond pi/4: {', '.join(f'{rest:.3f}' for rest in beyond)}"
        )

    def exact(n: int) -> Seen:
        theta, values = order(n)
        far = np.abs(theta - np.pi / 4) > 0.02
        errors = [abs(value - abs(string_order(n, float(t)))) for t, value in zip(theta[far], values[far], strict=True)]
        return max(errors) < 0.03, f"largest difference {max(errors):.4f} away from theta = pi/4"

    def energy() -> Seen:
        worst = (0.0, 0)
        for n in RINGS:
            theta, values = curve(workspace, "energy", "theta", N=n)
            per_site = max(abs(e - cluster_ring(n, float(t)).energy) / n for t, e in zip(theta, values, strict=True))
            worst = max(worst, (float(per_site), n))
        return worst[0] < 1e-3, f"largest difference {worst[0]:.1e} per site, N = {worst[1]}"

    return [
        check("C1", "string order from 1 at theta = 0 to 0 at pi/2", limits),
        check("C2", "all three sizes", sizes),
        check("C3", "critical point at J of 0.65 to 0.85", critical),
        check("C4", "three curves in one figure, steepest near pi/4, the larger ring with less beyond it", drawn),
        *(
            check(f"I{k}", f"N = {n}: equal to free fermions within 0.03", partial(exact, n))
            for k, n in enumerate(RINGS, 1)
        ),
        check("I4", "energies of free fermions within 0.001 per site", energy),
    ]
