"""Accuracy of the open-system and control tasks (paper's table 9, and exact propagation)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labwright.evaluation.forge.criteria import Criterion, Missing, Seen, all_of, check
from labwright.evaluation.forge.figure_checks import curves_shown, together
from labwright.evaluation.forge.references.circuits import X, Z
from labwright.evaluation.forge.references.open_systems import evolved, pulse_states, steady
from labwright.evaluation.forge.references.slow_references import read
from labwright.evaluation.forge.result_records import curve, number, surface
from labwright.evaluation.forge.workspace_contents import Workspace

Array = NDArray[np.float64]
Matrix = NDArray[np.complex128]
LOWERING = np.array([[0, 0], [1, 0]], dtype=complex)  # takes <Z> = +1 to -1
STARTS = {"plus": ("plus", "+", "x+", "|+>"), "minus": ("minus", "-", "x-", "|->")}
FMO_TOLERANCE = 0.03  # the hierarchy's depth moves populations by up to 0.02


def open_qubit(workspace: Workspace) -> list[Criterion]:
    """H = X + 0.5 Z alone and with emission at the rate 0.2."""
    hamiltonian: Matrix = np.asarray(X + 0.5 * Z)
    jump: Matrix = np.asarray(np.sqrt(0.2) * LOWERING)
    settled = float(np.real(np.trace(Z @ steady(hamiltonian, [jump]))))

    def z(start: str, evolution: str) -> tuple[Array, Array]:
        labels = {"observable": "Z", "initial": STARTS[start], "evolution": evolution}
        return curve(workspace, "expectation", "time", **labels)  # type: ignore[arg-type]

    def persistent() -> Seen:
        parts = []
        for start in STARTS:
            time, values = z(start, "unitary")
            first, last = np.ptp(values[time <= time[-1] / 4]), np.ptp(values[time >= 3 * time[-1] / 4])
            said = f"{start}: amplitude {first:.3f} first, {last:.3f} last"
            parts.append((bool(abs(first - last) < 0.02 * first), said))
        return all_of(parts)

    def decays() -> Seen:
        parts = []
        for start in STARTS:
            _, values = z(start, "lindblad")
            said = f"{start}: ends at {values[-1]:.4f}, steady state {settled:.4f}"
            parts.append((bool(abs(values[-1] - settled) < 0.05), said))
        return all_of(parts)

    def drawn() -> Seen:
        wanted = {f"{start}, {way}": z(start, way)[1] for start in STARTS for way in ("unitary", "lindblad")}
        held, said = curves_shown(workspace, wanted)
        mirrored = np.allclose(wanted["plus, unitary"], -wanted["minus, unitary"], atol=1e-3)
        panels = all(
            together(workspace, [wanted[f"{start}, {way}"] for start in STARTS]) for way in ("unitary", "lindblad")
        )
        return bool(held) and bool(mirrored) and panels, said if panels else "the two starts are not in one panel"

    def exact() -> Seen:
        worst = 0.0
        for start, sign in (("plus", 1.0), ("minus", -1.0)):
            rho: Matrix = np.asarray((np.eye(2) + sign * X) / 2)
            for way, jumps in (("unitary", []), ("lindblad", [jump])):
                time, values = z(start, way)
                states = evolved(hamiltonian, jumps, rho, time)
                worst = max(worst, float(np.max(np.abs(values - np.real(np.einsum("tij,ji->t", states, Z))))))
        return worst < 2e-3, f"largest difference {worst:.1e}"

    return [
        check("C1", "<Z> oscillates without decay in unitary evolution, from both states", persistent),
        check("C2", "<Z> settles in Lindblad evolution, from both states", decays),
        check("C3", "figures: mirror images without, one steady state with dissipation", drawn),
        check("I1", "all four curves equal the exact ones within 0.002", exact),
        check("I2", "400 steps from 0 to 40", lambda: _times(z("plus", "lindblad")[0], 0.0, 40.0, (400, 401))),
    ]


def _times(time: Array, first: float, last: float, numbers: tuple[int, ...]) -> Seen:
    held = abs(time[0] - first) < 1e-6 and abs(time[-1] - last) <= 1e-6 * last and len(time) in numbers
    return held, f"{len(time)} times from {time[0]:g} to {time[-1]:g}"


def fmo(workspace: Workspace) -> list[Criterion]:
    """Seven sites at two temperatures."""
    table = read("fmo")

    def populations(temperature: int) -> tuple[Array, Array]:
        time, _, values = surface(workspace, "population", ["time", "site"], temperature=temperature)
        if values.shape[1] != 7:
            raise Missing(f"{values.shape[1]} sites in place of 7")
        return time, values

    def warm() -> Seen:
        time, values = populations(300)
        total = float(np.max(np.abs(values.sum(axis=1) - 1)))
        late = float(values[time > 300, 0].max(initial=0.0))
        return all_of(
            [
                (total < 1e-3, f"populations sum to 1 within {total:.1e}"),
                (abs(values[0, 0] - 1) < 1e-6, f"site 0 starts at {values[0, 0]:.3f}"),
                (late <= 0.5, f"site 0 at most {late:.3f} after 300 fs"),
            ]
        )

    def beats() -> Seen:
        cold, hot = (_returns(*populations(temperature)) for temperature in (77, 300))
        return cold > hot, f"site 0 regains {cold:.4f} at 77 K and {hot:.4f} at 300 K"

    def spreads() -> Seen:
        time, values = populations(300)
        end = values[int(np.argmin(np.abs(time - 1000.0)))]
        return int((end > 0.05).sum()) >= 3, f"{int((end > 0.05).sum())} sites above 0.05 at {time[-1]:g} fs"

    def drawn() -> Seen:
        wanted = {f"site {site}, {t} K": populations(t)[1][:, site] for t in (300, 77) for site in range(7)}
        held, said = curves_shown(workspace, wanted)
        apart = all(together(workspace, [wanted[f"site {s}, {t} K"] for s in range(7)]) for t in (300, 77))
        return bool(held) and apart, said if apart else "the seven sites are not in one panel"

    def exact(temperature: int) -> Seen:
        time, values = populations(temperature)
        at = np.array(table["time"])
        wanted = np.array([np.interp(at, time, values[:, site]) for site in range(7)]).T
        # the text says nothing of a terminator
        names = [name for name in (str(temperature), f"{temperature} terminated") if name in table]
        worst = min(float(np.max(np.abs(wanted - np.array(table[name]))[at <= time[-1]])) for name in names)
        return worst <= FMO_TOLERANCE and time[-1] >= 999.0, f"largest difference {worst:.3f}, to {time[-1]:g} fs"

    return [
        check("C1", "300 K: sum 1, site 0 from 1 and not above 0.5 after 300 fs", warm),
        check("C2", "77 K beats more than 300 K", beats),
        check("C3", "300 K: spread over three sites or more at 1 ps", spreads),
        check("C3 figure", "all sites at both temperatures are plotted", drawn),
        check("I1", "300 K equals our own hierarchy within 0.03", lambda: exact(300)),
        check("I2", "77 K equals our own hierarchy within 0.03", lambda: exact(77)),
    ]


def _returns(time: Array, values: Array) -> float:
    """How much of its population site 0 regains on the way: beats, and nothing for a smooth decay."""
    grid = np.arange(0.0, min(1000.0, time[-1]) + 1e-9, 10.0)
    steps = np.diff(np.interp(grid, time, values[:, 0]))
    return float(steps[steps > 0].sum())


def grape(workspace: Workspace) -> list[Criterion]:
    """A Lambda system; the recorded pulses are propagated again here."""
    pump, stokes = np.zeros((3, 3), dtype=complex), np.zeros((3, 3), dtype=complex)
    pump[0, 1] = pump[1, 0] = stokes[1, 2] = stokes[2, 1] = 1.0

    def pulses() -> tuple[Array, Array]:
        time, first = curve(workspace, "pulse", "time", control=("pump", 1, "Hc1", "c1"))
        _, second = curve(workspace, "pulse", "time", control=("stokes", 2, "Hc2", "c2"))
        if len(first) != len(second):
            raise Missing("the two pulses differ in length")
        return time, np.array([first, second]).T

    def propagated() -> Array:
        _, amplitudes = pulses()
        slots = amplitudes[:3000]  # a closing edge may be repeated
        psi = pulse_states(np.zeros((3, 3), dtype=complex), [pump, stokes], slots, 40.0 / len(slots), np.eye(3)[0])
        return np.asarray(np.abs(psi) ** 2)

    def population(level: int) -> Array:
        return curve(workspace, "population", "time", level=(level, f"P{level}", f"|{level}>"))[1]

    def fidelity() -> Seen:
        said, true = number(workspace, "fidelity"), float(propagated()[-1, 2])
        return said >= 0.90 and true >= 0.90, f"reported {said:.5f}, of the recorded pulses {true:.5f}"

    def final() -> Seen:
        value = float(population(3)[-1])
        return value >= 0.90, f"P3 = {value:.5f} at the end"

    def drawn() -> Seen:
        _, amplitudes = pulses()
        wanted = {"pump": amplitudes[:, 0], "stokes": amplitudes[:, 1]}
        return curves_shown(workspace, wanted | {f"P{level}": population(level) for level in (1, 2, 3)})

    def consistent() -> Seen:
        ours = propagated()
        worst = 0.0
        for level in (1, 2, 3):
            values = population(level)
            mine = np.interp(np.linspace(0, 1, len(values)), np.linspace(0, 1, len(ours)), ours[:, level - 1])
            worst = max(worst, float(np.max(np.abs(values - mine))))
        return worst < 0.02, f"populations differ by at most {worst:.4f} from our propagation of the pulses"

    def conserved() -> Seen:
        worst = float(np.max(np.abs(sum(population(level) for level in (1, 2, 3)) - 1)))
        return worst < 1e-3, f"populations sum to 1 within {worst:.1e}"

    def slots() -> Seen:
        time, amplitudes = pulses()
        held = len(amplitudes) in (3000, 3001) and bool(np.isclose(time[-1], 40.0, atol=0.03))
        return held, f"{len(amplitudes)} slots to {time[-1]:g}"

    return [
        check("C1", "fidelity of 0.90 or more, also of the recorded pulses", fidelity),
        check("C2", "P3 of 0.90 or more at the end", final),
        check("C3", "figures of both pulses and of the three populations", drawn),
        check("I1", "populations are those of the recorded pulses", consistent),
        check("I2", "populations sum to one", conserved),
        check("I3", "3000 slots over a duration of 40", slots),
    ]
