"""Rotations, order, records: what is known exactly."""

import math

import numpy as np
import pytest
from pydantic import ValidationError
from tools.chain_rotations_cudaq import ChainRotationsCudaqInput, chain_rotations_cudaq


def _basis(n, bits):
    return [[float(k == int(bits, 2)), 0.0] for k in range(2**n)]


def _random(n, seed=5):
    rng = np.random.default_rng(seed)
    psi = rng.normal(size=2**n) + 1j * rng.normal(size=2**n)
    psi = psi / np.linalg.norm(psi)
    return np.stack([psi.real, psi.imag], axis=-1).tolist()


def _rotation(letters, sites, angle):
    return {"letters": letters, "sites": sites, "angle": angle}


def _observable(letters, *sites, coefficient=1.0):
    name = letters + "".join(map(str, sites))
    return {"label": name, "terms": [{"coefficient": coefficient, "letters": letters, "sites": list(sites)}]}


def _made(n, step, start, n_steps=1, observables=(), **more):
    fields = {"n_qubits": n, "initial_state": start, "step": step, "n_steps": n_steps, "observables": list(observables)}
    return chain_rotations_cudaq(ChainRotationsCudaqInput(**fields, **more))


PAULI = {"I": np.eye(2), "X": np.array([[0, 1], [1, 0]]), "Y": np.array([[0, -1j], [1j, 0]]), "Z": np.diag([1, -1])}


def _matrix(n, letters, sites):
    made = np.eye(1)
    for site in range(n):
        made = np.kron(made, PAULI[letters[sites.index(site)] if site in sites else "I"])
    return made


@pytest.mark.parametrize(
    ("letters", "sites"),
    [
        ("X", [1]),
        ("Y", [0]),
        ("Z", [2]),
        ("ZZ", [0, 1]),
        ("XX", [1, 2]),
        ("YY", [2, 0]),
        ("XY", [0, 2]),
        ("ZXZ", [0, 1, 2]),
    ],
)
def test_invariant_each_rotation_is_the_exponential_of_its_string(letters, sites):
    start = _random(3)
    made = _made(3, [_rotation(letters, sites, 0.37)], start)
    exact = math.cos(0.37) * np.eye(8) - 1j * math.sin(0.37) * _matrix(3, letters, sites)
    expected = exact @ (np.array(start) @ [1, 1j])
    overlap = np.vdot(expected, np.array(made.final_state) @ [1, 1j])
    assert overlap == pytest.approx(1.0, abs=1e-9)


def test_invariant_precession_of_one_spin():
    observables = [_observable("Z", 0), _observable("Y", 0), _observable("X", 0)]
    made = _made(1, [_rotation("X", [0], 0.1)], _basis(1, "0"), 30, observables)
    assert made.steps == list(range(31))
    assert made.expectations["Z0"] == pytest.approx([math.cos(0.2 * k) for k in range(31)], abs=1e-9)
    assert made.expectations["Y0"] == pytest.approx([-math.sin(0.2 * k) for k in range(31)], abs=1e-9)
    assert made.expectations["X0"] == pytest.approx([0] * 31, abs=1e-9)
    assert made.return_probability == pytest.approx([math.cos(0.1 * k) ** 2 for k in range(31)], abs=1e-9)


def test_the_order_of_the_step_matters():
    x, z = _rotation("X", [0], math.pi / 4), _rotation("Z", [0], math.pi / 4)
    first = _made(1, [x, z], _basis(1, "0"), 1, [_observable("X", 0), _observable("Y", 0)])
    assert first.expectations["X0"][-1] == pytest.approx(1, abs=1e-9)
    second = _made(1, [z, x], _basis(1, "0"), 1, [_observable("X", 0), _observable("Y", 0)])
    assert second.expectations["Y0"][-1] == pytest.approx(-1, abs=1e-9)


def test_invariant_entangling_rotations_make_entropy():
    """exp(-i pi/4 ZZ) on |++> is maximally entangled; on the way the weights are cos^2 and sin^2."""
    plus = [[0.5, 0.0]] * 4
    made = _made(2, [_rotation("ZZ", [0, 1], math.pi / 8)], plus, 2, [_observable("X", 0)], cuts=[1])
    weights = math.cos(math.pi / 8) ** 2, math.sin(math.pi / 8) ** 2
    halfway = -sum(w * math.log(w) for w in weights)
    assert [row[0] for row in made.entropies] == pytest.approx([0, halfway, math.log(2)], abs=1e-9)
    assert made.expectations["X0"] == pytest.approx([1, math.cos(math.pi / 4), 0], abs=1e-9)


def test_cuts_count_qubits_from_the_left():
    bell = [[math.sqrt(0.5) * (k in (0, 6)), 0.0] for k in range(8)]
    made = _made(3, [_rotation("Z", [0], 0.3)], bell, cuts=[1, 2])
    assert made.entropies[0] == pytest.approx([math.log(2), 0], abs=1e-9)


def test_invariant_norm_and_conserved_quantities():
    step = [
        _rotation("XX", [0, 1], 0.3),
        _rotation("YY", [0, 1], 0.3),
        _rotation("XX", [1, 2], 0.2),
        _rotation("YY", [1, 2], 0.2),
    ]
    total = {"label": "total", "terms": [{"coefficient": 0.5, "letters": "Z", "sites": [site]} for site in range(3)]}
    made = _made(3, step, _random(3), 12, [total])
    assert np.ptp(made.expectations["total"]) < 1e-9
    assert made.norm_error < 1e-9


def test_observables_have_coefficients_and_sites():
    state = _basis(3, "011")
    observables = [
        _observable("Z", 0),
        _observable("Z", 2),
        _observable("ZZ", 0, 1, coefficient=2.5),
        _observable("ZZ", 2, 1),
    ]
    made = _made(3, [_rotation("Z", [1], 0.4)], state, 1, observables)
    assert [made.expectations[name][0] for name in ("Z0", "Z2", "ZZ01", "ZZ21")] == [1, -1, -2.5, 1]


def test_records_come_every_so_many_steps():
    made = _made(1, [_rotation("X", [0], 0.1)], _basis(1, "0"), 7, [_observable("Z", 0)], record_every=3)
    assert made.steps == [0, 3, 6]
    assert made.expectations["Z0"] == pytest.approx([math.cos(0.2 * k) for k in (0, 3, 6)], abs=1e-9)
    final = np.array(made.final_state) @ [1, 1j]
    assert abs(final[0]) == pytest.approx(math.cos(0.7), abs=1e-9)
    assert len(made.entropies) == len(made.return_probability) == 3


def test_error_initial_state():
    for start in ([[1, 0]], [[1, 0, 0], [0, 0, 0]]):
        with pytest.raises(ValidationError, match="2 amplitudes"):
            _made(1, [_rotation("X", [0], 0.1)], start)
    with pytest.raises(ValidationError, match="not normalised"):
        _made(1, [_rotation("X", [0], 0.1)], [[1, 0], [1, 0]])


def test_error_strings():
    start = _basis(2, "00")
    for letters, sites in (("XX", [0]), ("XX", [1, 1])):
        with pytest.raises(ValidationError, match="as many different sites"):
            _made(2, [_rotation(letters, sites, 0.1)], start)
    for site in (2, -1):
        with pytest.raises(ValidationError, match="leaves the chain"):
            _made(2, [_rotation("X", [0], 0.1)], start, observables=[_observable("Z", site)])
    with pytest.raises(ValidationError, match="letters"):
        _made(2, [_rotation("A", [0], 0.1)], start)


def test_error_cuts_and_labels():
    start = _basis(2, "00")
    for cut in (0, 2):
        with pytest.raises(ValidationError, match="between 1 and 1"):
            _made(2, [_rotation("X", [0], 0.1)], start, cuts=[cut])
    with pytest.raises(ValidationError, match="one label"):
        _made(2, [_rotation("X", [0], 0.1)], start, observables=[_observable("Z", 0)] * 2)
