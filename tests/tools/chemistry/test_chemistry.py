"""Units, formulas, the table and stocks against numbers worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.chemistry.chemical_table import Ambiguous, Chemical, Unknown, lookup, table
from labwright.tools.chemistry.chemicals_package_data import known
from labwright.tools.chemistry.formulas import atoms, molecular_weight
from labwright.tools.chemistry.quantities import convert, parse_quantity
from labwright.tools.chemistry.solutions import mass_concentration, reagents
from labwright.tools.chemistry.stated_substance_data import facts_in, is_cas
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.chemical_lookup import Species, resolve
from labwright.tools.liquid_handler.substances import ChemicalUse


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("10 mL", "uL", 10_000),
        ("0.5M", "mM", 500),
        ("80 deg", "degC", 80),
        ("80 °C", "K", 353.15),
        ("212 degF", "degC", 100),
        ("1.5 h", "min", 90),
        ("20 µL", "mL", 0.02),
        ("0.2%", "", 0.002),
        ("1,250 mg", "g", 1.25),
        ("0.75 mmol", "mol", 0.00075),
        ("50 ug/mL", "mg/L", 50),
    ],
)
def test_quantities_convert(text: str, unit: str, value: float) -> None:
    assert parse_quantity(text).to(unit) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("text", ["", "mL", "10 furlongs", "ten mL", "10 mL extra", "1e999 mL", "nan mg"])
def test_what_is_no_quantity_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_quantity(text)


def test_units_of_different_dimensions_do_not_convert() -> None:
    with pytest.raises(InputError, match="is a mass"):
        convert(1, "mg", "uL")


@given(st.floats(1e-3, 1e6), st.sampled_from([("mg", "kg"), ("uL", "L"), ("degC", "degF"), ("min", "d"), ("uM", "M")]))
def test_converting_there_and_back_changes_nothing(value: float, units: tuple[str, str]) -> None:
    there, back = units
    assert convert(convert(value, there, back), back, there) == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize(
    ("formula", "weight"),
    [
        ("H2O", 18.015),  # 2 x 1.008 + 15.999
        ("C10H8", 128.174),  # 10 x 12.011 + 8 x 1.008
        ("Ca(OH)2", 74.092),  # 40.078 + 2 x 17.007
        ("CuSO4·5H2O", 249.677),  # 63.546 + 32.06 + 4 x 15.999 + 5 x 18.015
        ("Fe(C5H5)2", 186.035),  # 55.845 + 10 x 12.011 + 10 x 1.008
        ("Al2(SO4)3", 342.132),  # 2 x 26.982 + 3 x (32.06 + 63.996)
    ],
)
def test_molecular_weights(formula: str, weight: float) -> None:
    assert molecular_weight(formula) == pytest.approx(weight, abs=2e-3)


@pytest.mark.parametrize("formula", ["", "Xx2", "C(", "C)", "2", "c6h6", "C6H6-", "()"])
def test_what_is_no_formula_is_refused(formula: str) -> None:
    with pytest.raises(InputError):
        atoms(formula)


def test_every_row_of_the_table_is_sound() -> None:
    for chemical in set(table().values()):
        digits = chemical.cas.replace("-", "")
        check = sum(int(digit) * place for place, digit in enumerate(reversed(digits[:-1]), start=1)) % 10
        assert check == int(digits[-1]), f"CAS number of {chemical.name}"
        assert (chemical.density is None) == (chemical.density_source == ""), chemical.name
        assert chemical.density is None or 0.5 < chemical.density < 6, chemical.name
        assert chemical.state != "liquid" or chemical.density is not None, chemical.name
        assert chemical.hazards is not None
        assert chemical.molar_mass > 1


def test_names_are_found_ambiguous_or_unknown() -> None:
    found = lookup("  Propylene Carbonate ")
    assert isinstance(found, Chemical)
    assert found.cas == "108-32-7"
    assert lookup("MeOH") == lookup("methanol")
    several = lookup("propanol")
    assert isinstance(several, Ambiguous)
    assert [one.name for one in several.candidates] == ["1-propanol", "2-propanol"]
    assert lookup("unobtainium chloride") == Unknown("unobtainium chloride")
    pure = lookup("ammonia")
    assert isinstance(pure, Chemical)
    assert pure.state == "gas"
    assert lookup("aqueous ammonia") == pure  # a bottle of either is asked for its strength


def test_an_unknown_density_stays_unknown() -> None:
    salt = lookup("LiPF6")
    assert isinstance(salt, Chemical)
    assert salt.density is None


@pytest.mark.parametrize(
    ("solute", "percent", "expected"),
    # Handbook molarities of the concentrated reagents.
    [("ammonia", 28.0, 14.8), ("hydrogen chloride", 37.0, 12.1), ("nitric acid", 70.0, 15.7),
     ("sulfuric acid", 98.0, 18.4), ("phosphoric acid", 85.0, 14.6), ("sodium hydroxide", 50.0, 19.1),
     ("hydrogen peroxide", 30.0, 9.8)],
)  # fmt: skip
def test_concentrated_reagents_have_their_handbook_molarity(solute: str, percent: float, expected: float) -> None:
    reagent = next(one for one in reagents(solute) if one.percent == percent)
    chemical = lookup(solute)
    assert isinstance(chemical, Chemical)
    mass = mass_concentration(
        percent / 100, "w/w", molar_mass=chemical.molar_mass, solute_density=None, solution_density=reagent.density
    )
    assert mass / chemical.molar_mass * 1000 == pytest.approx(expected, rel=0.006)


def test_a_percentage_by_weight_without_a_density_is_refused() -> None:
    with pytest.raises(InputError, match="density of the solution"):
        mass_concentration(0.1, "w/w", molar_mass=58.44, solute_density=None, solution_density=None)


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
