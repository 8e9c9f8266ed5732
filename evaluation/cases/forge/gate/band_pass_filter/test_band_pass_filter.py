import numpy as np
import pytest
from pydantic import ValidationError

from tools.band_pass_filter import BandPassFilterInput, band_pass_filter


def _run(signal, low, high, rate=50.0):
    return band_pass_filter(BandPassFilterInput(signal=list(signal), sample_rate=rate, low=low, high=high))


def _tone(size, bin_number, amplitude, phase=0.3):
    return amplitude * np.cos(2 * np.pi * bin_number * np.arange(size) / size + phase)


@pytest.mark.parametrize("size", [100, 101])
def test_invariant_only_the_tone_in_the_band_is_left(size):
    rate = 0.5 * size
    signal = 0.7 + _tone(size, 3, 1.2) + _tone(size, 8, 0.5, 1.1) + _tone(size, 20, 0.9)
    out = _run(signal, 2.0, 7.0, rate)
    assert out.filtered == pytest.approx(_tone(size, 8, 0.5, 1.1).tolist(), abs=1e-12)
    assert out.kept_bins == 11


def test_limits_belong_to_the_band():
    signal = _tone(100, 8, 0.5) + _tone(100, 10, 0.4) + _tone(100, 7, 2.0) + _tone(100, 11, 3.0)
    out = _run(signal, 4.0, 5.0)
    assert out.filtered == pytest.approx((_tone(100, 8, 0.5) + _tone(100, 10, 0.4)).tolist(), abs=1e-12)
    assert out.kept_bins == 3


@pytest.mark.parametrize("size", [11, 12])
def test_invariant_full_band_changes_nothing(size):
    signal = np.random.default_rng(1).normal(size=size)
    out = _run(signal, 0.0, 25.0)
    assert out.filtered == pytest.approx(signal.tolist(), abs=1e-13)
    assert out.kept_bins == size // 2 + 1


def test_invariant_zero_frequency_is_the_mean():
    out = _run([1.0, 2.0, 6.0, -4.0, 5.0], 0.0, 0.0)
    assert out.filtered == pytest.approx([2.0] * 5, abs=1e-14)
    assert out.kept_bins == 1


def test_invariant_filtering_twice_is_filtering_once():
    signal = np.random.default_rng(4).normal(size=30)
    once = _run(signal, 3.0, 12.0)
    assert _run(once.filtered, 3.0, 12.0).filtered == pytest.approx(once.filtered, abs=1e-13)


def test_error_order_of_limits():
    with pytest.raises(ValueError, match="low must not exceed high"):
        _run(np.ones(10), 10.0, 5.0)


def test_error_above_nyquist():
    with pytest.raises(ValueError, match="half the sample rate"):
        _run(np.ones(10), 10.0, 25.1)


def test_error_empty_band():
    with pytest.raises(ValueError, match="no frequency"):
        _run(np.ones(10), 6.0, 9.0)


def test_error_rate():
    with pytest.raises(ValidationError, match="sample_rate"):
        _run(np.ones(10), 1.0, 2.0, 0.0)
