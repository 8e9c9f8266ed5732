"""Structures that a text gives, in blocks with labels, in prose or by one distance, and what is said of moving them."""

from __future__ import annotations

from typing import Any

import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText
from labwright.agents.tool_forging.readers.chemistry import READER

WATER = "3\nwater\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n"


def spec(text: str, **inputs: str) -> Any:
    reply = READER.read(TaskText(text, {f"inputs/{name}.xyz": body for name, body in inputs.items()}))
    assert isinstance(reply, Reading), reply
    return reply.spec


def test_each_block_has_the_name_charge_and_spin_of_its_label() -> None:
    found = spec(
        "Keep these structures as they are. HF/6-31G(d) energies in hartree. Angstrom.\n\n"
        "BF, charge 0, singlet\nB 0 0 0\nF 0 0 1.27\n\n"
        "CF+, charge +1, singlet\nC 0 0 0\nF 0 0 1.15\n\n"
        "NH, charge 0, triplet\nN 0 0 0\nH 0 0 1.04\n"
    )
    assert {one.name: (one.charge, one.multiplicity) for one in found.species} == {
        "BF": (0, 1), "CF+": (1, 1), "NH": (0, 3),
    }  # fmt: skip
    assert not found.optimise


def test_positions_told_in_prose() -> None:
    found = spec(
        "Dipole moment of hydrogen cyanide with HF/def2-SVP, single point. In angstrom: hydrogen at (0, 0, -1.07), "
        "carbon at the origin, nitrogen at (0, 0, 1.16)."
    )
    assert [one.formula for one in found.species] == ["CHN"]
    assert "N 0.00000000 0.00000000 1.16000000" in found.species[0].xyz


def test_a_diatomic_at_a_stated_distance() -> None:
    found = spec("Energy of HCl at R = 2.4 bohr with HF and MP2 in cc-pVDZ.")
    assert "1.270" in found.species[0].xyz
    assert not found.optimise


@pytest.mark.parametrize(
    "words",
    [
        "Please leave the geometry untouched.",
        "Nothing is to be relaxed.",
        "The structure stays as it is.",
        "No geometry optimisation, please.",
        "The nuclei are kept fixed.",
        "Keep the coordinates frozen.",
    ],
)
def test_what_is_told_not_to_move_stays(words: str) -> None:
    found = spec(f"Dipole moment of the molecule in water.xyz with PBE0/def2-SVP. {words}", water=WATER)
    assert not found.optimise


@pytest.mark.parametrize("words", ["Relax it first.", "Optimise the geometry.", "Its geometry should be optimised."])
def test_what_is_told_to_move_moves(words: str) -> None:
    assert spec(f"Dipole moment of the molecule in water.xyz with PBE0/def2-SVP. {words}", water=WATER).optimise


def test_an_atom_that_a_charge_sits_on_is_no_molecule() -> None:
    found = spec("Mulliken charges on the nitrogen atom and on the carbon atom of methylamine, HF/STO-3G, optimised.")
    assert [one.name for one in found.species] == ["methylamine"]


def test_a_formula_that_nobody_knows_is_asked_about() -> None:
    reply = READER.read(TaskText("Optimise N2 and AlF with HF/STO-3G; dipole moments."))
    assert isinstance(reply, Question)
    assert "AlF" in reply.text


def test_the_charge_of_a_table_contradicts() -> None:
    reply = READER.read(
        TaskText(
            "| key | value |\n|---|---|\n| compound | nitric oxide |\n| multiplicity | 1 |\n\nHF/STO-3G, optimised."
        )
    )
    assert isinstance(reply, Question)
    assert "multiplicity" in reply.text


def test_a_table_with_a_molecule_in_each_row() -> None:
    found = spec(
        "HF/6-31G(d) energies; don't optimise.\n\n| species | charge | 2S+1 | atom 1 / angstrom | atom 2 |\n|---|---|---|---|---|\n"
        "| CF+ | +1 | 1 | C (0, 0, 0) | F (0, 0, 1.15) |\n| BO- | -1 | 1 | B (0, 0, 0) | O (0, 0, 1.23) |\n"
    )
    assert {one.name: one.charge for one in found.species} == {"CF+": 1, "BO-": -1}
    assert not found.optimise


def test_keys_that_say_no() -> None:
    found = spec(
        "molecule = water.xyz\noptimise = no\nlevel = HF/6-31G(d)\nfrequencies = no\nprint = energy", water=WATER
    )
    assert not found.optimise
    assert not found.frequencies


def test_a_singlet_with_an_odd_electron_is_asked_about() -> None:
    text = "Geometry of NO2 with HF/STO-3G, optimised, as a closed-shell singlet: bond length."
    assert isinstance(READER.read(TaskText(text)), Question)
