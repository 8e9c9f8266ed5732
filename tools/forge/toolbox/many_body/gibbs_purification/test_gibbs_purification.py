"""Free fermions, free spins, and small chains that are diagonalised."""

import math

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.linalg import expm

from tools.gibbs_purification import GibbsPurificationInput, gibbs_purification

SPIN = {"x": np.array([[0, 1], [1, 0]]) / 2, "y": np.array([[0, -1j], [1j, 0]]) / 2, "z": np.diag([1, -1]) / 2}


def _given(**more):
    fields = {
        "model": "hubbard",
        "n_sites": 3,
        "betas": [0.0, 0.5, 1.0],
        "step": 0.1,
        "chi_max": 100,
        "svd_min": 1e-10,
    }
    return GibbsPurificationInput(**(fields | more))


def _on(n, **ops):
    product = np.eye(1)
    for site in range(n):
        product = np.kron(product, ops.get(f"s{site}", np.eye(2)))
    return product


def _spins(n, exchange, fields):
    """Hamiltonian of the spin chain as a matrix."""
    total = np.zeros((2**n, 2**n), dtype=complex)
    for k in range(n - 1):
        total += sum(j * _on(n, **{f"s{k}": SPIN[a], f"s{k + 1}": SPIN[a]}) for j, a in zip(exchange, "xyz"))
    for k in range(n):
        total += fields[0] * _on(n, **{f"s{k}": SPIN["x"]}) + fields[1] * _on(n, **{f"s{k}": SPIN["z"]})
    return total


def test_invariant_free_fermions():
    given = _given(hopping=1.2, chemical_potential=0.4)
    made = gibbs_purification(given)
    levels = -2.4 * np.cos(np.pi * np.arange(1, 4) / 4)
    for beta, energy, up, down in zip(made.betas, made.energies, made.site_values["n_up"], made.site_values["n_down"]):
        filled = 1 / (1 + np.exp(beta * (levels - 0.4)))
        assert energy == pytest.approx(2 * (levels * filled).sum(), abs=2e-3)
        assert sum(up) == pytest.approx(filled.sum(), abs=2e-3)
        assert down == pytest.approx(up, abs=1e-6)
    assert made.steps == pytest.approx([0, 0.1, 0.1])
    assert made.betas == [0.0, 0.5, 1.0]


def test_invariant_half_filling_and_the_atom():
    """Without hopping <n_up n_down> is that of an atom; at mu = U/2 there is one electron a site at any temperature."""
    made = gibbs_purification(_given(n_sites=2, interaction=4.0, chemical_potential=2.0))
    weights = [np.array([1, math.exp(b * 2), math.exp(b * 2), math.exp(b * (4 - 4))]) for b in made.betas]
    double = [w[3] / w.sum() for w in weights]
    assert [row[1] for row in made.site_values["double"]] == pytest.approx(double, abs=1e-8)
    assert made.energies == pytest.approx([2 * 4 * d for d in double], abs=1e-7)
    hopping = gibbs_purification(_given(hopping=1.0, interaction=4.0, chemical_potential=2.0, betas=[1.0]))
    total = np.add(hopping.site_values["n_up"][0], hopping.site_values["n_down"][0])
    assert total == pytest.approx(1, abs=1e-8)
    assert hopping.entropies[0][0] == pytest.approx(hopping.entropies[0][1], abs=5e-3)
    assert hopping.bond_correlations[0][0] < -0.03


@pytest.mark.parametrize(
    ("exchange", "fields"),
    [
        ([1.0, 1.0, 1.0], [0.0, 0.0]),
        ([1.0, 1.0, -0.5], [0.0, 0.7]),
        ([0.9, 0.2, 0.4], [0.0, 0.3]),
        ([0.5, 0.5, 1.0], [0.8, 0.2]),
    ],
)
def test_invariant_spin_chains_by_diagonalisation(exchange, fields):
    made = gibbs_purification(_given(model="xyz", exchange=exchange, fields=fields, betas=[0.0, 0.8]))
    matrix = _spins(3, exchange, fields)
    for index, beta in enumerate(made.betas):
        rho = expm(-beta * matrix)
        rho /= np.trace(rho)
        assert made.energies[index] == pytest.approx(np.trace(rho @ matrix).real, abs=2e-3)
        for axis, label in (("z", "Sz"), ("x", "Sx")):
            exact = [np.trace(rho @ _on(3, **{f"s{k}": SPIN[axis]})).real for k in range(3)]
            assert made.site_values[label][index] == pytest.approx(exact, abs=2e-3)
        zz = np.trace(rho @ _on(3, s0=SPIN["z"], s1=SPIN["z"])).real
        assert made.bond_correlations[index][0] == pytest.approx(zz, abs=2e-3)


def test_truncation_is_told():
    rough = gibbs_purification(_given(model="xyz", n_sites=4, exchange=[1.0] * 3, betas=[1.0], chi_max=4, step=0.25))
    fine = gibbs_purification(_given(model="xyz", n_sites=4, exchange=[1.0] * 3, betas=[1.0], step=0.25))
    assert rough.bond_dimensions == [4]
    assert rough.truncation_errors[0] > 1e-7 > fine.truncation_errors[0]
    assert fine.bond_dimensions[0] > 4
    assert gibbs_purification(_given(betas=[0.03])).steps == pytest.approx([0.03])


def test_error_inputs():
    for more, words in (
        ({"betas": [-0.1, 1.0]}, "rise and not be negative"),
        ({"betas": [0.0, 1.0, 1.0]}, "rise and not be negative"),
        ({"exchange": [1.0]}, "Jx, Jy, Jz"),
        ({"fields": [1.0]}, "hx, hz"),
        ({"step": 0.0}, "greater than 0"),
    ):
        with pytest.raises(ValidationError, match=words):
            _given(**more)
