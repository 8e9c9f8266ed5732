"""Substances of the package `chemicals`: by name and CAS number, never by a brand."""

from __future__ import annotations

import pytest

from labwright.tools.chemistry.databank import known
from labwright.tools.chemistry.substance_data import facts_in, is_cas
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.chemical_lookup import Species, resolve
from labwright.tools.liquid_handler.substances import ChemicalUse


def test_a_name_and_a_cas_number_give_the_same() -> None:
    pytest.importorskip("chemicals")
    anisole = known("Anisole")
    assert anisole is not None
    assert anisole == known("100-66-3")
    assert (anisole.state, anisole.molar_mass) == ("liquid", pytest.approx(108.14, abs=0.01))
    assert anisole.density == pytest.approx(0.989, abs=0.005)  # CRC Handbook, 25 degC
    vanillin = known("vanillin")
    assert vanillin is not None
    assert (vanillin.state, vanillin.density) == ("solid", None)


@pytest.mark.parametrize("name", ["zorbinol", "buffer A", "compound 7", "enzyme", ""])
def test_names_of_a_laboratory_and_brands_are_not_taken(name: str) -> None:
    assert known(name) is None


def test_a_design_takes_it_with_its_source_and_the_person_s_word_goes_before() -> None:
    pytest.importorskip("chemicals")
    found = resolve(ChemicalUse.model_validate({"name": "solid X", "identity": "100-17-4", "molar_mass": "153 g/mol"}))
    assert isinstance(found, Species)
    assert (found.name, found.state, found.molar_mass) == ("solid X", "solid", 153.0)
    assert found.source == "package chemicals, 4-nitroanisole, CAS 100-17-4"


def test_what_is_said_of_a_substance_is_data() -> None:
    facts = facts_in("Liquid, 134.2 g/mol; 0.97 g/mL")
    assert (facts.state, facts.molar_mass, facts.density) == ("liquid", "134.2 g/mol", "0.97 g/mL")
    assert facts_in("50-99-7").cas == "50-99-7"
    assert not is_cas("50-99-8")
    for text in ("aniline", "solid, liquid", "180", "5 mL", ", ,"):
        with pytest.raises(InputError):
            facts_in(text)
