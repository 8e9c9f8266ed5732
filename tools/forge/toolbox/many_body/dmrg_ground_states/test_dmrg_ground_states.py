"""Small chains and rings against exact energies, sectors that cross, conserved charges, layouts."""

import math

import numpy as np
import pytest
from pydantic import ValidationError

from tools.dmrg_ground_states import DmrgGroundStatesInput, dmrg_ground_states

PAULI = {"X": np.array([[0, 1], [1, 0]]), "Y": np.array([[0, -1j], [1j, 0]]), "Z": np.diag([1, -1])}


def _string(letters, *sites, weight=1.0):
    return {"letters": letters, "sites": list(sites), "weight": weight}


def _cluster(n):
    bonds = [_string("ZXZ", (k - 1) % n, k, (k + 1) % n, weight=-1.0) for k in range(n)]
    return [bonds, [_string("X", k, weight=-1.0) for k in range(n)]]


def _given(n, groups, couplings, **more):
    fields = {"n_sites": n, "groups": groups, "couplings": couplings, "chi_max": 40, "layout": "natural",
              "conserve": "none", "starts": [["+x"] * n], "max_sweeps": 30, "energy_tolerance": 1e-8}  # fmt: skip
    return DmrgGroundStatesInput(**(fields | more))


def _matrix(n, strings):
    total = np.zeros((2**n, 2**n), dtype=complex)
    for one in strings:
        letters = dict(zip(one["sites"], one["letters"]))
        product = np.eye(1)
        for site in range(n):
            product = np.kron(product, PAULI[letters[site]] if site in letters else np.eye(2))
        total += one["weight"] * product
    return total


def _exact(n, groups, row):
    return np.linalg.eigvalsh(sum(c * _matrix(n, group) for c, group in zip(row, groups)))[0]


def test_invariant_sweep_across_crossing_sectors():
    """On a ring of odd length cluster phase and paramagnet differ in the parity of X; a folded layout changes nothing."""
    n, groups = 5, _cluster(5)
    rows = [[math.cos(a), math.sin(a)] for a in (1.3, 0.0)]
    order = _string("ZXXZ", 0, 1, 3, 4)
    starts = [["+x"] * n, ["-x"] + ["+x"] * (n - 1)]
    made = dmrg_ground_states(
        _given(n, groups, rows, layout="folded", conserve="parity_x", starts=starts, observables=[order])
    )
    assert made.energies == pytest.approx([_exact(n, groups, row) for row in rows], abs=1e-6)
    assert made.expectations[-1] == pytest.approx([1], abs=1e-6)
    assert max(made.variances) < 1e-5
    assert all(made.converged)
    assert [made.cuts[0], made.cuts[2]] == [[0], [0, 4, 1]]
    assert made.sectors == [0, 1]
    assert [min(row) for row in made.sector_energies] == made.energies
    assert max(made.bond_dimensions) <= 4


def test_invariant_without_a_charge():
    n, groups = 4, _cluster(4)
    made = dmrg_ground_states(_given(n, groups, [[0.3, 0.9]], observables=[_string("X", 2)]))
    assert made.energies == pytest.approx([_exact(n, groups, [0.3, 0.9])], abs=1e-7)
    assert made.cuts == [[0], [0, 1], [0, 1, 2]]
    assert 0.9 < made.expectations[0][0] < 1


def test_invariant_heisenberg_with_conserved_spin():
    n = 4
    bonds = [_string(a + a, k, k + 1, weight=0.25) for k in range(n - 1) for a in "XYZ"]
    field = [_string("Z", k, weight=0.5) for k in range(n)]
    watched = [
        _string("XX", 0, 1, weight=0.25),
        _string("ZZ", 0, 1, weight=0.25),
        _string("Z", 2),
        _string("YY", 0, 1),
        _string("X", 3),
    ]
    made = dmrg_ground_states(
        _given(
            n, [bonds, field], [[1.0, 0.1]], conserve="sz", starts=[["up", "down"] * 2], observables=watched
        )  # fmt: skip
    )
    exact = _exact(n, [bonds, field], [1.0, 0.1])
    assert made.energies == pytest.approx([exact], abs=1e-8)
    xx, zz, z, yy, x = made.expectations[0]
    assert xx == pytest.approx(zz, abs=1e-6)
    assert yy == pytest.approx(4 * xx, abs=1e-6)
    assert [z, x] == pytest.approx([0, 0], abs=1e-6)
    assert made.entropies[0] == pytest.approx(made.entropies[0][::-1], abs=1e-5)
    assert made.truncation_errors[0] < 1e-9


def test_invariant_a_complex_hamiltonian():
    """A single Y on each site: the ground state points against it, and needs complex numbers."""
    groups = [[_string("Y", k, weight=1.0) for k in range(3)] + [_string("XY", 0, 2, weight=0.3)]]
    for sign in (1.0, -1.0):
        made = dmrg_ground_states(_given(3, groups, [[sign]], observables=[_string("Y", 1), _string("YY", 0, 1)]))
        assert made.energies == pytest.approx([_exact(3, groups, [sign])], abs=1e-8)
        assert made.expectations[0][0] == pytest.approx(-sign, abs=1e-6)


def test_invariant_without_truncation_sweeps_go_on_to_the_tolerance():
    n = 6
    groups = [[_string(a + a, k, k + 1) for k in range(n - 1) for a in "XYZ"]]
    starts = [["up", "down"] * 3]
    made = dmrg_ground_states(_given(n, groups, [[1.0]], conserve="sz", starts=starts, energy_tolerance=1e-12))
    assert made.energies == pytest.approx([_exact(n, groups, [1.0])], abs=1e-11)
    assert made.variances[0] < 1e-10


def test_invariant_parity_of_z_and_its_sign():
    n = 4
    groups = [[_string("XX", k, k + 1, weight=-1.0) for k in range(n - 1)] + [_string("YX", 0, 3, weight=0.4)],
              [_string("Z", k, weight=-1.0) for k in range(n)]]  # fmt: skip
    row = [0.8, 0.7]
    starts = [["up"] * n, ["down"] + ["up"] * (n - 1)]
    watched = [_string("X", 1), _string("XX", 1, 2), _string("YX", 0, 3), _string("Z", 2, weight=2.0)]
    made = dmrg_ground_states(_given(n, groups, [row], conserve="parity_z", starts=starts, observables=watched))
    assert made.energies == pytest.approx([_exact(n, groups, row)], abs=1e-8)
    assert made.expectations[0][0] == 0
    total = sum(c * _matrix(n, group) for c, group in zip(row, groups))
    psi = np.linalg.eigh(total)[1][:, 0]
    for one, value in zip(watched[1:], made.expectations[0][1:], strict=True):
        assert value == pytest.approx((psi.conj() @ _matrix(n, [one]) @ psi).real, abs=1e-6)


def test_invariant_y_turns_its_sign_with_x_parity():
    groups = [
        [_string("ZY", 0, 1, weight=1.0), _string("ZZ", 1, 2, weight=-0.6)],
        [_string("X", k, weight=-0.5) for k in range(3)],
    ]
    starts = [["+x"] * 3, ["-x", "+x", "+x"]]
    watched = [_string("ZY", 0, 1), _string("X", 2), _string("Z", 0)]
    made = dmrg_ground_states(_given(3, groups, [[1.0, 1.0]], conserve="parity_x", starts=starts, observables=watched))
    assert made.energies == pytest.approx([_exact(3, groups, [1.0, 1.0])], abs=1e-8)
    psi = np.linalg.eigh(_matrix(3, groups[0] + groups[1]))[1][:, 0]
    for one, value in zip(watched[:2], made.expectations[0]):
        assert value == pytest.approx((psi.conj() @ _matrix(3, [one]) @ psi).real, abs=1e-6)
    assert made.expectations[0][2] == 0


@pytest.mark.parametrize(
    ("letter", "start", "value"), [("Z", "up", 1), ("Z", "down", -1), ("X", "+x", 1), ("X", "-x", -1)]
)
def test_a_ferromagnet_stays_as_it_starts(letter, start, value):
    bonds = [[_string(letter * 2, k, k + 1, weight=-1.0) for k in range(2)]]
    made = dmrg_ground_states(_given(3, bonds, [[1.0]], starts=[[start] * 3], observables=[_string(letter, 1)]))
    assert made.energies == pytest.approx([-2])
    assert made.expectations == [pytest.approx([value], abs=1e-6)]


def _middle_entropy(n, groups):
    """Of the ground state at equal couplings, by diagonalisation."""
    psi = np.linalg.eigh(sum(_matrix(n, group) for group in groups))[1][:, 0]
    weights = np.linalg.svd(psi.reshape(2 ** (n // 2), -1), compute_uv=False) ** 2
    return -sum(w * math.log(w) for w in weights if w > 1e-15)


def test_bond_dimension_limits_the_state():
    n = 4
    groups = [
        [_string("ZZ", k, k + 1, weight=-1.0) for k in range(n - 1)],
        [_string("X", k, weight=-1.0) for k in range(n)],
    ]
    made = dmrg_ground_states(_given(n, groups, [[1.0, 1.0]], chi_max=2, max_sweeps=6))
    assert made.bond_dimensions == [2]
    assert made.energies[0] > _exact(n, groups, [1.0, 1.0]) + 1e-7
    assert made.truncation_errors[0] > 1e-9
    assert made.variances[0] > 1e-5
    assert made.sweeps == [6]
    assert made.converged == [False]
    bare = dmrg_ground_states(_given(n, groups, [[1.0, 1.0], [0.5, 1.0]], max_sweeps=6, with_variance=False))
    assert bare.variances == []
    assert len(bare.truncation_errors) == 2
    assert bare.entropies[0][1] == pytest.approx(_middle_entropy(n, groups), abs=1e-4)


def test_sweeps_end_where_truncation_limits_the_energy():
    """A critical chain in few Schmidt values: the energy moves for ever, by less than what is cut away."""
    n = 8
    groups = [
        [_string("ZZ", k, k + 1, weight=-1.0) for k in range(n - 1)],
        [_string("X", k, weight=-1.0) for k in range(n)],
    ]
    made = dmrg_ground_states(_given(n, groups, [[1.0, 1.0]], chi_max=3, energy_tolerance=1e-16, max_sweeps=20))
    assert made.converged == [True]
    assert 6 <= made.sweeps[0] < 20
    assert made.bond_dimensions == [3]
    assert made.truncation_errors[0] > 1e-5
    assert 0 < made.energies[0] - _exact(n, groups, [1.0, 1.0]) < made.variances[0]


def test_error_charge_is_not_conserved():
    field = [[_string("X", k) for k in range(4)]]
    with pytest.raises(RuntimeError, match="not conserved"):
        dmrg_ground_states(_given(4, field, [[1.0]], conserve="sz", starts=[["up"] * 4]))
    with pytest.raises(RuntimeError, match="changes parity_z"):
        dmrg_ground_states(_given(4, field, [[1.0]], conserve="parity_z", starts=[["up"] * 4]))
    with pytest.raises(ValueError, match="no Hamiltonian"):
        dmrg_ground_states(_given(4, field, [[0.0]]))


def test_error_inputs():
    for more, words in (
        ({"couplings": [[1.0, 2.0]]}, "needs 1 numbers"),
        ({"starts": [["+x"]]}, "needs 3 entries"),
        ({"groups": [[_string("X", 3)]]}, r"lie in 0\.\.2"),
        ({"observables": [_string("X", -1)]}, r"lie in 0\.\.2"),
        ({"groups": [[_string("XX", 1, 1)]]}, "2 different sites"),
        ({"groups": [[_string("XX", 1)]]}, "2 different sites"),
        ({"conserve": "sz"}, "may hold"),
        ({"conserve": "parity_x", "starts": [["up"] * 3]}, "may hold"),
    ):
        with pytest.raises(ValidationError, match=words):
            _given(3, **({"groups": [[_string("X", 0)]], "couplings": [[1.0]]} | more))
