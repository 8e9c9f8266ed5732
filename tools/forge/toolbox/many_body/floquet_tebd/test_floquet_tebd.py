"""Free precession, a driven chain against matrix exponentials, Trotter orders, truncation."""

import math

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.linalg import expm

from tools.floquet_tebd import FloquetTebdInput, floquet_tebd

PAULI = {"X": np.array([[0, 1], [1, 0]]), "Y": np.array([[0, -1j], [1j, 0]]), "Z": np.diag([1, -1])}
DRIVEN = [
    {"duration": 0.4, "terms": [{"letters": "XX", "site": k, "weight": 0.5} for k in range(3)]
     + [{"letters": "YZ", "site": 1, "weight": 0.3}] + [{"letters": "Z", "site": k, "weight": 0.4 * k - 0.5} for k in range(4)]},
    {"duration": 0.7, "terms": [{"letters": "Y", "site": k, "weight": 0.9} for k in range(4)]
     + [{"letters": "ZZ", "site": k, "weight": -0.2 - 0.1 * k} for k in range(3)]},
]  # fmt: skip
TILTED = [[1, 0, 0], [0, 1, 0], [0, 0, -1], [0.6, 0, 0.8]]


def _given(**more):
    fields = {"n_sites": 4, "segments": DRIVEN, "periods": 2, "start": TILTED, "dt": 0.1, "order": 4, "chi_max": 16,
              "svd_min": 1e-12, "observables": ["X", "Z"], "cuts": [1]}  # fmt: skip
    return FloquetTebdInput(**(fields | more))


def _matrix(terms, n=4):
    total = np.zeros((2**n, 2**n), dtype=complex)
    for one in terms:
        product = np.eye(1)
        for site in range(n):
            at = site - one["site"]
            product = np.kron(product, PAULI[one["letters"][at]] if 0 <= at < len(one["letters"]) else np.eye(2))
        total += one["weight"] * product
    return total


def _exact(periods):
    """Expectations of X and Z on all sites and the entropy of the middle cut after each period."""
    psi = np.eye(1)
    for x, y, z in TILTED:
        rho = (np.eye(2) + x * PAULI["X"] + y * PAULI["Y"] + z * PAULI["Z"]) / 2
        psi = np.kron(psi, np.linalg.eigh(rho)[1][:, 1])
    psi = psi.ravel()
    step = expm(-0.7j * _matrix(DRIVEN[1]["terms"])) @ expm(-0.4j * _matrix(DRIVEN[0]["terms"]))
    rows, entropies = [], []
    for _ in range(periods + 1):
        ops = [[_matrix([{"letters": a, "site": k, "weight": 1.0}]) for k in range(4)] for a in "XZ"]
        rows.append([[(psi.conj() @ op @ psi).real for op in line] for line in ops])
        weights = np.linalg.svd(psi.reshape(4, 4), compute_uv=False) ** 2
        entropies.append(-sum(w * math.log(w) for w in weights if w > 1e-15))
        psi = step @ psi
    return np.array(rows).transpose(1, 0, 2), entropies


def test_invariant_full_bond_dimension_is_exact():
    made = floquet_tebd(_given())
    rows, entropies = _exact(2)
    assert np.allclose(made.expectations, rows, atol=5e-4)
    assert [row[0] for row in made.entropies] == pytest.approx(entropies, abs=5e-4)
    assert made.times == pytest.approx([0, 1.1, 2.2])
    assert made.steps == [4, 7]
    assert made.norms == pytest.approx([1] * 3, abs=1e-8)
    assert made.truncation_errors[-1] < 1e-10
    assert made.bond_dimensions == [1, 4, 4]


def test_invariant_order_of_the_formula():
    rows, _ = _exact(2)
    miss = {
        (order, dt): np.abs(np.array(floquet_tebd(_given(order=order, dt=dt)).expectations) - rows).max()
        for order, dt in ((2, 0.2), (2, 0.1), (4, 0.2))
    }
    assert 3 < miss[2, 0.2] / miss[2, 0.1] < 5
    assert miss[4, 0.2] < 0.1 * miss[2, 0.2]


def test_invariant_free_spins_precess():
    field = [{"duration": 0.5, "terms": [{"letters": "Z", "site": k, "weight": 0.5 * (k + 1)} for k in range(3)]}]
    made = floquet_tebd(
        _given(
            n_sites=3,
            segments=field,
            start=[[1, 0, 0]] * 3,
            dt=0.25,
            order=2,
            observables=["X", "Y"],
            periods=4,
            cuts=[],
        )
    )
    for row, time in zip(made.expectations[0], made.times):
        assert row == pytest.approx([math.cos((k + 1) * time) for k in range(3)], abs=1e-8)
    assert made.expectations[1][2] == pytest.approx([math.sin(k + 1) for k in range(3)], abs=1e-8)
    assert made.entropies[-1] == []


def test_truncation_is_told():
    made = floquet_tebd(_given(chi_max=2, order=2))
    assert max(made.bond_dimensions) == 2
    assert made.truncation_errors[-1] > 1e-5
    assert sorted(made.truncation_errors) == made.truncation_errors


def test_error_inputs():
    beyond = [{"duration": 1.0, "terms": [{"letters": "XX", "site": 3, "weight": 1.0}]}]
    for more, words in (
        ({"segments": beyond}, "beyond the last site 3"),
        ({"start": TILTED[:3]}, "4 Bloch vectors"),
        ({"start": [[1, 0]] * 4}, "4 Bloch vectors"),
        ({"start": [[0.5, 0, 0]] * 4}, "length 1"),
        ({"cuts": [3]}, r"0\.\.2"),
        ({"cuts": [-1]}, r"0\.\.2"),
    ):
        with pytest.raises(ValidationError, match=words):
            _given(**more)
