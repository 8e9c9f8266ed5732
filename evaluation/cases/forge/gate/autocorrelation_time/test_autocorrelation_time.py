import math

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.signal import lfilter

from tools.autocorrelation_time import AutocorrelationTimeInput, autocorrelation_time


def _run(series, factor=6.0):
    return autocorrelation_time(AutocorrelationTimeInput(series=list(series), window_factor=factor))


def _by_hand(series, factor):
    """Time and window by plain sums."""
    n = len(series)
    d = [x - sum(series) / n for x in series]
    time = 0.5
    for w in range(1, n):
        time += sum(d[i] * d[i + w] for i in range(n - w)) / (n - w) / (sum(x * x for x in d) / n)
        if w >= factor * time:
            return time, w
    return None


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.8])
def test_invariant_autoregressive_series(phi):
    noise = np.random.default_rng(12).normal(size=60_000)
    out = _run(lfilter([1.0], [1.0, -phi], noise))
    exact = 0.5 * (1 + phi) / (1 - phi)
    assert abs(out.autocorrelation_time - exact) < 3 * out.time_error
    assert out.time_error < 0.06 * exact
    assert out.window >= 6 * out.autocorrelation_time > 6 * exact * 0.9


@pytest.mark.parametrize("factor", [1.5, 2.0, 4.0])
def test_invariant_plain_sums(factor):
    noise = np.random.default_rng(5).normal(size=60)
    series = (3.0 + lfilter([1.0], [1.0, -0.4], noise)).tolist()
    out = _run(series, factor)
    time, window = _by_hand(series, factor)
    assert out.window == window
    assert out.autocorrelation_time == pytest.approx(time, rel=1e-10)
    assert out.time_error == pytest.approx(time * math.sqrt((4 * window + 2) / 60), rel=1e-10)


def test_short_series_by_hand():
    # Mean 3; deviations -2, 1, 2, -1: C(0) = 10/4, C(1) = (-2 + 2 - 2)/3, tau(1) = 1/2 - 4/15
    out = _run([1.0, 4.0, 5.0, 2.0], 1.0)
    assert out.autocorrelation_time == pytest.approx(7 / 30, rel=1e-12)
    assert out.time_error == pytest.approx(7 / 30 * math.sqrt(6 / 4), rel=1e-12)
    assert out.window == 1


def test_invariant_scale_and_offset_do_not_matter():
    series = np.random.default_rng(1).normal(size=200)
    one, two = _run(series), _run(5.0 - 3.0 * series)
    assert two.autocorrelation_time == pytest.approx(one.autocorrelation_time, rel=1e-10)
    assert two.window == one.window


def test_error_negative_sum_at_the_last_window():
    series = [1.0, 4.0, 5.0, 2.0]
    # tau(2) = 7/30 + C(2)/C(0) = 7/30 - 1: negative
    with pytest.raises(RuntimeError, match="anticorrelated"):
        _run(series, 5.0)


def test_error_too_short():
    with pytest.raises(RuntimeError, match="too short"):
        _run(np.arange(40.0))


def test_error_anticorrelated():
    with pytest.raises(RuntimeError, match="anticorrelated"):
        _run([1.0, -1.0] * 10)


def test_error_constant():
    with pytest.raises(ValueError, match="constant"):
        _run([2.0] * 8)


def test_error_factor():
    with pytest.raises(ValidationError, match="window_factor"):
        _run([1.0, 2.0, 1.0, 3.0], 0.0)
