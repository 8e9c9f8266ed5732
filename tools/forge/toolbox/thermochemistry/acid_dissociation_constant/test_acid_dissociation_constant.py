"""Tests of acid_dissociation_constant."""

import pytest
from tools.acid_dissociation_constant import AcidDissociationConstantInput, acid_dissociation_constant

KCAL = 627.5094740631


def _run(**changes):
    usual = {"gibbs_acid": -228.9, "gibbs_base": -228.43, "temperature": 298.15}
    return acid_dissociation_constant(AcidDissociationConstantInput(**{**usual, **changes}))


def _known(pka, difference):
    return {"gibbs_acid": -100.0, "gibbs_base": -100.0 + difference, "pka": pka}


def test_with_a_given_proton():
    found = _run(proton_free_energy=-265.9)
    assert found.deprotonation == pytest.approx(0.47)
    assert found.reaction_gibbs == pytest.approx(0.47 * KCAL - 265.9)
    # R T ln 10 is 1.3643 kcal/mol at 298.15 K
    assert found.pka == pytest.approx((0.47 * KCAL - 265.9) / 1.36426, rel=1e-4)
    assert found.proton_free_energy == -265.9
    assert found.proton_of_each == []
    assert found.proton_spread == 0.0


def test_invariant_a_known_acid_gives_its_own_pka():
    found = _run(known_acids=[_known(4.76, 0.47)])
    assert found.pka == pytest.approx(4.76)
    assert found.proton_spread == 0.0
    assert len(found.proton_of_each) == 1


def test_invariant_an_error_common_to_all_acids_cancels():
    acids = [_known(4.76, 0.47), _known(2.9, 0.466)]
    shifted = [_known(4.76, 0.48), _known(2.9, 0.476)]
    assert _run(known_acids=acids).pka == pytest.approx(_run(known_acids=shifted, gibbs_base=-228.42).pka)


def test_several_acids_are_averaged_and_their_spread_is_told():
    found = _run(known_acids=[_known(4.0, 0.47), _known(5.0, 0.47)])
    assert found.pka == pytest.approx(4.5)
    assert found.proton_free_energy == pytest.approx(sum(found.proton_of_each) / 2)
    assert found.proton_spread == pytest.approx(1.36426 / 2**0.5, rel=1e-4)


def test_warmer_water_means_a_smaller_number():
    assert _run(proton_free_energy=-265.9, temperature=350.0).pka == pytest.approx(
        _run(proton_free_energy=-265.9).pka * 298.15 / 350.0
    )


def test_error_one_way_to_the_proton():
    with pytest.raises(ValueError, match="Give either"):
        _run()
    with pytest.raises(ValueError, match="Give either"):
        _run(proton_free_energy=-265.9, known_acids=[_known(4.76, 0.47)])
