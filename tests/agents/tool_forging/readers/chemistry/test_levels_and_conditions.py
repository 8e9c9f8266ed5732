"""Correlation with bases of its own, conditions, several told reactions, and orders that nobody knows."""

from __future__ import annotations

from typing import Any

import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.chemistry import READER


def spec(text: str) -> Any:
    reply = READER.read(TaskText(text))
    assert isinstance(reply, Reading), reply
    return reply.spec


def test_correlated_single_points_have_their_own_bases() -> None:
    found = spec(
        "Optimise HNO with B3LYP/def2-SVP. At this structure: single points with MP2/cc-pVTZ and CCSD/cc-pVDZ, no "
        "frozen core. Total energies."
    )
    assert found.structure_level.title == "B3LYP/def2-SVP"
    assert {one.basis: found.treated(one) for one in found.levels} == {"cc-pVTZ": ("MP2",), "cc-pVDZ": ("CCSD",)}
    assert not found.frozen_core


@pytest.mark.parametrize(
    ("words", "frozen"),
    [
        ("Frozen core.", True),
        ("Freeze the core.", True),
        ("The core is **not** frozen.", False),
        ("All electrons are correlated.", False),
        ("Without frozen core.", False),
    ],
)
def test_frozen_cores(words: str, frozen: bool) -> None:
    assert (
        spec(f"MP2/6-31G(d) energy of carbon monoxide at a bond length of 1.13 angstrom. {words}").frozen_core is frozen
    )


def test_pressures_units_and_lists_of_temperatures_keep_apart() -> None:
    found = spec(
        "Entropy of silane in J mol^-1 K^-1 with HF/6-31G(d), symmetry number 12, 1 bar; 250, 300 and 350 K. "
        "Optimise it first."
    )
    assert found.at == (250.0, 300.0, 350.0)
    assert found.pressure == 1e5
    assert found.species[0].symmetry_number == 12


def test_symmetry_numbers_of_several_molecules() -> None:
    found = spec(
        "CO + H2O -> CO2 + H2 at 400 K and 1 atm with HF/STO-3G: reaction enthalpy in kJ/mol. Symmetry numbers 1, 2, 2 "
        "and 2 for CO, H2O, CO2 and H2."
    )
    assert {one.formula: one.symmetry_number for one in found.species} == {"CO": 1, "H2O": 2, "CO2": 2, "H2": 2}


def test_a_list_of_told_reactions() -> None:
    found = spec(
        "Delta E and Delta H (298.15 K, 1 atm) in kJ/mol with UB3LYP/6-31G(d):\n"
        "1) ammonia gives amino radical plus hydrogen atom\n2) water gives hydroxyl radical plus hydrogen atom\n"
    )
    assert [len(one.terms) for one in found.reactions] == [3, 3]
    assert {one.formula: one.multiplicity for one in found.species}["H2N"] == 2


def test_the_isomer_that_is_zero() -> None:
    found = spec("Relative electronic energies of HNC and HCN in kcal/mol, with HCN as zero; HF/6-31G(d), optimised.")
    assert found.reactions[0].terms[0].species == "HCN"
    assert found.reactions[0].terms[0].coefficient == -1


def test_states_of_each_spin() -> None:
    found = spec(
        "TDA with CAM-B3LYP/def2-SVP for optimised ketene, for three roots of singlet and two roots of triplet "
        "character: excitation energies."
    )
    assert (found.excited.n_singlets, found.excited.n_triplets, found.excited.tamm_dancoff) == (3, 2, True)


def test_a_rigid_scan_with_a_spacing() -> None:
    found = spec(
        "Rigid scan of HCl with HF and MP2 in 6-31G(d): the distance between H and Cl goes from 1.1 to 1.5 angstrom "
        "with a spacing of 0.1 angstrom."
    )
    assert found.scan.distances == pytest.approx((1.1, 1.2, 1.3, 1.4, 1.5))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Optimise ketene with HF/STO-3G. Give the dipole moment and the Wiberg indices.", "Wiberg"),
        ("Optimise ketene with HF/STO-3G. Wanted:\n- dipole moment\n- Fukui functions", "Fukui"),
        ("Energy of OH + CH4 = H2O + CH3 with ROHF/6-31G(d).", "ROHF"),
        ("Vibronic progression of ketene with PBE0/def2-SVP.", "Vibronic"),
    ],
)
def test_results_that_nobody_knows_refuse(text: str, named: str) -> None:
    reply = READER.read(TaskText(text))
    assert isinstance(reply, Unread), reply
    assert named in reply.words + reply.reason


def test_one_solvent_of_several_is_asked_about() -> None:
    text = "Which solvent lowers urea most: water, acetonitrile or toluene? B3LYP/6-31G(d), C-PCM, optimised. Energies."
    assert isinstance(READER.read(TaskText(text)), Question)


def test_motives_and_thanks_order_nothing() -> None:
    found = spec(
        "Hello, my supervisor wants a table for the handbook in our office (room 4.17). Could you optimise silane with "
        "HF/STO-3G and tell me\n\n- the dipole moment,\n- the point group?\n\nBefore we order an oven I would like to "
        "know how far one can trust it. Thanks a lot!"
    )
    assert [one.name for one in found.species] == ["silane"]


def test_what_is_not_considered_is_not_wanted() -> None:
    found = spec(
        "Relative electronic energies of HNC and HCN in kJ/mol with HF/STO-3G, optimised; HCN, the reference. Zero-point "
        "and thermal contributions are not considered."
    )
    assert not found.frequencies
    assert found.reactions[0].terms[0].species == "HCN"


def test_temperatures_in_braces_and_latex_formulas() -> None:
    found = spec(
        r"$\mathrm{CO + H_2O \rightarrow CO_2 + H_2}$ with HF/STO-3G at $T \in \{300, 450, 600\}$ K, $p = 1$ bar: "
        r"$\Delta_r H$, $\Delta_r G$ in kJ/mol, and $K$ at each."
    )
    assert found.at == (300.0, 450.0, 600.0)
    assert found.equilibrium
    assert {one.formula for one in found.species} == {"CO", "H2O", "CO2", "H2"}


@pytest.mark.parametrize(
    "text",
    [
        "Optimise ketene with MP2/cc-pVDZ; bond lengths.",
        "Dipole moment of CO at R = 1.13 angstrom with CCSD/cc-pVDZ.",
        "Structure of the S1 state of ketene with TD-B3LYP/6-31G(d).",
        "Optimise cyclobutadiene with B3LYP/6-31G(d) in D4h symmetry.",
    ],
)
def test_what_recipes_give_for_mean_fields_only_refuses(text: str) -> None:
    assert isinstance(READER.read(TaskText(text)), Unread)


def test_hydrogen_halides_in_a_list_are_molecules() -> None:
    found = spec("Bond lengths of HF, HCl and HBr, optimised with PBE0/def2-SVP.")
    assert {one.formula for one in found.species} == {"FH", "ClH", "BrH"}
    assert [one.method for one in found.levels] == ["PBE0"]


def test_an_unread_active_space_is_asked_about() -> None:
    text = "CASCI/STO-3G of ethylene, optimised with HF/STO-3G, active space of 2 pi orbitals: energy."
    assert isinstance(READER.read(TaskText(text)), Question)


@pytest.mark.parametrize("name", ["wB97X-D", "wB97X-D3", "wB97X-D3(BJ)", "wB97XD", "wB97X-D3BJ"])
def test_a_functional_with_a_dispersion_of_its_own_is_not_taken_for_its_namesake(name: str) -> None:
    reply = READER.read(TaskText(f"Total energy and dipole moment of water with {name}/def2-SVP."))
    assert isinstance(reply, Unread), reply
    assert "other ones" in reply.reason
    assert spec("Total energy and dipole moment of water with wB97X/def2-SVP.").levels[0].dispersion == ""
