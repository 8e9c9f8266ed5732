"""Tests of nuclear_electron_density: hydrogen's exact density and its 21 cm line."""

import math

import pytest
from tools.nuclear_electron_density import NuclearElectronDensityInput, nuclear_electron_density


def _run(symbols=("H",), positions=((0.0, 0.0, 0.0),), **changes):
    usual = {"charge": 0, "multiplicity": 2, "method": "HF", "basis": "aug-cc-pV5Z"}
    given = {"symbols": list(symbols), "positions": [list(row) for row in positions], **usual, **changes}
    return nuclear_electron_density(NuclearElectronDensityInput(**given))


def test_hydrogen_has_nearly_its_exact_density_and_line():
    # exact: 1/pi, and 1.4204 GHz
    found = _run(nuclear_spin=0.5, nuclear_moment=2.792847)
    assert 0.95 / math.pi < found.densities[0] < 1 / math.pi
    assert found.spin_densities == pytest.approx(found.densities)
    assert found.contact_splitting == pytest.approx(1.4204 * found.densities[0] * math.pi, rel=3e-3)
    assert found.energy == pytest.approx(-0.5, abs=1e-4)
    assert found.core_electrons == [0]
    assert _run().contact_splitting is None


def test_a_single_gaussian_is_known_in_closed_form():
    # three Gaussians of STO-3G hydrogen (Szabo and Ostlund, section 3.5.1): contracted norm times (2 a/pi)^(3/4)
    exponents, weights = (0.168856, 0.623913, 3.42525), (0.444635, 0.535328, 0.154329)
    amplitude = sum(w * (2 * a / math.pi) ** 0.75 for a, w in zip(exponents, weights, strict=True))
    assert _run(basis="STO-3G").densities[0] == pytest.approx(amplitude**2, rel=1e-4)


def test_invariant_closed_shells_have_no_spin_density_and_equal_nuclei_are_equal():
    found = _run(("H", "H"), ((0, 0, 0), (0, 0, 0.74)), multiplicity=1, basis="cc-pVDZ")
    assert found.spin_densities == pytest.approx([0.0, 0.0])
    assert found.densities[0] == pytest.approx(found.densities[1])
    assert found.densities[0] > 0.2


def test_the_splitting_scales_with_the_nucleus():
    one = _run(basis="STO-3G", nuclear_spin=0.5, nuclear_moment=1.0).contact_splitting
    assert _run(basis="STO-3G", nuclear_spin=0.5, nuclear_moment=2.0).contact_splitting == pytest.approx(2 * one)
    # A ~ moment / I, splitting A (I + 1/2)
    assert _run(basis="STO-3G", nuclear_spin=1.5, nuclear_moment=1.0).contact_splitting == pytest.approx(one * 2 / 3)


def test_core_electrons_are_counted():
    found = _run(("Kr",), multiplicity=1, basis="LANL2DZ", core_potential="LANL2DZ")
    assert found.core_electrons == [28]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"multiplicity": 1, "charge": -1, "nuclear_spin": 0.5, "nuclear_moment": 2.8}, "one unpaired electron"),
        ({"multiplicity": 1}, "cannot have multiplicity 1"),
        ({"charge": 1, "multiplicity": 1}, "leaves 0 electrons"),
        ({"method": "HXC"}, "no functional 'HXC'"),
        ({"solvent_model": "SMD"}, "SMD needs `solvent`"),
        ({"solvent_model": "SMD", "solvent": "aqua"}, "SMD needs `solvent`"),
        ({"solvent_model": "CPCM"}, "needs `dielectric`"),
        ({"positions": ()}, "1 symbols need"),
        ({"symbols": ("Rb",), "basis": "def2-SVP"}, "beyond krypton"),
    ],
)
def test_error_names_what_does_not_fit(changes, words):
    with pytest.raises(ValueError, match=words):
        _run(**changes)


def test_error_no_convergence():
    with pytest.raises(RuntimeError, match="did not converge in 1 iterations"):
        _run(("H", "F"), ((0, 0, 0), (0, 0, 0.95)), multiplicity=1, basis="STO-3G", max_cycles=1)
