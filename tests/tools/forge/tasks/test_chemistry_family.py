"""The chemistry family: SMILES, scripts that hold nothing unused, and small tasks to their end."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from forge_bench import run_spec
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from tiers import sampled

from labwright.agents.tool_forging.known_task_types import STANDARD
from labwright.tools.forge.tasks.chemistry import FAMILY
from labwright.tools.forge.tasks.chemistry.card import MOLECULES, ChemistryCard, cycloalkane, methylcycloalkane
from labwright.tools.forge.tasks.chemistry.cost_estimate import costs, said
from labwright.tools.forge.tasks.chemistry.smiles import atoms, conjugate_base, hill
from labwright.tools.forge.tasks.chemistry.solver import bond_geometry, scan
from labwright.tools.forge.tasks.chemistry.solver.task import Molecule, Task
from labwright.tools.forge.tasks.expressions import ExpressionError
from labwright.tools.forge.tasks.results import Record, Results
from labwright.tools.forge.tasks.vqe.solver import main as vqe_main
from labwright.tools.specifications.base import SpecificationError

CASES = Path(__file__).resolve().parents[4] / "evaluation" / "cases" / "forge" / "chemistry"


@pytest.mark.parametrize("text", ["", "hello", "CH3+", "C=C)", "C1CC", "[Xx]", "C==", "(C)", "1CC", "[CH3"])
def test_what_is_no_smiles_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError, match="is no SMILES"):
        atoms(text)


def test_every_molecule_of_the_table_is_read() -> None:
    assert all(atoms(smiles)[0] for smiles in MOLECULES.values())
    assert (hill(atoms("CC(=O)[O-]")[0]), atoms("CC(=O)[O-]")[1]) == ("C2H3O2", -1)


@given(st.integers(3, 10))
def test_ladder_rungs_are_isomers(size: int) -> None:
    ring = atoms(cycloalkane(size)[1])
    assert hill(ring[0]) == f"C{size}H{2 * size}"
    if size > 3:
        assert atoms(methylcycloalkane(size - 1)[1]) == ring


@pytest.mark.parametrize(
    ("acid", "base"),
    [
        ("CC(=O)O", "CC(=O)[O-]"),
        ("Oc1ccccc1", "[O-]c1ccccc1"),
        ("OC(=O)c1ccccc1O", "O=C([O-])c1ccccc1O"),
        ("CS(=O)(=O)O", "CS(=O)(=O)[O-]"),
        ("O[N+](=O)[O-]", "O=[N+]([O-])[O-]"),
        ("CO", "C[O-]"),
        ("CCS", "CC[S-]"),
        ("F", "[F-]"),
        ("O", "[OH-]"),
        ("CC", ""),
    ],
)
def test_the_most_acidic_proton_goes(acid: str, base: str) -> None:
    assert conjugate_base(acid) == base
    if base:
        (before, charge), (after, left) = atoms(acid), atoms(base)
        assert (left - charge, before["H"] - after["H"]) == (-1, 1)


@pytest.mark.slow
def test_the_polarisability_of_carbon_monoxide() -> None:
    """Coupled-perturbed Hartree-Fock (an independent program) gives 12.4944 along the bond and 7.0655 across it."""
    noted: dict[str, Any] = {}
    task = SimpleNamespace(note=lambda quantity, value, *_, **more: noted.update({quantity: value}))
    place = {"symbols": ["C", "O"], "positions": [[0, 0, 0], [0, 0, 1.128]]}
    molecule = SimpleNamespace(**place, species={"multiplicity": 1, "charge": 0})
    bond_geometry.polarisability(task, molecule, {"method": "HF", "basis": "6-31G"}, {})
    assert noted["polarisability_principal"] == pytest.approx([7.06546, 7.06546, 12.49445], abs=2e-4)
    assert noted["polarisability"] == pytest.approx((2 * 7.06546 + 12.49445) / 3, abs=2e-4)


@pytest.mark.parametrize("module", [scan, vqe_main])
@pytest.mark.parametrize(("step", "off"), [(0.05, 1e-6), (0.25, 1e-3)])
def test_the_minimum_of_a_scan_carries_its_error(module: Any, step: float, off: float) -> None:
    """Of a Morse curve; a parabola through three points 0.05 angstrom apart is 2e-4 angstrom off."""
    x = np.arange(1.2, 2.7, step)
    place, depth, error, of_depth = module.minimum(x, 0.1 * (1 - np.exp(-1.1 * (x - 1.67172))) ** 2 - 8.2)
    assert abs(place - 1.67172) < min(off, error)
    assert abs(depth + 8.2) < of_depth
    assert error < 10 * off
    assert module.minimum([1.0, 1.2, 1.3], [-1.0, -0.9, -0.8]) is None


WATER = "3\nwater\nO 0 0 0.1\nH 0 0.75 -0.5\nH 0 -0.75 -0.5\n"


@pytest.mark.parametrize(
    ("structure", "more", "said"),
    [
        (WATER.replace("O 0", "Q 0"), {}, "Line 3 of the structure: 'Q' is no element. Write a symbol such as F, or"),
        (WATER.replace("H 0 0.75", "ghost-H 0 0.75"), {}, "The structure holds HO, the formula says H2O."),
        (WATER.replace("0.75 ", "zero "), {}, "Line 4 of the structure is 'H 0 zero -0.5'. Write such as"),
        (WATER.replace("3", "4", 1), {}, "begins with '4', and 3 atoms follow"),
        (
            WATER.replace("3", "4", 1) + "ghost-F 0 0 3\n",
            {"optimise": True},
            "have basis functions only, and no optimise",
        ),
        (WATER, {"cartesian": True, "wanted": ["orbitals"]}, "Orbitals are drawn in spherical functions."),
    ],
)
def test_what_no_structure_is_is_refused_before_anything_runs(structure: str, more: dict[str, Any], said: str) -> None:
    still = {"levels": ["HF/STO-3G"], "optimise": False, "frequencies": False, **more}
    with pytest.raises(ValidationError, match=re.escape(said)):
        ChemistryCard.model_validate({"molecules": {"water": {"xyz": structure, "formula": "H2O"}}, **still}).compiled()
    if not more:
        card = ChemistryCard.model_validate({"molecules": {"water": "inputs/a.xyz H2O"}, **still})
        with pytest.raises(SpecificationError, match=re.escape(said)):
            card.check_inputs({"inputs/a.xyz": structure.encode()})


@pytest.mark.slow
def test_cartesian_functions_and_ghosts_reach_the_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Water has 19 Cartesian functions in 6-31G*; a ghost of fluorine adds 15, and no electrons."""
    gto = pytest.importorskip("pyscf.gto")
    monkeypatch.setattr(gto, "M", gto.M)  # is as before after the test
    read = {"symbols": ["O", "H", "H", "F"], "positions": [[0, 0, k] for k in range(4)]}
    tools = SimpleNamespace(molecule_from_xyz=lambda text, source: SimpleNamespace(**read))
    species = {"name": "water", "file": "", "xyz": "4\n\nO\nH\nH\nghost-F", "charge": 0}
    found = Molecule(Task({"cartesian": True}, tools), species)
    mol = gto.M(atom=[*zip(found.symbols, found.positions, strict=True)], basis="6-31g*", verbose=0)
    assert (mol.nao, mol.nelectron) == (34, 10)


CARDS = {
    "properties": {
        "molecules": {"water": "O"}, "levels": ["HF/STO-3G", "B3LYP/STO-3G"],
        "wanted": ["energy", "dipole", "image", "frequencies"],
    },
    "reaction": {
        "molecules": {"H2": "[H][H]", "H": "[H]"}, "wanted": ["energy", "enthalpy", "gibbs"], "figures": True,
        "reactions": {"H2 -> 2 H": "H2 -> 2 H"},
    },
    "proton": {
        "molecules": {"NH4+": "[NH4+]", "NH3": "N", "H+": "[H+]"}, "wanted": ["energy", "enthalpy", "gibbs"],
        "reactions": {"NH4+ -> NH3 + H+": "NH4+ -> NH3 + H+"},
    },
    "acids": {
        "molecules": {"HF": "F", "HCl": "Cl"}, "levels": ["HF/6-31G"], "solvent": "water",
        "wanted": ["energy", "gibbs"], "acids": {"HF": None, "HCl": -6.3},
    },
    "excited": {
        "molecules": {"ethylene": "C=C"}, "frequencies": False, "active_spaces": [{"electrons": 2, "orbitals": 2}],
        "wanted": ["energy", "orbital_energies", "orbitals", "coordinates"],
        "excited": {"n_singlets": 3, "n_triplets": 3, "tamm_dancoff": True},
    },
    "scan": {
        "molecules": {"H2": "[H][H]"}, "optimise": False, "frequencies": False, "treatments": ["FCI"],
        "scan": {"molecule": "H2", "bond": ["H", "H"], "distances": [0.6, 0.735, 1.5]},
    },
    "hypervalent": {  # from the force field's structure the usual iterations do not converge
        "molecules": {"ClF3": "FCl(F)F"}, "levels": ["HF/def2-SVP"], "optimise": False, "frequencies": False,
    },
}  # fmt: skip
SPECS = {name: ChemistryCard.model_validate({"levels": ["HF/STO-3G"], **one}).compiled() for name, one in CARDS.items()}


@pytest.mark.parametrize("name", SPECS)
def test_scripts_compile_and_import_what_they_use(name: str) -> None:
    spec = SPECS[name]
    needed = {name: f"tools.{name}" for name in FAMILY.tools(spec)}
    used: set[str] = set()
    for script in FAMILY.scripts(spec, needed):
        tree = ast.parse(script.source)
        imported = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert imported <= names
        used |= imported
    assert used >= set(needed)
    assert FAMILY.scripts(spec, needed)[0].subset


@pytest.mark.parametrize("name", sampled(sorted(SPECS, key="hypervalent".__ne__), 9, None, ("slow", "nightly")))
def test_small_tasks_run_to_their_end(name: str, tmp_path: Path) -> None:
    pytest.importorskip("pyscf")
    pytest.importorskip("rdkit")
    bench = run_spec(FAMILY, SPECS[name], tmp_path)
    assert not bench.failed
    assert bench.judgements
    assert "## Level of theory" in bench.report
    _check(name, bench)


def test_a_long_card_says_what_it_takes_before_it_begins() -> None:
    """Acetic acid's pKa took 472 s of two processors when it was graded; cyclooctane no job of an hour."""
    cases = {path.parent.name: STANDARD.card(path.read_text()) for path in CASES.glob("*/card.yaml")}
    tasks = {name: found[1].compiled() for name, found in cases.items() if found}
    assert sum(one.hours for one in costs(tasks["10_pka_l1"])) * 3600 == pytest.approx(472, rel=0.5)
    assert list(said(tasks["10_pka_l1"], 3600)) == []
    assert "7.1 GB of scratch in memory" in next(iter(said(tasks["01_organic_l0"], 3600)))
    told = list(said(tasks["08_ring_strain_l1"], 3600))
    assert len(told) == 2
    assert "cyclooctane may not be done in the 3600 s" in told[1]


def test_a_report_names_states_of_every_method_and_levels_of_reactions() -> None:
    how = {"molecule": "ethylene", "basis": "STO-3G"}
    rows = [
        Record(quantity="energy", labels={**how, "method": "hf"}, value=-77.1),
        Record(quantity="energy", labels={"molecule": "ethylene", "structure": "start"}, value=-77.0),
    ]
    states = ((8.2, {"method": "tddft", "functional": "HF"}), (9.1, {"method": "casci", "active_space": "2,2"}))
    for value, more in states:
        rows.append(Record(quantity="excitation_energy", value=value, labels={**how, **more, "state": "S1"}))
    told = FAMILY.report(SPECS["excited"], Results(records=rows), [])
    assert "| tddft, HF, STO-3G | S1 | 8.2000 | 151.2 | - | - |" in told
    assert "| casci, 2,2, STO-3G | S1 | 9.1000 | 136.2 | - | - |" in told
    labels = {"reaction": "H2 -> 2 H", "method": "mp2", "basis": "STO-3G"}
    rows = [Record(quantity="reaction_energy", labels=labels, value=99.5, unit="kcal/mol")]
    told = FAMILY.report(SPECS["reaction"], Results(records=rows), [])
    assert "| reaction | level | T (K) | energy (kcal/mol) |" in told
    assert "| H2 -> 2 H | mp2/STO-3G | 298.15 | 99.5 |" in told


def _check(name: str, bench: object) -> None:
    results = bench.results  # type: ignore[attr-defined]
    if name == "scan":
        hf, fci = (results.one("energy", method=one).value for one in ("hf", "fci"))
        assert fci[1] == pytest.approx(-1.1373, abs=1e-4)  # full CI of H2 in STO-3G near its minimum
        assert hf[2] - fci[2] > 0.08  # what RHF misses when the bond is stretched
        assert bench.figures  # type: ignore[attr-defined]
    if name == "hypervalent":
        assert results.one("energy", molecule="ClF3", method="hf", basis="def2-SVP").value < -756.8
    if name == "reaction":
        # RHF/STO-3G: 2 x -0.46658 + 1.11751 hartree, less the zero-point energy, plus 1.5 + 0.. RT
        assert results.one("reaction_energy", reaction="H2 -> 2 H").value == pytest.approx(115.7, abs=0.3)
        assert (
            results.one("reaction_gibbs", reaction="H2 -> 2 H").value
            < results.one("reaction_enthalpy", reaction="H2 -> 2 H").value
        )
    if name == "proton":
        # G of a proton gas at 298.15 K and 1 atm: -6.28 kcal/mol
        terms = {one: results.one("gibbs", molecule=one).value for one in ("NH4+", "NH3")}
        rest = (terms["NH3"] - terms["NH4+"]) * 627.5094740631
        assert results.one("reaction_gibbs", reaction="NH4+ -> NH3 + H+").value - rest == pytest.approx(-6.28, abs=0.01)
    if name == "properties":
        assert results.one("point_group", molecule="water", method="hf").value == "C2v"
        assert len(results.find("dipole", molecule="water")) == 2
    if name == "excited":
        triplet = results.one("excitation_energy", state="T1", method="tddft").value
        assert 0 < triplet < results.one("excitation_energy", state="S1", method="tddft").value
        assert results.one("excitation_energy", state="first", method="casci", active_space="2,2").value > 0
    if name == "acids":
        assert results.one("pka", acid="HF").value > -6.3
