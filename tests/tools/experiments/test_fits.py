"""A fit recovers what made the data, within its own errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labwright.tools.errors import FitError
from labwright.tools.experiments.fits import (
    damped_cosine,
    decay,
    fit_cosine,
    fit_decay,
    fit_peak,
    least_squares,
    shows_signal,
)
from labwright.tools.experiments.fits import gaussian_peak as line
from labwright.tools.experiments.fringes import delays, fit_fringes

FEW = settings(derandomize=True)


@FEW
@given(st.floats(2.5, 12), st.floats(0.1, 0.35), st.floats(-3, 3), st.floats(0, 1), st.integers(0, 1000))
def test_a_cosine_is_recovered(count, amplitude, phase, damping, seed):
    t = np.linspace(0, 2, 121)
    sigma = np.full(len(t), 0.015)
    truth = damped_cosine(t, 0.4, amplitude, count / 2, phase, damping / 2)
    fit = fit_cosine(t, truth + np.random.default_rng(seed).normal(0, sigma), sigma)
    assert abs(fit["frequency"] - count / 2) < 5 * fit.error("frequency")
    assert abs(fit["amplitude"] - amplitude) < 5 * fit.error("amplitude")
    assert fit.good


@FEW
@given(st.floats(0.15, 0.6), st.floats(2.5, 7), st.integers(0, 1000))
def test_a_decay_is_recovered(amplitude, cover, seed):
    t = np.linspace(0, 100, 61)
    sigma = np.full(len(t), 0.015)
    fit = fit_decay(t, decay(t, amplitude, cover / 100) + np.random.default_rng(seed).normal(0, sigma), sigma)
    assert abs(fit["rate"] - cover / 100) < 5 * fit.error("rate")
    assert fit.good


@FEW
@given(st.floats(-50, 50), st.floats(1.2, 4), st.sampled_from([-1, 1]), st.integers(0, 1000))
def test_a_line_is_recovered(centre, width, sign, seed):
    x = np.arange(-60, 60.5)
    sigma = np.ones(len(x))
    fit = fit_peak(x, line(x, 0, 20 * sign, centre, width) + np.random.default_rng(seed).normal(0, sigma), sigma)
    assert abs(fit["centre"] - centre) < 5 * fit.error("centre")


def fringes(t, frequency, rng, sigma, *, rate=0.0, width=0.0, slope=0.0):
    """Both quadratures with noise, (2, n), and their errors."""
    turned = 2 * np.pi * frequency * t + np.array([[0.3], [0.3 + np.pi / 2]])
    y = 0.4 + slope * t / t[-1] + 0.3 * np.exp(-rate * t - (width * t) ** 2 / 2) * np.cos(turned)
    return y + rng.normal(0, sigma, y.shape), np.full(y.shape, sigma)


def test_both_kinds_of_dephasing_are_told_apart():
    t = delays(0.0, 120.0, 0.75)
    y, sigma = fringes(t, 0.1, np.random.default_rng(3), 0.004, rate=1 / 80, width=1 / 60, slope=0.02)
    fit = fit_fringes(t, y, sigma, 0.75, 0.1).fit
    assert abs(fit["rate"] - 1 / 80) < 4 * fit.error("rate")
    assert abs(fit["width"] - 1 / 60) < 4 * fit.error("width")


@FEW
@given(st.floats(-14, 14), st.floats(0, 3), st.sampled_from([0.5, 2.0, 50.0]), st.integers(0, 1000))
def test_a_signed_frequency_is_recovered(frequency, lives, stop, seed):
    t, step = delays(0.0, stop, stop / 60), stop / 60
    y, sigma = fringes(t, frequency, np.random.default_rng(seed), 0.015, width=lives / stop)
    found = fit_fringes(t, y, sigma, step, 3.0)
    if abs(frequency) * stop > 1:
        assert abs(found.fit["frequency"] - frequency) < 5 * found.fit.error("frequency")
        assert found.margin > 25
        assert found.fit.good


def test_error_bars_of_fringes_are_those_of_many_repetitions():
    t, rng = delays(0.0, 2.0, 1 / 30), np.random.default_rng(0)
    fits = [fit_fringes(t, *fringes(t, -4.0, rng, 0.015), 1 / 30, 3.0).fit for _ in range(40)]
    seen = np.std([fit["frequency"] for fit in fits])
    assert seen == pytest.approx(np.mean([fit.error("frequency") for fit in fits]), rel=0.3)


def test_error_bars_are_those_of_many_repetitions():
    t = np.linspace(0, 1, 101)
    sigma = np.full(len(t), 0.015)
    rng = np.random.default_rng(0)
    fits = [fit_cosine(t, damped_cosine(t, 0.4, 0.3, 5, 0, 0) + rng.normal(0, sigma), sigma) for _ in range(150)]
    seen = np.std([fit["frequency"] for fit in fits])
    assert seen == pytest.approx(fits[0].error("frequency"), rel=0.25)


def test_a_wrong_model_is_not_good():
    t = np.linspace(0, 1, 101)
    sigma = np.full(len(t), 0.015)
    beat = 0.4 + 0.15 * np.cos(2 * np.pi * 5 * t) + 0.15 * np.cos(2 * np.pi * 8 * t)
    assert not fit_cosine(t, beat, sigma).good


def test_noise_shows_no_signal():
    rng = np.random.default_rng(0)
    sigma = np.full(100, 0.015)
    assert not any(shows_signal(rng.normal(0.4, sigma), sigma) for _ in range(200))


def test_too_few_points_are_refused():
    with pytest.raises(FitError, match="Measure more points"):
        least_squares(decay, ["amplitude", "rate"], (np.arange(2.0), np.ones(2), np.ones(2)), [1, 1])
