"""Tests of reaction_thermochemistry: units, signs, balance."""

import pytest
from tools.reaction_thermochemistry import ReactionThermochemistryInput, reaction_thermochemistry


def _run(*species):
    fields = ("formula", "charge", "coefficient", "values")
    return reaction_thermochemistry(
        ReactionThermochemistryInput(species=[dict(zip(fields, one, strict=True)) for one in species])
    )


def test_products_minus_reactants_in_three_units():
    found = _run(
        ("H2", 0, -2, {"enthalpy": -1.0, "gibbs": -1.1}),
        ("O2", 0, -1, {"enthalpy": -150.0, "gibbs": -150.2}),
        ("H2O", 0, 2, {"enthalpy": -76.1, "gibbs": -76.3}),
    )
    assert found.hartree == pytest.approx({"enthalpy": -0.2, "gibbs": -0.2})
    assert found.kcal_per_mol["enthalpy"] == pytest.approx(-0.2 * 627.5094740631)
    assert found.kj_per_mol["gibbs"] == pytest.approx(-0.2 * 2625.4996394799)


def test_invariant_the_way_back_is_the_opposite():
    there = (("CH4", 0, -1, {"g": -40.5}), ("CH3+", 1, 1, {"g": -39.4}), ("H-", -1, 1, {"g": -0.5}))
    back = tuple((formula, charge, -coefficient, values) for formula, charge, coefficient, values in there)
    assert _run(*there).hartree["g"] == pytest.approx(0.6)
    assert _run(*back).kcal_per_mol["g"] == pytest.approx(-_run(*there).kcal_per_mol["g"])


def test_letters_and_counts_of_formulas():
    assert _run(("C6CrO6", 0, -1, {"g": 1.0}), ("CrC6O6", 0, 1, {"g": 2.0})).hartree == {"g": 1.0}
    assert _run(("CH3CH3", 0, -1, {"g": 1.0}), ("C2H6", 0, 1, {"g": 2.0})).hartree == {"g": 1.0}
    assert _run(("SO4-2", -2, -0.5, {"g": 1.0}), ("SO4", -2, 0.5, {"g": 2.0})).hartree == {"g": 0.5}


def test_error_names_what_is_left_over():
    with pytest.raises(ValueError, match=r"leave \{'H': -1"):
        _run(("CH4", 0, -1, {"g": 1.0}), ("CH3", 0, 1, {"g": 1.0}))
    with pytest.raises(ValueError, match=r"leave \{'charge': 1"):
        _run(("CH3", 0, -1, {"g": 1.0}), ("CH3", 1, 1, {"g": 1.0}))
    with pytest.raises(ValueError, match="but others have"):
        _run(("CH4", 0, -1, {"g": 1.0}), ("CH4", 0, 1, {"h": 1.0}))
    with pytest.raises(ValueError, match="no molecular formula"):
        _run(("methane", 0, -1, {"g": 1.0}), ("CH4", 0, 1, {"g": 1.0}))
