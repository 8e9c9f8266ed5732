"""What the reader of VQE tasks understands, asks and leaves alone."""

from __future__ import annotations

import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.vqe import READER
from labwright.tools.forge.families.vqe.spec import VqeSpec


def _spec(text: str) -> VqeSpec:
    reply = READER.read(TaskText(text))
    assert isinstance(reply, Reading), reply
    assert isinstance(reply.spec, VqeSpec)
    return reply.spec


def test_one_geometry_with_an_active_space() -> None:
    spec = _spec("Compute the ground-state energy of LiH at a bond length of 1.6 angstrom by VQE with tequila, using UCCSD in the STO-3G basis with an active"
                 " space of 2 electrons in 3 orbitals.")  # fmt: skip
    scan = spec.scans[0]
    assert (scan.molecule, scan.symbols, scan.charge, scan.active_orbitals) == ("LiH", ["Li", "H"], 0, [1, 2, 3])
    assert scan.points[0].positions == [[0.0, 0.0, 0.0], [0.0, 0.0, 1.6]]


def test_a_cation_a_list_and_a_mapping() -> None:
    spec = _spec(
        "Run a VQE for the HeH+ ion at the distances 0.6, 0.8, 1.0 and 1.4 Å (basis 6-31G, UCCSD, Bravyi-Kitaev mapping, tequila)."
    )
    scan = spec.scans[0]
    assert (scan.molecule, scan.charge, spec.basis, spec.mapping) == ("HeH+", 1, "6-31g", "bravyi_kitaev")
    assert [point.distance for point in scan.points] == [0.6, 0.8, 1.0, 1.4]


@pytest.mark.parametrize(
    ("words", "points"),
    [("from 0.5 to 2.0 angstrom in 7 points", 7), ("from 0.5 to 2.0 angstrom in steps of 0.25", 7),
     ("between 0.5 and 2.0 angstrom", 16), ("from 0.5 to 2.0 angstrom, at 12 distances or more", 16)],
)  # fmt: skip
def test_scans(words: str, points: int) -> None:
    scan = _spec(f"Use VQE (tequila, UCCSD, STO-3G) for H2 over bond distances {words}.").scans[0]
    assert len(scan.points) == points
    assert (scan.points[0].distance, scan.points[-1].distance) == pytest.approx((0.5, 2.0))


def test_lines_of_atoms() -> None:
    scan = _spec("VQE with UCCSD in STO-3G for linear BeH2 at a Be-H distance of 1.3 angstrom.").scans[0]
    assert scan.symbols == ["Be", "H", "H"]
    assert [row[2] for row in scan.points[0].positions] == [1.3, 0.0, 2.6]
    chain = _spec(
        "VQE with UCCSD in STO-3G for a linear, equally spaced H4 chain at a distance of 1.0 angstrom."
    ).scans[0]
    assert [row[2] for row in chain.points[0].positions] == [0.0, 1.0, 2.0, 3.0]
    assert isinstance(READER.read(TaskText("VQE in STO-3G for linear HCN at 1.1 angstrom.")), Question)


def test_bohr_and_coordinates() -> None:
    spec = _spec("VQE with UCCSD in STO-3G for H2 at a distance of 1.4 bohr.")
    assert spec.scans[0].points[0].distance == pytest.approx(0.740848, abs=1e-5)
    water = "VQE in STO-3G with UCCSD and an active space of 4 electrons in 4 orbitals for H2O:\n\nH 0.0 0.757 0.587\nH 0.0 -0.757 0.587\nO 0.0 0.0 0.0\n"
    scan = _spec(water).scans[0]
    assert scan.symbols == ["H", "H", "O"]
    assert scan.active_orbitals == [3, 4, 5, 6]


@pytest.mark.parametrize(
    "text", ["Run a VQE for H2 in STO-3G.", "Run a VQE in STO-3G at 0.7 angstrom.", "VQE for H2O at STO-3G."]
)
def test_it_asks_for_what_is_missing(text: str) -> None:
    assert isinstance(READER.read(TaskText(text)), Question)


@pytest.mark.parametrize(
    "text",
    ["Use VQE with 1000 shots for H2 at 0.7 angstrom.", "Use ADAPT-VQE for LiH at 1.6 angstrom.",
     "Use VQE for the first excited state of H2 at 0.7 angstrom.", "Run a VQE for H2 at 0.7 angstrom with a temperature of 300."],
)  # fmt: skip
def test_it_says_what_it_cannot_do(text: str) -> None:
    assert isinstance(READER.read(TaskText(text)), Unread)


def test_other_tasks_are_left_alone() -> None:
    assert READER.read(TaskText("Optimise the geometry of water with B3LYP.")) is None


@pytest.mark.parametrize(
    ("told", "active"),
    [
        ("active orbitals HOMO-1 to LUMO", [0, 1, 2]),
        ("the two highest occupied and one lowest empty orbital are active", [0, 1, 2]),
        ("an active space of 2 electrons in 3 orbitals", [1, 2, 3]),
        ("two electrons are correlated in two orbitals", [1, 2]),
        ("the 1s core is frozen", [1, 2, 3, 4, 5]),
        ("no frozen core", []),
    ],
)
def test_active_spaces_in_words(told: str, active: list[int]) -> None:
    text = f"VQE with UCCSD for LiH at 1.6 angstrom in STO-3G; {told}."
    assert _spec(text).scans[0].active_orbitals == active


def test_orbitals_that_do_not_fit_the_numbers_are_asked_about() -> None:
    text = (
        "VQE with UCCSD for LiH at 1.6 angstrom in STO-3G, active space of 2 electrons in 2 orbitals: HOMO-1 to LUMO+1."
    )
    assert isinstance(READER.read(TaskText(text)), Question)


def test_charges_beside_a_formula() -> None:
    scan = _spec("VQE with UCCSD in STO-3G for HeH, charge one plus, at 0.9 A.").scans[0]
    assert (scan.molecule, scan.charge, scan.points[0].distance) == ("HeH+", 1, 0.9)
    assert isinstance(READER.read(TaskText("VQE with UCCSD in STO-3G for HeH at 0.9 angstrom.")), Question)
    both = "VQE with UCCSD in STO-3G for HeH+ with charge -1 at 0.9 angstrom."
    assert isinstance(READER.read(TaskText(both)), Question)


def test_a_molecule_that_is_turned_down_is_none() -> None:
    spec = _spec("We look for a molecule that is larger than H2: VQE with UCCSD in STO-3G for LiH at 1.6 angstrom.")
    assert [one.molecule for one in spec.scans] == ["LiH"]


def test_a_molecule_by_its_coordinates_and_a_step() -> None:
    square = "VQE with UCCSD in STO-3G. Coordinates in angstrom:\n\nH 0 0 0\nH 1.1 0 0\nH 1.1 1.1 0\nH 0 1.1 0\n"
    assert _spec(square).scans[0].molecule == "H4"
    scan = _spec("VQE with UCCSD in STO-3G for H2, R: 0.6 to 1.0 angstrom, step 0.1 angstrom.").scans[0]
    assert len(scan.points) == 5


def test_unpaired_electrons_name_no_circuit() -> None:
    assert _spec("VQE with UCCSD in STO-3G for H2 at 0.7 angstrom, no unpaired electrons.").circuits == ["uccsd"]
