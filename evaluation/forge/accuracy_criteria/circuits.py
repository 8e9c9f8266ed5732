"""Accuracy of the circuit tasks: Bell pairs with and without noise, and variational energies (paper's table 9)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from labwright.evaluation.forge.criteria import Criterion, Seen, all_of, check
from labwright.evaluation.forge.figure_checks import curves_shown, shows_bars, together
from labwright.evaluation.forge.references.circuits import NOISY_BELL, noisy_bell, parity
from labwright.evaluation.forge.references.two_electrons import exact_energy
from labwright.evaluation.forge.result_records import counts, curve, number
from labwright.evaluation.forge.workspace_contents import Workspace

SHOTS = 4096
SIGMAS = 5.0
BASES = {"ZZ": ("ZZ", "Z"), "XX": ("XX", "X"), "YY": ("YY", "Y")}
NOISES = (0.0, 0.05, 0.1, 0.2, 0.3)
VARIATIONAL = 1e-6  # hartree below the exact energy is below the ground state
CHEMICAL = 1.6e-3  # hartree: chemical accuracy


def bell_state(workspace: Workspace) -> list[Criterion]:
    """(|00> + |11>)/sqrt(2), sampled in two bases."""

    def correlation(word: str) -> Seen:
        value = number(workspace, "expectation", observable=BASES[word])
        return abs(value - 1.0) <= 0.1, f"<{word}> = {value:.4f}"

    def only_two() -> Seen:
        found = counts(workspace, basis=BASES["ZZ"])
        total = sum(found.values())
        low, high = found.get("00", 0) / total, found.get("11", 0) / total
        held = low + high == 1.0 and abs(low - 0.5) < 0.05
        return held, f"00: {low:.3f}, 11: {high:.3f} of {total:g}"

    def peaks() -> Seen:
        return all_of(
            (shows_bars(workspace, counts(workspace, basis=BASES[word])), f"histogram of the {word} counts")
            for word in ("ZZ", "XX")
        )

    return [
        check("C1", "<ZZ> within 0.1 of +1", lambda: correlation("ZZ")),
        check("C2", "<XX> within 0.1 of +1", lambda: correlation("XX")),
        check("C3", "only 00 and 11 in the ZZ basis, half each", only_two),
        check("C4", "histograms of both bases show the counts", peaks),
        check("I1", "both correlators are those of the counts", lambda: parities(workspace)),
        check(
            "I2", "4096 shots in each basis", lambda: shots(workspace, [{"basis": BASES["ZZ"]}, {"basis": BASES["XX"]}])
        ),
    ]


def parities(workspace: Workspace, noises: Sequence[float] = ()) -> Seen:
    """Whether each correlator, at each p where there are several, follows from its counts."""
    parts = []
    for word in ("ZZ", "XX"):
        for labels in [{"noise": p} for p in noises] or [dict[str, float]()]:
            counted = parity(counts(workspace, basis=BASES[word], **labels), word)
            said = number(workspace, "expectation", observable=BASES[word], **labels)
            told = "".join(f"p = {p:g}: " for p in labels.values())
            parts.append((abs(counted - said) < 1e-3, f"{told}<{word}> = {said:.4f}, from the counts {counted:.4f}"))
    return all_of(parts)


def shots(workspace: Workspace, where: list[dict[str, object]]) -> Seen:
    """Whether 4096 shots were taken at each place."""
    parts = []
    for labels in where:
        total = sum(counts(workspace, **labels).values())  # type: ignore[arg-type]
        parts.append((total == SHOTS, f"{total:g} shots"))
    return all_of(parts)


def noisy_bell_state(workspace: Workspace) -> list[Criterion]:
    """Depolarising noise; any convention for where it acts and what p means is right, if the numbers follow it."""

    def correlators(word: str) -> list[float]:
        return [number(workspace, "expectation", observable=BASES[word], noise=p) for p in NOISES]

    def clean() -> Seen:
        zz, xx = correlators("ZZ")[0], correlators("XX")[0]
        return abs(zz - 1) <= 0.1 and abs(xx - 1) <= 0.1, f"<ZZ> = {zz:.3f}, <XX> = {xx:.3f} at p = 0"

    def falling() -> Seen:
        return all_of(
            (all(np.diff(correlators(word)) < 0), f"<{word}>: {', '.join(f'{v:.3f}' for v in correlators(word))}")
            for word in ("ZZ", "XX")
        )

    def strong() -> Seen:
        zz, xx = correlators("ZZ"), correlators("XX")
        name, worst = closest_convention(zz, xx)
        printed = xx[-1] < 0.5 and xx[-1] < zz[-1] - 0.05
        said = f"<XX> = {xx[-1]:.3f}, <ZZ> = {zz[-1]:.3f} at p = 0.3; closest: {name}, {worst:.1f} sigma"
        return worst <= SIGMAS and (printed or name != "all gates, mixing"), said

    def drawn() -> Seen:
        wanted = {f"<{word}>": np.array(correlators(word)) for word in ("ZZ", "XX")}
        return curves_shown(workspace, wanted)

    where = [{"basis": BASES[word], "noise": p} for word in ("ZZ", "XX") for p in NOISES]
    return [
        check("C1", "both correlators within 0.1 of +1 at p = 0", clean),
        check("C2", "both fall monotonically with p", falling),
        check(
            "C3",
            "values of a stated noise model, within 5 sigma of the shots (literally: <XX> < 0.5, below <ZZ>)",
            strong,
        ),
        check("C4", "a figure with both correlators against p", drawn),
        check("I1", "correlators are those of the counts", lambda: parities(workspace, NOISES)),
        check("I2", "4096 shots for each p and basis", lambda: shots(workspace, where)),
    ]


def closest_convention(zz: list[float], xx: list[float]) -> tuple[str, float]:
    """The noise model that fits best, and the largest deviation from it in sigma of the shots."""
    best = ("", math.inf)
    for noise_on in NOISY_BELL:
        for form in ("mixing", "pauli"):
            worst = 0.0
            for p, *measured in zip(NOISES, zz, xx, strict=True):
                exact = noisy_bell(p, noise_on, form)
                for value, mean in zip(measured, (exact["ZZ"], exact["XX"]), strict=True):
                    worst = max(worst, abs(value - mean) / math.sqrt((1 - min(mean, 0.999) ** 2) / SHOTS))
            if worst < best[1]:
                best = (f"{noise_on}, {form}", worst)
    return best


def h2_dissociation(workspace: Workspace) -> list[Criterion]:
    """The curve of H2, exact by our own integrals."""

    def minimum() -> Seen:
        distance, energy = curve(workspace, "energy", "distance", method="vqe")
        k = int(np.argmin(energy))
        held = 0.70 - 1e-9 <= distance[k] <= 0.80 + 1e-9 and -1.17 <= energy[k] <= -1.10
        return held, f"lowest {energy[k]:.5f} hartree at {distance[k]:.3f} angstrom"

    def shape() -> Seen:
        distance, energy = curve(workspace, "energy", "distance", method="vqe")
        k, slope = int(np.argmin(energy)), np.gradient(energy, distance)
        return all_of(
            [
                (0 < k < len(energy) - 1, f"minimum at point {k + 1} of {len(energy)}"),
                (energy[0] - energy[k] > 0.1, f"rises by {energy[0] - energy[k]:.3f} hartree towards short distances"),
                (abs(slope[-1]) < 0.5 * np.max(slope), "flattens at large distances"),
            ]
        )

    def both() -> Seen:
        distance, energy = curve(workspace, "energy", "distance", method="vqe")
        other, exact = curve(workspace, "energy", "distance", method="fci")
        return len(set(np.round(distance, 6)) & set(np.round(other, 6))) >= 2, f"{len(energy)} and {len(exact)} points"

    def drawn() -> Seen:
        energies = {method: curve(workspace, "energy", "distance", method=method)[1] for method in ("vqe", "fci")}
        held, said = curves_shown(workspace, energies)
        return bool(held) and together(workspace, list(energies.values())), said

    return [
        check("C1", "minimum at 0.70-0.80 angstrom with -1.17 to -1.10 hartree", minimum),
        check("C2", "clear minimum, steep rise at short distance, asymptote at large", shape),
        check("C3", "VQE and exact energies at two distances or more", both),
        check("C4", "one figure with both curves, as in the results", drawn),
        check("I1", "exact energies are those of STO-3G within 1e-4 hartree", lambda: exact_curve(workspace)),
        check("I2", "VQE never below, and within 1.6 mhartree of the exact energy", lambda: variational(workspace)),
        check("I3", "ten distances or more from 0.4 to 2.2 angstrom", lambda: _grid(workspace)),
    ]


def exact_curve(workspace: Workspace) -> Seen:
    """Exact energies against those of our own integrals."""
    distance, energy = curve(workspace, "energy", "distance", method=("fci", "exact"))
    errors = [abs(e - exact_energy(("H", "H"), float(d))) for d, e in zip(distance, energy, strict=True)]
    return max(errors) <= 1e-4, f"largest difference {max(errors):.1e} hartree"


def variational(workspace: Workspace) -> Seen:
    """The variational bound and chemical accuracy."""
    distance, energy = curve(workspace, "energy", "distance", method="vqe")
    other, exact = curve(workspace, "energy", "distance", method=("fci", "exact"))
    difference = energy - np.interp(distance, other, exact)
    shared = np.array([np.min(np.abs(other - d)) < 1e-6 for d in distance])
    if not shared.any():
        return False, "no distance has both energies"
    gap = difference[shared]
    held = bool(gap.min() >= -VARIATIONAL and gap.max() <= CHEMICAL)
    return held, f"between {gap.min():.1e} and {gap.max():.1e} hartree above"


def _grid(workspace: Workspace) -> Seen:
    distance, _ = curve(workspace, "energy", "distance", method="vqe")
    held = len(distance) >= 10 and abs(distance.min() - 0.4) < 1e-6 and abs(distance.max() - 2.2) < 1e-6
    return held, f"{len(distance)} points from {distance.min():g} to {distance.max():g}"
