import pytest
import math

from tools.dominant_frequency import DominantFrequencyInput, dominant_frequency


def _made(frequency, spacing=0.01, n=256, offset=0.0):
    signal = [offset + math.cos(2 * math.pi * frequency * spacing * i) for i in range(n)]
    return dominant_frequency(DominantFrequencyInput(signal=signal, spacing=spacing))


@pytest.mark.parametrize("frequency", [7.3, 12.1, 30.0])
def test_invariant_finds_a_tone(frequency):
    made = _made(frequency)
    assert made.frequency == pytest.approx(frequency, abs=0.02)
    assert made.resolution == pytest.approx(1 / 2.56)


def test_offset_is_no_tone():
    assert _made(11.0, offset=50.0).frequency == pytest.approx(11.0, abs=0.02)


def test_error_constant():
    with pytest.raises(ValueError, match="constant"):
        dominant_frequency(DominantFrequencyInput(signal=[1.0] * 9, spacing=1.0))
