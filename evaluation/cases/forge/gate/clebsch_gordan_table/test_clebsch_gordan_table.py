import math

import numpy as np
import pytest
from pydantic import ValidationError

from tools.clebsch_gordan_table import ClebschGordanTableInput, clebsch_gordan_table


def _rows(two_j1, two_j2):
    return clebsch_gordan_table(ClebschGordanTableInput(two_j1=two_j1, two_j2=two_j2)).rows


def _table(two_j1, two_j2):
    return {tuple(row[:4]): row[4] for row in _rows(two_j1, two_j2)}


def test_two_spins_half():
    h = math.sqrt(0.5)
    expected = [[1, 1, 2, 2, 1], [1, -1, 2, 0, h], [1, -1, 0, 0, h], [-1, 1, 2, 0, h], [-1, 1, 0, 0, -h], [-1, -1, 2, -2, 1]]
    rows = _rows(1, 1)
    assert [row[:4] for row in rows] == [row[:4] for row in expected]
    assert [row[4] for row in rows] == pytest.approx([row[4] for row in expected], rel=1e-14)


def test_one_and_half():
    # Table of the Particle Data Group, 1 x 1/2
    table = _table(2, 1)
    assert table[2, 1, 3, 3] == pytest.approx(1.0, rel=1e-14)
    assert table[2, -1, 3, 1] == pytest.approx(math.sqrt(1 / 3), rel=1e-14)
    assert table[2, -1, 1, 1] == pytest.approx(math.sqrt(2 / 3), rel=1e-14)
    assert table[0, 1, 3, 1] == pytest.approx(math.sqrt(2 / 3), rel=1e-14)
    assert table[0, 1, 1, 1] == pytest.approx(-math.sqrt(1 / 3), rel=1e-14)
    assert table[-2, 1, 1, -1] == pytest.approx(-math.sqrt(2 / 3), rel=1e-14)
    assert len(table) == 10


def test_accidental_zero_is_listed():
    table = _table(2, 2)
    assert table[0, 0, 2, 0] == 0.0
    assert table[0, 0, 4, 0] == pytest.approx(math.sqrt(2 / 3), rel=1e-14)
    assert table[0, 0, 0, 0] == pytest.approx(-math.sqrt(1 / 3), rel=1e-14)
    assert len(table) == 19


@pytest.mark.parametrize(("a", "b"), [(3, 2), (1, 4), (2, 2)])
def test_invariant_orthogonal_matrix(a, b):
    table = _table(a, b)
    product = [(m1, m2) for m1 in range(-a, a + 1, 2) for m2 in range(-b, b + 1, 2)]
    coupled = [(j, m) for j in range(abs(a - b), a + b + 1, 2) for m in range(-j, j + 1, 2)]
    matrix = np.array([[table[(*p, *c)] if sum(p) == c[1] else 0.0 for c in coupled] for p in product])
    assert matrix.shape == ((a + 1) * (b + 1),) * 2
    assert matrix.T @ matrix == pytest.approx(np.eye(len(product)), abs=1e-13)


def test_invariant_exchange_of_the_spins():
    one, two = _table(3, 2), _table(2, 3)
    assert len(one) == len(two)
    for (m1, m2, j, m), value in one.items():
        assert two[m2, m1, j, m] == pytest.approx((-1) ** ((3 + 2 - j) // 2) * value, abs=1e-14)


def test_invariant_spin_zero():
    assert _rows(0, 2) == [[0, 2, 2, 2, 1.0], [0, 0, 2, 0, 1.0], [0, -2, 2, -2, 1.0]]


def test_error_negative_spin():
    with pytest.raises(ValidationError, match="two_j2"):
        _rows(1, -1)


def test_error_spin_too_large():
    with pytest.raises(ValidationError, match="two_j1"):
        _rows(41, 1)
