import numpy as np
import pytest
from pydantic import ValidationError
from scipy.stats import norm

from tools.importance_sampler import ImportanceSamplerInput, importance_sampler


def _run(coefficients=(0.5, -1.0, 2.0), mean=0.3, width=1.4, shift=0.6, samples=4000, seed=11):
    given = ImportanceSamplerInput(
        coefficients=list(coefficients), mean=mean, width=width, shift=shift, samples=samples, seed=seed
    )
    return importance_sampler(given)


def test_invariant_exact_moments():
    out = _run(samples=200_000)
    exact = 0.5 - 0.3 + 2.0 * (0.3**2 + 1.4**2)
    assert abs(out.estimate - exact) < 4 * out.standard_error
    assert out.standard_error < 0.02 * exact


def test_invariant_weights_of_the_densities():
    out = _run(samples=50)
    x = norm.rvs(loc=0.9, scale=1.4, size=50, random_state=np.random.default_rng(11))
    weights = norm.pdf(x, 0.3, 1.4) / norm.pdf(x, 0.9, 1.4)
    terms = weights * (0.5 - x + 2 * x**2)
    spread = np.sqrt(np.sum((terms - terms.mean()) ** 2) / 49)
    assert out.estimate == pytest.approx(terms.sum() / 50, rel=1e-12)
    assert out.standard_error == pytest.approx(spread / np.sqrt(50), rel=1e-12)
    assert out.effective_samples == pytest.approx(weights.sum() ** 2 / (weights**2).sum(), rel=1e-12)


def test_invariant_no_shift_is_plain_sampling():
    out = _run(coefficients=[2.5], shift=0.0, samples=30)
    assert out.estimate == pytest.approx(2.5, rel=1e-14)
    assert out.standard_error == pytest.approx(0.0, abs=1e-14)
    assert out.effective_samples == pytest.approx(30.0, rel=1e-13)


def test_invariant_effective_samples_of_a_shift():
    out = _run(shift=0.7, samples=200_000)
    assert out.effective_samples / 200_000 == pytest.approx(np.exp(-((0.7 / 1.4) ** 2)), rel=0.02)


def test_shift_towards_the_tail_lowers_the_error():
    assert _run(coefficients=[0, 0, 0, 1.0], mean=2.0, shift=1.0).standard_error < _run(
        coefficients=[0, 0, 0, 1.0], mean=2.0, shift=0.0
    ).standard_error


def test_error_shift_too_far():
    with pytest.raises(RuntimeError, match="vanish"):
        _run(shift=100.0, samples=10)


def test_error_width():
    with pytest.raises(ValidationError, match="width"):
        _run(width=0.0)
