"""Amounts against numbers worked out by hand (the sums stand beside the designs)."""

from __future__ import annotations

import time

import pytest
from designs import read_design

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign, write_design
from labwright.tools.liquid_handler.vial_amounts import Amounts, Refusal, calculate


def amounts(design: ExperimentDesign) -> Amounts:
    found = calculate(design)
    assert isinstance(found, Amounts)
    return found


def test_a_calibration_series_is_diluted_with_the_remainder(designs: dict[str, ExperimentDesign]) -> None:
    vials = amounts(designs["calibration"]).vials
    found = [(vial.additions["caffeine stock"], vial.additions["methanol"]) for vial in vials]
    assert found == [(20, 1980), (20, 1980), (100, 1900), (100, 1900), (200, 1800), (200, 1800)]


def test_two_stocks_cross(designs: dict[str, ExperimentDesign]) -> None:
    vials = amounts(designs["cross"]).vials
    found = [tuple(vial.additions[name] for name in ("brine", "sugar", "water")) for vial in vials]
    assert found == [(100, 100, 800), (100, 200, 700), (200, 100, 700), (200, 200, 600)]


def test_ammonia_from_a_weight_percentage(designs: dict[str, ExperimentDesign]) -> None:
    first, second = amounts(designs["ammonia"]).vials
    assert first.additions["strong ammonia"] == pytest.approx(202.75, abs=0.01)
    assert second.additions["strong ammonia"] == pytest.approx(3 * 202.75, abs=0.01)
    assert first.additions["benzaldehyde"] == pytest.approx(50.826, abs=0.005)
    assert sum(first.additions.values()) == pytest.approx(1000, abs=1e-6)


def test_shares_divide_the_total_molarity(designs: dict[str, ExperimentDesign]) -> None:
    found = amounts(designs["ester"]).vials
    assert [vial.levels for vial in found] == [
        {"acid": "acetic acid", "ratio": "1"},
        {"acid": "acetic acid", "ratio": "3"},
        {"acid": "benzoic acid", "ratio": "1"},
    ]
    assert found[0].additions["acetic acid"] == pytest.approx(229.95, abs=0.01)
    assert found[0].additions["ethanol"] == pytest.approx(233.47, abs=0.01)
    assert found[1].additions["ethanol"] == pytest.approx(1.5 * 233.47, abs=0.01)
    assert found[2].additions["benzoic acid"] == pytest.approx(4 * 122.123, abs=0.01)  # 4 mmol, mg
    assert found[0].additions["catalyst"] == 100  # 0.025 / 0.5 x 2000


def test_equivalents_count_the_reference(designs: dict[str, ExperimentDesign]) -> None:
    # 300 uL x 0.7893 / 46.069 g/mol = 5.1399 mmol; twice that of acetic acid: 617.32 mg / 1.0446 = 590.96 uL.
    assert amounts(designs["timed"]).vials[0].additions["acetic acid"] == pytest.approx(590.96, abs=0.05)


def test_too_much_ammonia_is_refused_with_the_largest_that_works(texts: dict[str, str]) -> None:
    refused = calculate(read_design(texts["ammonia"].replace("9 M", "14.5 M")))
    assert isinstance(refused, Refusal)
    (reason,) = refused.infeasible
    # 949.174 uL are free beside benzaldehyde: 949.174 x 252 g/L / 17.031 g/mol = 14.0446 M.
    assert reason.largest == pytest.approx(14.0446, abs=1e-3)
    assert "14 M" in refused.message
    # What is offered must work.
    offered = calculate(read_design(texts["ammonia"].replace("9 M", f"{reason.largest:.6f} M")))
    assert isinstance(offered, Amounts)


def test_shares_that_do_not_fit_are_lessened_together(texts: dict[str, str]) -> None:
    # 100 uL of catalyst leave 1900 uL; at 4 M the two take 229.95 + 233.47 = 463.42 uL: at most 16.40 M.
    text = texts["ester"].replace("4 M", "20 M").replace("[1, 3]", "[1]").replace(", benzoic acid]}", "]}")
    text = text.replace('  constraints: [{when: {acid: [benzoic acid]}, only: {ratio: ["1"]}}]\n', "")
    refused = calculate(read_design(text))
    assert isinstance(refused, Refusal)
    assert refused.infeasible[0].largest == pytest.approx(16.40, abs=0.005)


def test_an_amount_that_would_round_to_nothing_is_refused() -> None:
    refused = calculate(
        read_design(
            """
chemicals: [{name: NaCl}, {name: water}]
groups:
- doses: [{substance: NaCl, kind: molarity, amount: 0.001 uM}, {substance: water, kind: remainder}]
  total_volume: 1 mL
"""
        )
    )
    assert isinstance(refused, Refusal)
    assert "more dilute stock" in refused.message


@pytest.mark.parametrize(
    ("old", "new", "asked"),
    [
        ("{name: methanol}", "{name: propanol}", "several substances"),
        ("concentration: 1 mg/mL, basis: w/v", "concentration: 7 %, basis: w/w", "density of the solution"),
    ],
)
def test_what_is_not_known_is_asked(texts: dict[str, str], old: str, new: str, asked: str) -> None:
    name = new.removeprefix("{name: ").removesuffix("}") if new.startswith("{") else "methanol"
    text = texts["calibration"].replace(old, new).replace("solvent: methanol", f"solvent: {name}")
    refused = calculate(read_design(text.replace("substance: methanol", f"substance: {name}")))
    assert isinstance(refused, Refusal)
    assert asked in refused.message


def test_a_liquid_without_a_density_is_asked_about_and_never_one() -> None:
    text = """
chemicals: [{name: novel oil, state: liquid, molar_mass: 200 g/mol}]
groups: [{doses: [{substance: novel oil, kind: moles, amount: 1 mmol}]}]
"""
    refused = calculate(read_design(text))
    assert isinstance(refused, Refusal)
    assert "density of 'novel oil'" in refused.message
    told = read_design(text.replace("200 g/mol", "200 g/mol, density: 0.8 g/mL"))
    assert amounts(told).vials[0].additions["novel oil"] == pytest.approx(250)  # 200 mg / 0.8


def test_designs_survive_yaml(designs: dict[str, ExperimentDesign]) -> None:
    for design in designs.values():
        assert read_design(write_design(design)) == design


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: &a [1]\nb: *a",
        "chemicals: [",
        "chemicals: [{name: water}]\ngroups: [{doses: [{substance: gold, kind: remainder}]}]",
        "chemicals: [{name: water}]\ngroups: [{doses: [{substance: water, kind: mass, amount: 3 uL}]}]",
        "chemicals: [{name: water}]\ngroups: [{doses: [{substance: water, kind: volume, factor: none}]}]",
        "chemicals: [{name: water}]\ngroups: [&g {doses: [{substance: water, kind: volume, amount: 1 mL}]}, *g]",
        "chemicals: [{name: water}]\ngroups:\n" + 2 * "- {doses: [{substance: water, kind: volume, amount: 1 mL}]}\n",
        "chemicals: [{name: water}]\ngroups: [{doses: [{substance: water, kind: remainder}], total_volume: -1 mL}]",
        "!!python/object/apply:os.system ['true']",
    ],
)
def test_what_is_no_design_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_design(text)


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 40_000, "- " * 90_000])
def test_deep_nesting_is_refused_at_once(text: str) -> None:
    began = time.process_time()
    with pytest.raises(InputError, match="levels"):
        read_design(text)
    assert time.process_time() - began < 2
