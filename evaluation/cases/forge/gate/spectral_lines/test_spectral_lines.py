import numpy as np
import pytest
from pydantic import ValidationError

from tools.spectral_lines import SpectralLinesInput, spectral_lines


def _run(signal, rate, lines):
    return spectral_lines(SpectralLinesInput(signal=list(signal), sample_rate=rate, lines=lines))


def _tone(size, rate, frequency, amplitude, phase=0.4):
    return amplitude * np.cos(2 * np.pi * frequency * np.arange(size) / rate + phase)


@pytest.mark.parametrize("bins", [30.0, 30.2, 30.45, 30.5, 30.7, 30.97])
def test_invariant_one_line_anywhere_between_bins(bins):
    size, rate = 200, 50.0
    out = _run(5.0 + _tone(size, rate, bins * rate / size, 1.7), rate, 1)
    assert out.frequencies == pytest.approx([bins * 0.25], rel=1e-5)
    assert out.amplitudes == pytest.approx([1.7], rel=1e-4)


def test_invariant_line_on_a_bin_is_exact():
    out = _run(_tone(128, 64.0, 10.5, 0.8), 64.0, 1)
    assert out.frequencies == pytest.approx([10.5], rel=1e-12)
    assert out.amplitudes == pytest.approx([0.8], rel=1e-12)


def test_lines_in_descending_order():
    size, rate = 1001, 200.0
    signal = _tone(size, rate, 17.33, 0.5) + _tone(size, rate, 60.1, 2.0, 1.3) - _tone(size, rate, 41.9, 1.1, 2.2) - 3.0
    out = _run(signal, rate, 3)
    assert out.frequencies == pytest.approx([60.1, 41.9, 17.33], abs=2e-3)
    assert out.amplitudes == pytest.approx([2.0, 1.1, 0.5], rel=2e-3)
    assert _run(signal, rate, 2).amplitudes == out.amplitudes[:2]


def test_invariant_scaling():
    signal = _tone(64, 10.0, 2.13, 1.0) + _tone(64, 10.0, 3.7, 0.4)
    one, two = _run(signal, 10.0, 2), _run(-3.0 * signal, 20.0, 2)
    assert two.frequencies == pytest.approx([2 * f for f in one.frequencies], rel=1e-10)
    assert two.amplitudes == pytest.approx([3 * a for a in one.amplitudes], rel=1e-10)


def test_error_too_few_maxima():
    with pytest.raises(RuntimeError, match="only"):
        _run(_tone(32, 32.0, 8.0, 1.0), 32.0, 20)


def test_error_short_signal():
    with pytest.raises(ValidationError, match="signal"):
        _run(np.ones(15), 1.0, 1)


def test_error_no_lines():
    with pytest.raises(ValidationError, match="lines"):
        _run(np.cos(np.arange(20.0)), 1.0, 0)
