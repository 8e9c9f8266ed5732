import numpy as np
import pytest
from pydantic import ValidationError

from tools.hopping_current import HoppingCurrentInput, hopping_current


def _run(forward, backward):
    return hopping_current(HoppingCurrentInput(forward_rates=forward, backward_rates=backward))


def test_invariant_uniform_ring():
    out = _run([3.0] * 5, [1.2] * 5)
    assert out.occupations == pytest.approx([0.2] * 5, rel=1e-12)
    assert out.current == pytest.approx(1.8 / 5, rel=1e-12)


def test_invariant_same_current_on_each_bond():
    forward, backward = [1.0, 2.5, 0.7, 3.1], [0.4, 1.9, 0.2, 2.2]
    out = _run(forward, backward)
    p = np.array(out.occupations)
    bonds = np.array(forward) * p - np.array(backward) * np.roll(p, -1)
    assert p.sum() == pytest.approx(1.0, rel=1e-13)
    assert bonds.tolist() == pytest.approx([out.current] * 4, rel=1e-10)
    assert out.current > 0


def test_invariant_one_way_ring():
    # Each bond carries k_i p_i = J: p_i = J / k_i
    out = _run([1.0, 2.0, 4.0], [0.0, 0.0, 0.0])
    assert out.current == pytest.approx(1 / 1.75, rel=1e-12)
    assert out.occupations == pytest.approx([4 / 7, 2 / 7, 1 / 7], rel=1e-12)
    out = _run([0.0, 0.0, 0.0], [1.0, 2.0, 4.0])
    assert out.current == pytest.approx(-1 / 1.75, rel=1e-12)
    assert out.occupations == pytest.approx([1 / 7, 4 / 7, 2 / 7], rel=1e-12)


def test_invariant_detailed_balance_has_no_current():
    weight = np.exp(-np.array([0.3, 1.1, -0.4, 0.9]))
    forward = [2.0, 0.5, 1.5, 0.8]
    backward = (np.array(forward) * weight / np.roll(weight, -1)).tolist()
    out = _run(forward, backward)
    assert out.occupations == pytest.approx((weight / weight.sum()).tolist(), rel=1e-12)
    assert out.current == pytest.approx(0.0, abs=1e-13)


def test_three_sites_by_spanning_trees():
    f, b = [1.0, 2.0, 3.0], [0.5, 0.7, 1.1]
    # Trees into 0: 1>2>0, 2>1>0, 1>0 and 2>0; and so on round the ring
    trees = [
        f[1] * f[2] + b[1] * b[0] + b[0] * f[2],
        f[2] * f[0] + b[2] * b[1] + b[1] * f[0],
        f[0] * f[1] + b[0] * b[2] + b[2] * f[1],
    ]
    out = _run(f, b)
    assert out.occupations == pytest.approx([t / sum(trees) for t in trees], rel=1e-12)
    assert out.current == pytest.approx((6.0 - 0.5 * 0.7 * 1.1) / sum(trees), rel=1e-12)


def test_invariant_sink_holds_all():
    out = _run([1.0, 2.0, 0.0, 3.0], [0.5, 0.0, 0.0, 0.0])
    assert out.occupations == pytest.approx([0.0, 0.0, 1.0, 0.0], abs=1e-14)
    assert out.current == 0.0


def test_invariant_two_sites_left_over():
    # Site 2 flows into 0 and 1, which exchange with rates 1 and 3
    out = _run([1.0, 0.0, 5.0], [3.0, 2.0, 0.0])
    assert out.occupations == pytest.approx([0.75, 0.25, 0.0], abs=1e-13)
    assert out.current == pytest.approx(0.0, abs=1e-13)


def test_error_not_unique():
    with pytest.raises(ValueError, match="not unique"):
        _run([1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0])


def test_error_negative_rate():
    with pytest.raises(ValueError, match="negative"):
        _run([1.0, 1.0, 1.0], [1.0, -0.1, 1.0])
    with pytest.raises(ValueError, match="negative"):
        _run([1.0, -0.1, 1.0], [1.0, 1.0, 1.0])


def test_error_lengths():
    with pytest.raises(ValueError, match="same length"):
        _run([1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0])


def test_error_too_few_sites():
    with pytest.raises(ValidationError, match="at least 3"):
        _run([1.0, 1.0], [1.0, 1.0])
