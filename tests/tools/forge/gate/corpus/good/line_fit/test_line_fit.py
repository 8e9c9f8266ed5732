import pytest

from tools.line_fit import LineFitInput, line_fit


def _made(x, y):
    return line_fit(LineFitInput(x=x, y=y))


def test_invariant_exact_line():
    made = _made([0.0, 1.0, 4.0], [1.0, 3.0, 9.0])
    assert (made.slope, made.intercept) == pytest.approx((2.0, 1.0))
    assert made.slope_error == pytest.approx(0.0, abs=1e-12)


def test_error_bar_of_a_tent():
    # y = 0, 1, 0 at -1, 0, 1: residuals -1/3, 2/3, -1/3, spread 2, one degree of freedom
    made = _made([-1.0, 0.0, 1.0], [0.0, 1.0, 0.0])
    assert made.slope == pytest.approx(0.0, abs=1e-14)
    assert made.intercept == pytest.approx(1 / 3)
    assert made.slope_error == pytest.approx((2 / 3 / 2) ** 0.5)


def test_error_no_line():
    with pytest.raises(ValueError, match="equal"):
        _made([1.0, 1.0, 1.0], [0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="3 abscissae"):
        _made([1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0])
