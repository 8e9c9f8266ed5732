"""The chemist's five calculations, against numbers worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.chemistry.calculations import (
    amounts_of_pair,
    concentration_of_percent_solution,
    stock_volume,
    volume_of_mass,
    volume_of_moles,
)
from labwright.tools.chemistry.chemicals import Chemical, lookup
from labwright.tools.errors import InputError


def test_by_hand() -> None:
    assert volume_of_mass("ethanol", 789) == pytest.approx(1000, rel=0.01)
    assert volume_of_moles("benzaldehyde", 0.5) == pytest.approx(0.5 * 106.12 / 1.044, rel=0.01)
    assert concentration_of_percent_solution("ammonia", 28, "w/w") == pytest.approx(14.8, rel=0.001)
    assert concentration_of_percent_solution("sodium chloride", 0.9, "w/v") == pytest.approx(9 / 58.44, rel=0.001)
    assert stock_volume(0.5, 0.025, 2000) == pytest.approx(100)


def test_a_pair_of_a_solid_and_a_liquid() -> None:
    """4 M in 2 mL at 0.5 : 1 is 2.667 and 5.333 mmol."""
    found = amounts_of_pair("ethanol", "benzoic acid", 4, 0.5, 2000)
    assert found["ethanol"] == (pytest.approx(155.7, rel=0.01), "uL")
    assert found["benzoic acid"] == (pytest.approx(651.3, rel=0.001), "mg")


@given(st.floats(0.01, 10), st.floats(0.05, 20), st.floats(10, 1e5))
def test_a_pair_has_the_total_and_the_ratio_that_were_asked(total: float, ratio: float, volume: float) -> None:
    names = ("acetic acid", "methanol")
    found = amounts_of_pair(*names, total, ratio, volume)
    moles = []
    for name in names:
        chemical = lookup(name)
        assert isinstance(chemical, Chemical)
        assert chemical.density is not None
        moles.append(found[name][0] * chemical.density / chemical.molar_mass)
    assert sum(moles) == pytest.approx(total * volume / 1000)
    assert moles[0] / moles[1] == pytest.approx(ratio)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: volume_of_mass("propanol", 5), "several substances"),
        (lambda: volume_of_mass("28% ammonia", 5), "pure chemical's name"),
        (lambda: volume_of_mass("benzoic acid", 5), "is a solid"),
        (lambda: volume_of_mass("ethanol", 0), "above 0"),
        (lambda: volume_of_moles("ammonia", 1), "is a gas"),
        (lambda: concentration_of_percent_solution("ammonia", 27.5, "w/w"), "density"),
        (lambda: concentration_of_percent_solution("ethanol", 120, "v/v"), "impossible"),
        (lambda: concentration_of_percent_solution("ethanol", 10, "vol"), "w/w, w/v or v/v"),
        (lambda: stock_volume(1, 2, 100), "cannot make 2"),
        (lambda: amounts_of_pair("ethanol", "unobtainium", 1, 1, 100), "not in the table"),
    ],
)
def test_what_is_not_known_is_said_and_not_guessed(wrong, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match=words):
        wrong()
