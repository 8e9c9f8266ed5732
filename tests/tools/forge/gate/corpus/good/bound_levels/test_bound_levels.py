import pytest
import math

from tools.bound_levels import BoundLevelsInput, bound_levels


def _made(potential, spacing, mass, count):
    return bound_levels(BoundLevelsInput(potential=potential, spacing=spacing, mass=mass, count=count)).levels


def test_invariant_harmonic_oscillator():
    step = 0.02
    x = [step * (i - 400) for i in range(801)]
    levels = _made([0.5 * 2.0 * 0.25 * value**2 for value in x], step, 2.0, 3)
    assert levels == pytest.approx([0.25, 0.75, 1.25], rel=2e-4)


def test_box_on_the_grid():
    # N points: 2 hop (1 - cos(k pi / (N + 1))) + V
    n, hop = 9, 1 / (2 * 0.5 * 0.25)
    expected = [3.0 + 2 * hop * (1 - math.cos(k * math.pi / (n + 1))) for k in (1, 2)]
    assert _made([3.0] * n, 0.5, 0.5, 2) == pytest.approx(expected)


def test_error_too_few_points():
    with pytest.raises(ValueError, match="hold no 6"):
        _made([0.0] * 5, 1.0, 1.0, 6)
