"""Hamiltonian tomography beside the driven eigenstates, and its fit beside what made the data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

from labwright.tools.errors import FitError
from labwright.tools.experiments.base import Bench, Report
from labwright.tools.experiments.bloch_rotation_fit import fit_turning, turned
from labwright.tools.experiments.hamiltonian_tomography import TERMS, HamiltonianTomography
from labwright.tools.qpu.oracle_pair import computational
from labwright.tools.qpu.simulated import SimulatedProcessor
from labwright.tools.qpu.stark import Tone, flat_hamiltonian
from labwright.tools.qpu.transmon_register import Register


def measured(device: SimulatedProcessor, control: str, target: str, amplitude: float, **more: float) -> Report:
    look = HamiltonianTomography(Bench(device, f"look-{control}-{target}-{amplitude}"))
    look.run(control, target, amplitude, **more)  # type: ignore[arg-type]
    return look.report()


def test_turning_is_that_of_a_spin_in_a_field() -> None:
    rates, start = np.array([0.3, -0.2, 0.5]), np.array([0.1, 0.2, 0.9])
    x, y, z = (np.zeros((3, 3)) for _ in range(3))
    x[2, 1], x[1, 2], y[0, 2], y[2, 0], z[1, 0], z[0, 1] = 1, -1, 1, -1, 1, -1
    generator = 2 * np.pi * (rates[0] * x + rates[1] * y + rates[2] * z)
    t = np.linspace(0, 3, 7)
    wanted = np.array([np.exp(-0.1 * time) * expm(generator * time) @ start for time in t]).T
    assert turned(rates, start, 0.1, t) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("rates", [(0.4, 0.0, 0.0), (-0.2, 0.3, -0.1), (0.05, 0.05, 1.2)])
def test_fit_recovers_what_made_the_turning(rates: tuple[float, float, float]) -> None:
    rng, t = np.random.default_rng(1), np.linspace(0, 8, 40)
    clean = turned(np.array(rates), np.array([0.1, -0.1, 0.95]), 0.02, t)
    fit = fit_turning(t, clean + 0.04 * rng.standard_normal(clean.shape), np.full(clean.shape, 0.04))
    error = np.sqrt(np.diag(fit.covariance))
    assert (np.abs(fit.rates - rates) < 4 * error).all()
    assert error.max() < 0.02
    assert fit.reduced_chi_square < 1.5


def test_what_does_not_turn_has_no_rates() -> None:
    t, rng = np.linspace(0, 8, 40), np.random.default_rng(2)
    still = np.array([0.0, 0.0, 0.9])[:, None] + 0.02 * rng.standard_normal((3, 40))
    with pytest.raises(FitError, match="does not turn"):
        fit_turning(t, still, np.full(still.shape, 0.04))


def driven_terms(register: Register, tone: Tone, control: int) -> np.ndarray:
    """(2, 3) in MHz: IX, IY, IZ and ZX, ZY, ZZ of H/h = (IX IX + ...) / 2 on the flat top, `control` being the Z.

    The driven eigenstates nearest to the target's levels 0 and 1, for each level of the control, turned back to
    these by the least rotation (Cederbaum et al., J. Phys. A 22, 2427).
    """
    values, vectors = np.linalg.eigh(flat_hamiltonian(register, tone))
    chosen, turnings = np.array(computational(2)).reshape(2, 2), []
    for rows in chosen if control == 0 else chosen.T:
        nearest = np.argsort((np.abs(vectors[rows]) ** 2).sum(axis=0))[-2:]
        left, _, right = np.linalg.svd(vectors[np.ix_(rows, nearest)])
        block = (left @ right * values[nearest]) @ (left @ right).conj().T
        turnings.append([2 * block[1, 0].real, 2 * block[1, 0].imag, (block[0, 0] - block[1, 1]).real])
    zero, one = np.array(turnings)
    return np.array([zero + one, zero - one]) / 2


@pytest.mark.parametrize(
    ("control", "target", "amplitude", "phase"),
    [("Q2", "Q1", 0.3, 0.0), ("Q1", "Q8", 0.15, 1.2), ("Q8", "Q1", 0.3, 0.0)],
)
def test_rates_are_those_of_the_driven_eigenstates(
    device: SimulatedProcessor, control: str, target: str, amplitude: float, phase: float
) -> None:
    report = measured(device, control, target, amplitude, phase=phase, stop=12.0)
    assert report.verdict == "success", report
    pair = ("Q1", "Q2") if "Q2" in (control, target) else ("Q1", "Q8")
    place = pair.index(control)
    drives = [(0.0, 0.0), (0.0, 0.0)]
    drives[place] = (amplitude, phase)
    tone = Tone(device.settings.current(target).frequency, 0.0, tuple(drives))
    true = driven_terms(device.register(pair), tone, place).ravel()
    for term, wanted in zip(TERMS, true, strict=True):
        found = report.estimates[f"{term.lower()}_rate"]
        # the ramps tilt the axis a little: a per cent of the fastest turning
        assert abs(found.value - wanted) < 4 * found.error + 0.01 * np.abs(true).max(), (term, found, wanted)


def test_a_drive_that_moves_the_control_says_so(device: SimulatedProcessor) -> None:
    report = measured(device, "Q1", "Q2", 0.3)  # 5 MHz beside the control's two-photon line
    assert report.verdict == "wrong_setup"
    assert "drive the other qubit" in report.diagnosis


def test_a_weak_drive_asks_for_a_longer_sweep(device: SimulatedProcessor) -> None:
    report = measured(device, "Q2", "Q1", 0.05, stop=2.0)
    assert report.verdict == "adjust"
    assert report.proposal == {"stop": 6.0}


def test_no_drive_shows_nothing(device: SimulatedProcessor) -> None:
    report = measured(device, "Q2", "Q1", 0.0)
    assert report.verdict in ("adjust", "wrong_setup")
    assert not report.variables
