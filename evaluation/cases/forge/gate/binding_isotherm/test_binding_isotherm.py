import pytest
from pydantic import ValidationError

from tools.binding_isotherm import BindingIsothermInput, binding_isotherm


def _run(receptor, ligand, kd):
    given = BindingIsothermInput(receptor_total=receptor, ligand_total=ligand, dissociation_constant=kd)
    return binding_isotherm(given)


@pytest.mark.parametrize("ligand", [0.3, 1.9, 3.0, 5.5, 40.0])
def test_invariant_mass_action_and_conservation(ligand):
    receptor, kd = 2.3, 0.7
    out = _run(receptor, [ligand], kd)
    bound = out.bound_fraction[0] * receptor
    assert out.free_ligand[0] + bound == pytest.approx(ligand, rel=1e-12)
    assert (receptor - bound) * out.free_ligand[0] / bound == pytest.approx(kd, rel=1e-12)


def test_known_values():
    # R = 1, L = 1.5, Kd = 0.5: complex 3/2 - sqrt(3/4); R = 2, L = 5, Kd = 3: free 3
    out = _run(1.0, [1.5], 0.5)
    assert out.bound_fraction[0] == pytest.approx(1.5 - 0.75**0.5, rel=1e-13)
    assert out.free_ligand[0] == pytest.approx(0.75**0.5, rel=1e-13)
    out = _run(2.0, [5.0, 0.0], 3.0)
    assert out.free_ligand == pytest.approx([15**0.5, 0.0], rel=1e-13)
    assert out.bound_fraction == pytest.approx([15**0.5 / (3 + 15**0.5), 0.0], rel=1e-13)


def test_invariant_little_receptor_is_langmuir():
    out = _run(0.0, [2.0, 6.0], 3.0)
    assert out.free_ligand == pytest.approx([2.0, 6.0], rel=1e-14)
    assert out.bound_fraction == pytest.approx([0.4, 2 / 3], rel=1e-14)


def test_invariant_tight_binding_is_stoichiometric():
    out = _run(4.0, [1.0, 9.0], 1e-14)
    assert out.bound_fraction == pytest.approx([0.25, 1.0], rel=1e-12)
    assert out.free_ligand[0] == pytest.approx(1e-14 / 3.0, rel=1e-12)
    assert out.free_ligand[1] == pytest.approx(5.0, rel=1e-12)


def test_error_negative_ligand():
    with pytest.raises(ValueError, match="zero or positive"):
        _run(1.0, [1.0, -0.1], 1.0)


def test_error_dissociation_constant():
    with pytest.raises(ValidationError, match="dissociation_constant"):
        _run(1.0, [1.0], 0.0)


def test_error_receptor():
    with pytest.raises(ValidationError, match="receptor_total"):
        _run(-1.0, [1.0], 1.0)
