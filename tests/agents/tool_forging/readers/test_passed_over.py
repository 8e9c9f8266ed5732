"""Wishes and conditions that a reading once left out in silence: each is taken now, or refuses by its name."""

from __future__ import annotations

from typing import Any

import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import TaskText
from labwright.agents.tool_forging.reading_task import NoRecipe, read_task


def _spec(text: str) -> Any:
    reply = read_task(TaskText(text))
    assert isinstance(reply, list), reply
    return reply[0].spec


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Optimise ketene with B3LYP/6-31G(d) and scale the wavenumbers by 0.96.", "scale"),
        ("Wavenumbers of H2O and of D2O with HF/STO-3G.", "D2O"),
        ("The lowest triplet of ketene, optimised with B3LYP/6-31G(d); its energy.", "triplet"),
        ("Energy of ketene with revDSD-PBEP86/def2-SVP and PBE0/def2-SVP.", "revDSD"),
        ("Dipole moment of ketene, B3LYP/def2-SVP; mean absolute error against experiment.", "mean absolute error"),
        ("Atomic energies of C, N and O and of N2 with HF/6-31G(d), and the energy of N2 -> 2 N.", "no reaction"),
        ("UCCSD-VQE of H2 at 0.8 angstrom in STO-3G. How many CNOTs does the circuit have?", "CNOTs"),
        (
            "Hubbard chain at half filling, 6 sites, t = 1, U = 4, beta = 1, by purification: free energy.",
            "free energy",
        ),
    ],
)
def test_it_refuses_by_its_name(text: str, named: str) -> None:
    reply = read_task(TaskText(text))
    assert isinstance(reply, NoRecipe | Question), reply
    assert named in reply.text


def test_a_range_without_steps_and_a_magnetisation_beside_a_correlator() -> None:
    spec = _spec(
        "DMRG, open chain of 20 spins: H = -sum_i Z_i Z_{i+1} - 0.5 sum_i X_i. "
        "Correlator <X_i X_{i+r}> and magnetisation along z."
    )
    assert [(one.kind, one.letters) for one in spec.observables] == [("site", "Z"), ("correlator", "XX")]


def test_an_atom_in_an_equation_is_a_species() -> None:
    spec = _spec("HCl -> H + Cl with UB3LYP/6-31G(d): Delta E and Delta H at 0 °C and 100 °C in kJ/mol.")
    assert {one.name: one.multiplicity for one in spec.species} == {"HCl": 1, "H": 2, "Cl": 2}
    assert spec.at == pytest.approx((273.15, 373.15))
    assert spec.energy_unit == "kJ/mol"


def test_structures_at_one_level_and_excitations_at_another() -> None:
    spec = _spec("Furan. Geometry: PBE0/6-31G(d). Then TD-CAM-B3LYP/6-31+G(d), four singlets: energies, wavelengths.")
    assert [(one.method, one.basis) for one in spec.levels] == [("CAM-B3LYP", "6-31+G(d)")]
    assert spec.structure_level is not None
    assert (spec.structure_level.method, spec.structure_level.basis) == ("PBE0", "6-31G(d)")


def test_what_is_taken_back_is_not_read() -> None:
    spec = _spec("VQE of H3+ as a triangle... no, take linear equally spaced H4 at 1.1 angstrom, STO-3G, UCCSD.")
    assert [one.molecule for one in spec.scans] == ["H4"]


def test_each_molecule_has_its_own_distance() -> None:
    spec = _spec("VQE with UCCSD in STO-3G: H2 at 0.7 angstrom and LiH at 1.5 angstrom. Errors against FCI.")
    assert {one.molecule: [point.distance for point in one.points] for one in spec.scans} == {"H2": [0.7], "LiH": [1.5]}
