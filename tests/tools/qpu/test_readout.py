"""Readout: one distribution behind counts, averages and single shots."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from labwright.tools.qpu.drift import stream
from labwright.tools.qpu.readout import (
    Readout,
    best_frequency,
    draw_average,
    draw_shots,
    noise_sigma,
    read_as_one,
    response,
)
from labwright.tools.qpu.starting_settings import Start, believed
from labwright.tools.qpu.truth import paper_device

Q1 = paper_device().qubits["Q1"]
SETTINGS = believed(Q1, Start(0.0, 0.0, 0.5))
LEVELS = np.array([[0.985, 0.015, 0, 0], [0.02, 0.95, 0.03, 0], [0.3, 0.3, 0.3, 0.1], [0, 0, 1, 0]])


def nominal(points: int, amplitude: float = SETTINGS.readout_amplitude) -> Readout:
    return Readout(Q1, np.full(points, SETTINGS.readout_frequency), np.full(points, amplitude))


def test_raw_contrast_is_the_papers() -> None:
    one = read_as_one(nominal(1), SETTINGS.readout_angle, SETTINGS.readout_threshold)[0]
    thermal = np.array([1 - Q1.thermal, Q1.thermal])
    assert thermal @ one[:2] == pytest.approx(0.10, abs=0.02)
    assert thermal[::-1] @ one[:2] == pytest.approx(0.70, abs=0.02)


def test_separation_over_sigma_is_the_snr() -> None:
    blobs = nominal(1).blobs()[0]
    assert abs(blobs[1] - blobs[0]) / noise_sigma(Q1) == pytest.approx(Q1.snr, rel=1e-6)


@pytest.mark.parametrize("amplitude", [0.2, 0.4, 0.8])
def test_counts_and_shots_agree(amplitude: float) -> None:
    shots, readout = 40000, nominal(len(LEVELS), amplitude)
    zero, one = readout.blobs()[0][:2]  # the blobs move with the amplitude, so the cut does too
    angle = float(np.angle(one - zero))
    threshold = float(((zero + one) / 2 * np.exp(-1j * angle)).real)
    chance = np.einsum("nl,nl->n", LEVELS, read_as_one(readout, angle, threshold))
    iq = draw_shots(readout, LEVELS, shots, stream(1, 1))
    read = ((iq * np.exp(-1j * angle)).real > threshold).mean(axis=1)
    error = np.sqrt(chance * (1 - chance) / shots)
    assert np.all(np.abs(read - chance) < 4.5 * error)


def test_averages_and_shots_agree_in_mean_and_spread() -> None:
    shots, readout = 40000, nominal(len(LEVELS))
    iq = draw_shots(readout, LEVELS, shots, stream(1, 2))
    mean, error = draw_average(readout, LEVELS, 10**9, stream(1, 3))
    spread = iq.std(axis=1) / np.sqrt(2)
    assert np.all(np.abs(iq.mean(axis=1) - mean) < 5 * np.sqrt(2) * spread / np.sqrt(shots))
    assert error * np.sqrt(10**9) == pytest.approx(spread, rel=0.02)


def test_average_scatters_by_its_stated_error() -> None:
    levels = np.tile(LEVELS[2], (4000, 1))
    mean, error = draw_average(nominal(4000), levels, 100, stream(1, 4))
    assert np.sqrt((mean.real.var() + mean.imag.var()) / 2) == pytest.approx(error[0], rel=0.05)


def test_jumps_lie_between_the_blobs() -> None:
    """With hardly any noise every shot of level 1 lies on the line to blob 0, and some strictly inside."""
    quiet = replace(Q1, snr=1e4, t1=4.0, t2_echo=4.0, readout_decay=0.0)
    readout = Readout(quiet, np.array([SETTINGS.readout_frequency]), np.array([0.4]))
    iq = draw_shots(readout, np.array([[0.0, 1.0, 0, 0]]), 20000, stream(1, 5))[0]
    zero, one = readout.blobs()[0][:2]
    along = (iq - zero) / (one - zero)
    assert np.abs(along.imag).max() < 0.01
    inside = (along.real > 0.05) & (along.real < 0.95)
    assert inside.mean() == pytest.approx((1 - np.exp(-2 / 4)) * 0.9, rel=0.05)


def test_overdrive_leaks_to_the_third_blob() -> None:
    below, above = (nominal(1, a).jumps()[0][0, 1, 2] for a in (0.65, 0.9))
    assert below == 0
    assert above > 0.5


def test_response_is_a_dip_of_the_stated_width() -> None:
    kappa = Q1.kappa_ext + Q1.resonator_frequency / Q1.q_internal
    middle = Q1.resonator_frequency - Q1.chi  # of level 0
    s = np.abs(response(Q1, middle + np.array([0.0, kappa / 2, 1000.0])))[:, 0]
    assert s[0] == pytest.approx(1 - Q1.kappa_ext / kappa)
    assert 1 - s[1] ** 2 == pytest.approx((1 - s[0] ** 2) / 2, rel=1e-6)
    assert s[2] == pytest.approx(1, abs=1e-3)


def test_best_frequency_lies_between_the_two_resonances() -> None:
    assert best_frequency(Q1)[0] == pytest.approx(Q1.resonator_frequency, abs=0.01)


def test_a_strong_tone_punches_the_resonator_out_to_its_bare_frequency() -> None:
    """The dip falls from its dressed to its bare place, smoothly, and the two states' dips fall together."""
    grid = Q1.resonator_frequency + np.linspace(-9, 6, 3001)
    amplitudes = np.array([0.01, 0.1, 0.2, 0.4, 0.7, 1.0, 3.0, 100.0])
    dips = np.array([grid[np.abs(response(Q1, grid, np.full(len(grid), a)))[:, :2].argmin(axis=0)] for a in amplitudes])
    g2 = Q1.chi * (d := Q1.frequency - Q1.resonator_frequency) * (d + Q1.anharmonicity) / Q1.anharmonicity
    bare = Q1.resonator_frequency + g2 / (d + Q1.anharmonicity)
    assert dips[3] == pytest.approx(Q1.resonator_frequency + np.array([-1, 1]) * Q1.chi, abs=0.006)
    assert dips[-1] == pytest.approx([bare, bare], abs=0.1)
    assert np.all(np.diff(dips[:, 0]) < 0)
    split = np.abs(dips[:, 1] - dips[:, 0])
    assert split[0] > split[3] > split[5] > split[6]
    # at the critical photon number a pull is 1 / sqrt(2) of that without photons
    ground = dips[:, 0] - bare
    assert ground[4] / ground[0] == pytest.approx(2**-0.5, abs=0.002)


def test_a_longer_window_is_quieter_and_a_short_one_has_not_filled_the_resonator() -> None:
    windows = np.array([0.1, 2.0, 8.0])
    own, swept = nominal(3), Readout(Q1, nominal(3).frequency, nominal(3).amplitude, windows)
    assert swept.sigma == pytest.approx(own.sigma * np.sqrt(2.0 / windows))
    apart = np.abs(np.diff(swept.blobs()[:, :2], axis=1))[:, 0]
    assert apart[0] < 0.5 * apart[1] < 0.55 * apart[2]
    assert swept.blobs()[1] == pytest.approx(own.blobs()[1])
    _, late = swept.jumps()
    assert np.all(np.diff(late[:, 1, 0]) > 0)
