import numpy as np
import pytest
from pydantic import ValidationError

from tools.gaussian_peak_fit import GaussianPeakFitInput, gaussian_peak_fit

_X = np.linspace(2.0, 12.0, 41)


def _model(x, centre, width, height, background):
    return background + height * np.exp(-((x - centre) ** 2) / (2 * width**2))


def _fit(x, y, error):
    return gaussian_peak_fit(GaussianPeakFitInput(x=list(x), y=list(y), y_error=list(error)))


def _four(out):
    return [out.centre, out.width, out.height, out.background]


@pytest.mark.parametrize("true", [(6.3, 0.8, 4.0, 1.5), (4.1, 1.9, -2.0, 3.0), (9.7, 0.3, 7.0, -1.0)])
def test_invariant_exact_data_come_back(true):
    out = _fit(_X, _model(_X, *true), 0.1 + 0.01 * _X)
    assert _four(out) == pytest.approx(list(true), rel=1e-6)
    assert out.reduced_chi_squared == pytest.approx(0.0, abs=1e-9)


def test_invariant_errors_are_those_of_the_fisher_matrix():
    true = (6.3, 0.8, 4.0, 1.5)
    error = 0.1 + 0.02 * _X
    out = _fit(_X, _model(_X, *true), error)
    u = (_X - 6.3) / 0.8
    g = np.exp(-(u**2) / 2)
    slopes = np.column_stack([4.0 * g * u / 0.8, 4.0 * g * u**2 / 0.8, g, np.ones_like(g)]) / error[:, None]
    expected = np.sqrt(np.diag(np.linalg.inv(slopes.T @ slopes)))
    errors = [out.centre_error, out.width_error, out.height_error, out.background_error]
    assert errors == pytest.approx(expected.tolist(), rel=1e-4)


def test_invariant_chi_squared_is_a_minimum_with_the_right_degrees_of_freedom():
    rng = np.random.default_rng(2)
    error = 0.05 + 0.01 * _X
    y = _model(_X, 7.0, 1.1, 3.0, 0.4) + error * rng.normal(size=_X.size)
    out = _fit(_X, y, error)
    best = _four(out)
    chi = [np.sum(((y - _model(_X, *(np.array(best) + d))) / error) ** 2) for d in np.vstack([np.zeros(4), 0.01 * np.eye(4), -0.01 * np.eye(4)])]
    assert out.reduced_chi_squared == pytest.approx(chi[0] / 37, rel=1e-9)
    assert min(chi[1:]) > chi[0]
    assert 0.5 < out.reduced_chi_squared < 1.6
    assert abs(out.centre - 7.0) < 4 * out.centre_error
    assert abs(out.width - 1.1) < 4 * out.width_error


def test_invariant_twice_the_error_bars():
    y = _model(_X, 6.0, 0.9, 2.0, 1.0) + 0.05 * np.cos(7 * _X)
    one, two = _fit(_X, y, np.full(41, 0.1)), _fit(_X, y, np.full(41, 0.2))
    assert two.centre_error == pytest.approx(2 * one.centre_error, rel=1e-4)
    assert two.reduced_chi_squared == pytest.approx(one.reduced_chi_squared / 4, rel=1e-6)


def test_five_points_suffice():
    x = np.array([1.0, 2.0, 3.5, 4.0, 6.0])
    out = _fit(x, _model(x, 3.0, 1.2, 5.0, 0.5), np.full(5, 0.1))
    assert _four(out) == pytest.approx([3.0, 1.2, 5.0, 0.5], rel=1e-5)


def test_error_lengths():
    with pytest.raises(ValueError, match="same length"):
        _fit(_X, _X[:-1], np.ones(41))
    with pytest.raises(ValueError, match="same length"):
        _fit(_X, _X, np.ones(40))


def test_error_bars_must_be_positive():
    with pytest.raises(ValueError, match="positive"):
        _fit(_X, np.cos(_X), np.r_[np.ones(40), 0.0])


def test_error_same_positions():
    with pytest.raises(ValueError, match="different positions"):
        _fit([1.0, 1.0, 2.0, 2.0, 3.0], [1.0, 2.0, 3.0, 2.0, 1.0], np.ones(5))


def test_error_too_few_points():
    with pytest.raises(ValidationError, match="at least 5"):
        _fit([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 2.0, 1.0], np.ones(4))
