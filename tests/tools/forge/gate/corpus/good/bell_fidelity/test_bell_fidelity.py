import pytest

from tools.bell_fidelity import BellFidelityInput, bell_fidelity


def _made(first, second):
    return bell_fidelity(BellFidelityInput(loss=[first, second]))


@pytest.mark.parametrize(("p", "q"), [(0.0, 0.0), (0.1, 0.6), (1.0, 0.3)])
def test_invariant_trace_and_elements(p, q):
    made = _made(p, q)
    assert [made.rho[i][i][0] for i in (1, 2, 3)] == pytest.approx(
        [p * (1 - q) / 2, (1 - p) * q / 2, (1 - p) * (1 - q) / 2]
    )
    assert sum(made.rho[i][i][0] for i in range(4)) == pytest.approx(1.0)
    assert made.rho[0][3] == pytest.approx([((1 - p) * (1 - q)) ** 0.5 / 2, 0.0])
    assert made.fidelity == pytest.approx((1 + p * q + (1 - p) * (1 - q) + 2 * ((1 - p) * (1 - q)) ** 0.5) / 4)


def test_error_probability():
    with pytest.raises(ValueError, match="lie in"):
        _made(1.2, 0.0)
    with pytest.raises(ValueError, match="lie in"):
        _made(0.2, -0.1)
