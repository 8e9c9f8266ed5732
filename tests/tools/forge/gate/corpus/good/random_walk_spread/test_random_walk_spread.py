import pytest
from pydantic import ValidationError

from tools.random_walk_spread import RandomWalkSpreadInput, random_walk_spread


def _made(walkers, steps, length, seed=1):
    return random_walk_spread(RandomWalkSpreadInput(walkers=walkers, steps=steps, length=length, seed=seed))


def test_invariant_diffusion():
    made = _made(4000, 50, 0.5)
    assert abs(made.mean_square - 12.5) < 4 * made.standard_error
    # the kurtosis of a walk gives the variance 2 (1 - 1/n) (n l^2)^2
    assert made.standard_error == pytest.approx(12.5 * (2 * 0.98 / 4000) ** 0.5, rel=0.1)


def test_single_step():
    made = _made(10, 1, 3.0)
    assert made.mean_square == pytest.approx(9.0)
    assert made.standard_error == pytest.approx(0.0)
    assert _made(1, 1, 2.0).standard_error == pytest.approx(4.0)


def test_error_no_walkers():
    with pytest.raises(ValidationError, match="walkers"):
        _made(0, 1, 1.0)
