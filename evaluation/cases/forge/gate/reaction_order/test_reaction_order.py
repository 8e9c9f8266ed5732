import numpy as np
import pytest
from pydantic import ValidationError

from tools.reaction_order import ReactionOrderInput, reaction_order

_T = np.array([0.0, 3.0, 7.0, 12.0, 20.0, 26.0, 35.0])
_LAWS = [
    lambda t, c0, k: c0 - k * t,
    lambda t, c0, k: c0 * np.exp(-k * t),
    lambda t, c0, k: 1 / (1 / c0 + k * t),
]


def _run(times, concentrations):
    return reaction_order(ReactionOrderInput(times=list(times), concentrations=list(concentrations)))


@pytest.mark.parametrize(("order", "c0", "k"), [(0, 1.7, 0.04), (1, 0.6, 0.07), (2, 2.5, 0.13), (1, 40.0, 0.02), (2, 1e-3, 90.0)])
def test_invariant_exact_data_give_their_law(order, c0, k):
    out = _run(_T, _LAWS[order](_T, c0, k))
    assert out.order == order
    assert out.rate_constant == pytest.approx(k, rel=1e-6)
    assert out.initial_concentration == pytest.approx(c0, rel=1e-6)
    assert out.residuals[order] == pytest.approx(0.0, abs=1e-7 * c0)
    assert min(r for n, r in enumerate(out.residuals) if n != order) > 0.01 * c0


def test_invariant_straight_line_by_hand():
    # slope -0.8, deviations 0.1, -0.1, -0.1, 0.1 of 4.9 - 0.8 t ... sum of squares 0.04, sum (t - 3)^2 = 20
    out = _run([0.0, 2.0, 4.0, 6.0], [5.0, 3.2, 1.6, 0.2])
    assert out.order == 0
    assert out.rate_constant == pytest.approx(0.8, rel=1e-6)
    assert out.initial_concentration == pytest.approx(4.9, rel=1e-6)
    assert out.residuals[0] == pytest.approx(np.sqrt(0.04 / 2), rel=1e-6)
    assert out.rate_constant_error == pytest.approx(np.sqrt(0.02 / 20), rel=1e-5)


@pytest.mark.parametrize("order", [1, 2])
def test_invariant_error_from_the_slopes_of_the_law(order):
    c0, k = 1.2, 0.06
    c = _LAWS[order](_T, c0, k) + 0.004 * np.array([1.0, -1.0, 0.5, 1.0, -1.0, -0.5, 1.0])
    out = _run(_T, c)
    assert out.order == order
    best = (out.initial_concentration, out.rate_constant)
    law = _LAWS[order]
    step = 1e-6
    slopes = np.column_stack(
        [
            (law(_T, best[0] + step, best[1]) - law(_T, best[0] - step, best[1])) / (2 * step),
            (law(_T, best[0], best[1] + step) - law(_T, best[0], best[1] - step)) / (2 * step),
        ]
    )
    deviations = c - law(_T, *best)
    assert slopes.T @ deviations == pytest.approx([0.0, 0.0], abs=1e-5)
    assert out.residuals[order] == pytest.approx(np.sqrt(deviations @ deviations / 5), rel=1e-8)
    expected = out.residuals[order] * np.sqrt(np.linalg.inv(slopes.T @ slopes)[1, 1])
    assert out.rate_constant_error == pytest.approx(expected, rel=1e-4)


def test_invariant_unit_of_concentration():
    c = _LAWS[2](_T, 0.8, 0.2) * (1 + 0.01 * np.cos(_T))
    one, two = _run(_T, c), _run(_T, 1000 * c)
    assert two.order == one.order == 2
    assert two.rate_constant == pytest.approx(one.rate_constant / 1000, rel=1e-5)
    assert two.residuals == pytest.approx([1000 * r for r in one.residuals], rel=1e-5)


def test_error_lengths():
    with pytest.raises(ValueError, match="same length"):
        _run([0.0, 1.0, 2.0], [3.0, 2.0, 1.0, 0.5])


def test_error_concentration():
    with pytest.raises(ValueError, match="positive"):
        _run([0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0])


def test_error_negative_time():
    with pytest.raises(ValueError, match="negative"):
        _run([-1.0, 1.0, 2.0], [3.0, 2.0, 1.0])


def test_error_times():
    with pytest.raises(ValueError, match="three different"):
        _run([0.0, 1.0, 1.0, 0.0], [3.0, 2.0, 2.1, 3.1])


@pytest.mark.parametrize("concentrations", [[1.0, 2.0, 3.0], [2.0, 1.0, 2.2]])
def test_error_not_falling(concentrations):
    with pytest.raises(ValueError, match="does not fall"):
        _run([0.0, 1.0, 2.0], concentrations)


def test_error_too_few():
    with pytest.raises(ValidationError, match="at least 3"):
        _run([0.0, 1.0], [2.0, 1.0])
