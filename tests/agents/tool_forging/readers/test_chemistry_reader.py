"""The chemistry reader: what it understands, what it asks, what it hands back. The tasks are not the benchmark's."""

from __future__ import annotations

import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.demands import uncovered
from labwright.agents.tool_forging.readers.base import Reading, TaskText, Unread
from labwright.agents.tool_forging.readers.chemistry import READER
from labwright.tools.forge.families.chemistry.spec import ChemistrySpec

WATER = "3\nwater\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n"


def read(text: str, **inputs: str) -> Reading | Question | Unread | None:
    return READER.read(TaskText(text, {f"inputs/{name}.xyz": body for name, body in inputs.items()}))


def spec(text: str, **inputs: str) -> ChemistrySpec:
    reply = read(text, **inputs)
    assert isinstance(reply, Reading), reply
    assert not uncovered(TaskText(text), reply.covered)
    assert isinstance(reply.spec, ChemistrySpec)
    return reply.spec


def test_an_acid_with_a_stated_proton_and_solvent_model() -> None:
    found = spec(
        "Determine the pKa of formic acid in water at the B3LYP/6-31G* level with the SMD solvation model. "
        "Use -270.3 kcal/mol for the free energy of the solvated proton. Report G(A-) - G(HA)."
    )
    assert [(one.name, one.smiles, one.charge) for one in found.species] == [
        ("formic acid", "OC=O", 0), ("formic acid anion", "[O-]C=O", -1),
    ]  # fmt: skip
    assert found.proton_free_energy == -270.3
    assert (found.levels[0].basis, found.levels[0].solvent_model, found.levels[0].solvent) == ("6-31G*", "SMD", "water")
    assert found.optimise
    assert found.frequencies
    assert found.acids[0].pka is None


def test_the_proton_may_be_told_in_another_unit() -> None:
    found = spec(
        "Compute the pKa of phenol (PBE0/def2-SVP, CPCM, water). The free energy of H+ in solution is -1112.5 kJ/mol."
    )
    assert found.proton_free_energy == pytest.approx(-265.894, abs=0.01)


def test_known_acids_calibrate_the_proton() -> None:
    found = spec(
        "Calculate the pKa of bromoacetic acid with B3LYP/def2-SVP and C-PCM water. Calibrate the proton "
        "on acetic acid "
        "(pKa 4.76) and on formic acid; pKa = 3.75."
    )
    assert {one.acid: one.pka for one in found.acids} == {
        "bromoacetic acid": None,
        "acetic acid": 4.76,
        "formic acid": 3.75,
    }
    assert found.proton_free_energy is None


def test_a_written_reaction_with_its_conditions() -> None:
    found = spec(
        "Calculate the reaction enthalpy and the Gibbs free energy at 350 K and 1 bar for 2 H2 + O2 -> 2 "
        "H2O using PBE0/def2-SVP."
    )
    assert found.temperature == 350.0
    assert found.pressure == 1e5
    assert [(one.species, one.coefficient) for one in found.reactions[0].terms] == [
        ("H2", -2.0),
        ("O2", -1.0),
        ("H2O", 2.0),
    ]
    assert found.named("O2").multiplicity == 3
    assert found.thermochemistry


def test_an_isomerisation_in_words() -> None:
    found = spec(
        "What is the Gibbs free energy of the isomerisation of propene to cyclopropane at 298.15 K (B3LYP/def2-SVP)?"
    )
    assert found.reactions[0].name == "propene -> cyclopropane"


def test_two_basis_sets_are_two_levels_and_two_written_pairs_are_two() -> None:
    crossed = spec("Compute the dipole moment of ammonia with HF in the basis sets STO-3G and def2-SVP.")
    assert [one.title for one in crossed.levels] == ["HF/STO-3G", "HF/def2-SVP"]
    written = spec(
        "Compare HF/STO-3G and B3LYP/def2-SVP: optimise formaldehyde at both levels and report the HOMO-LUMO gap."
    )
    assert [one.title for one in written.levels] == ["HF/STO-3G", "B3LYP/def2-SVP"]


def test_hydrogen_fluoride_is_no_method_and_a_solvent_no_molecule() -> None:
    found = spec(
        "Compute the dipole moment of hydrogen fluoride and of acetone in acetonitrile with C-PCM, B3LYP/def2-SVP."
    )
    assert [one.name for one in found.species] == ["hydrogen fluoride", "acetone"]
    assert [one.method for one in found.levels] == ["B3LYP"]
    assert found.levels[0].dielectric == 35.688


def test_excited_states_with_their_numbers() -> None:
    found = spec(
        "Compute the three lowest singlet and two triplet excited states of formaldehyde with TD-DFT (PBE0/def2-SVP, "
        "Tamm-Dancoff approximation). Optimise the geometry first."
    )
    assert found.excited is not None
    assert (found.excited.n_singlets, found.excited.n_triplets, found.excited.tamm_dancoff) == (3, 2, True)


def test_a_scan_over_listed_and_spaced_distances() -> None:
    spaced = spec(
        "Scan the H-F bond of hydrogen fluoride from 0.7 to 2.1 angstrom in 8 points with Hartree-Fock and "
        "with FCI in the STO-3G basis."
    )
    assert spaced.scan is not None
    assert spaced.scan.distances == pytest.approx([0.7 + 0.2 * k for k in range(8)])
    assert spaced.treatments == ("FCI",)
    assert not spaced.optimise
    listed = spec(
        "Compute the potential energy curve of H2 for bond lengths R = 0.5, 0.7 and 1.2 angstrom with RHF "
        "and CCSD in the cc-pVDZ basis and plot them."
    )
    assert listed.scan is not None
    assert listed.scan.distances == (0.5, 0.7, 1.2)


def test_files_bring_their_charge_and_are_read_to_the_last_line() -> None:
    found = spec(
        "Optimise mol.xyz (charge = +1; multiplicity = 2) with UHF/STO-3G and report the Mulliken charges.", mol=WATER
    )
    assert (found.species[0].charge, found.species[0].multiplicity, found.species[0].file) == (1, 2, "inputs/mol.xyz")
    broken = read("Optimise mol.xyz with HF/STO-3G.", mol=WATER.replace("-0.757", "minus"))
    assert isinstance(broken, Question)
    assert "mol.xyz, line 5" in broken.text
    absent = read("Optimise mol.xyz with HF/STO-3G.")
    assert isinstance(absent, Question)
    assert "mol.xyz" in absent.text


def test_a_ladder_with_its_own_zero() -> None:
    found = spec(
        "Compute the ring strain of cycloalkanes C3 to C5 from cyclo(CnH2n) -> cyclo(Cn-1H2n-3)-CH3 for n = 4 and 5 at "
        "HF/STO-3G with harmonic frequencies. Take cyclopentane as the reference."
    )
    assert found.strain_reference == 5
    assert [one.name for one in found.reactions] == ["n=4", "n=5"]


def test_cations_are_made_where_only_one_is_possible() -> None:
    found = spec("Compute the enthalpy of R-H -> R+ + H- for ethane with B3LYP/def2-SVP; optimise all but the hydride.")
    assert found.named("ethane cation").smiles == "[CH2+]C"
    unclear = read("Compute the enthalpy of R-H -> R+ + H- for propane with B3LYP/def2-SVP.")
    assert isinstance(unclear, Question)
    assert "propane" in unclear.text


def test_tables_and_lists_of_smiles() -> None:
    listed = spec(
        "Optimise with HF/def2-SVP and report the point group and an image of the optimised "
        "structure.\n\n- ring: C1CC1\n- sulfur hexafluoride: FS(F)(F)(F)(F)F\n"
    )
    assert [one.formula for one in listed.species] == ["C3H6", "F6S"]
    assert "image" in listed.wanted


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Optimise water with B3LYP/def2-SVP, charge = "
"0, multiplicity = 2, and report the dipole moment.", "cannot have multiplicity 2"),
        ("Compute the HOMO-LUMO gap of benzene with B3LYP.", "Which basis set"),
        ("Compute the HOMO-LUMO gap of benzene in the def2-SVP basis.", "Which method"),
        ("Compute the dipole moment of twistane with B3LYP/def2-SVP.", "twistane"),
        ("Compute the reaction enthalpy of CH4 + O2 -> CO2 + H2O with B3LYP/def2-SVP.", "not balanced"),
        ("Compute the dipole moment with B3LYP/def2-SVP.", "Which molecule"),
        ("Compute the pKa of salicylic acid in water with B3LYP/def2-SVP and C-PCM; the proton in water has "
"-265.9 kcal/mol or -270.3 kcal/mol.", "Which free energy"),
        ("Scan the H-F bond of hydrogen fluoride with HF and FCI in STO-3G.", "distances"),
        ("Optimise these with HF/STO-3G and report energies.\n\n- thing: C=C=(C\n", "no SMILES"),
    ],
)  # fmt: skip
def test_what_cannot_be_settled_is_asked(text: str, words: str) -> None:
    reply = read(text)
    assert isinstance(reply, Question), reply
    assert words in reply.text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Optimise ethanol with B3LYP/def2-SVP and compute the NMR chemical shifts.", "NMR"),
        ("Find the transition state of the reaction of ethylene with butadiene at B3LYP/def2-SVP.", "transition state"),
        ("Optimise water with HF/STO-3G, conv_tol = 1e-12, and report its energy.", "conv_tol"),
        ("Compute the ionisation energy of water with HF/STO-3G.", "ionisation"),
    ],
)
def test_what_no_recipe_does_is_handed_back_with_its_words(text: str, words: str) -> None:
    reply = read(text)
    assert isinstance(reply, Unread), reply
    assert words in reply.words


@pytest.mark.parametrize(
    "text",
    [
        "Use tequila and compute the VQE energy of H2 over bond distances from 0.4 to 2.2 angstrom against "
        "the exact answer.",
        "Prepare a Bell state on two qubits with CUDA-Q and measure it with 4096 shots.",
        "Simulate the Lindblad dynamics of a qubit with sigma-z coupling and T1 = 10.",
        "Plan a plate with 12 vials of benzene in toluene.",
    ],
)
def test_tasks_of_others_are_left_alone(text: str) -> None:
    assert read(text) is None


def test_of_a_mixed_task_only_its_own_part_is_claimed() -> None:
    text = (
        "Compute the electron density at the nucleus of a caesium-133 hyperfine qubit with PySCF. "
        "Simulate its Lindblad dynamics with QuTiP and plot the population."
    )
    reply = read(text)
    assert isinstance(reply, Reading)
    left = [one.words for one in uncovered(TaskText(text), reply.covered)]
    assert any("Lindblad" in words for words in left)
    assert not any("electron density" in words for words in left)
    assert reply.spec.nucleus.isotope == "133Cs"  # type: ignore[attr-defined]


def test_assumptions_say_their_consequence() -> None:
    reply = read("Calculate the pKa of acetic acid with B3LYP/def2-SVP in water.")
    assert isinstance(reply, Reading)
    told = " ".join(reply.assumptions)
    assert "-265.9" in told
    assert "3.2 units" in told
    assert "C-PCM is taken" in told
