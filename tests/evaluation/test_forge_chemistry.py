"""Graders of the chemistry tasks: full, half and no points, conventions, and what has no reference yet."""

from copy import deepcopy

import pytest
from forge_workspaces import made, record, write

from labwright.evaluation.forge.accuracy_criteria import molecules
from labwright.evaluation.forge.criteria import mean
from labwright.evaluation.forge.grading import accuracy as accuracy_of
from labwright.evaluation.forge.grading import grade
from labwright.evaluation.forge.references.molecules import HARTREE_KCAL, RINGS, SPECIES
from labwright.evaluation.forge.smiles_geometries import PARENTS
from labwright.evaluation.forge.tasks import load_tasks
from labwright.evaluation.forge.workspace_contents import read_workspace

KINDS = {"enthalpy": -0.30, "gibbs": -0.33, "gibbs_sigma_1": -0.331}


def invented(name, number):
    """A made-up reference: what the graders do does not depend on the numbers."""
    energy = -100.0 - number
    return {
        "energy": energy,
        "dipole": 1.0 + number / 10,
        "homo_lumo_gap": 0.4,
        "point_group": "C2v",
        "symbols": ["C", "O", "H", "H"],
        "mulliken_charges": [0.1, -0.3, 0.1, 0.1],
        "frequencies": [1200.0, 1500.0],
        "thermo": {t: {kind: energy + shift for kind, shift in KINDS.items()} for t in ("298.15", "500")},
        "excited": {xc: {"S1": 4.0, "T1": 3.4, "oscillator_strength": 0.02} for xc in ("B3LYP", "PBE0")},
        "with": "",
        "method": "",
    }


@pytest.fixture
def references(monkeypatch):
    made_up = {name: invented(name, number) for number, name in enumerate(SPECIES)}
    monkeypatch.setattr(molecules, "table", lambda: made_up)
    return made_up


def reported(name, kept, **off):
    charges = [charge + off.get("charges", 0.0) for charge in kept["mulliken_charges"]]
    order = [1, 0, 3, 2]  # another order of atoms than the reference's
    return [
        record("energy", kept["energy"] + off.get("energy", 0.0), molecule=name),
        record("dipole", kept["dipole"] + off.get("dipole", 0.0), molecule=name),
        record("homo_lumo_gap", kept["homo_lumo_gap"] + off.get("gap", 0.0), molecule=name),
        record("point_group", off.get("group", kept["point_group"]), molecule=name),
        record("mulliken_charges", [charges[k] for k in order], molecule=name),
        record(
            "coordinates", {"symbols": [kept["symbols"][k] for k in order], "positions": [[0, 0, 0]] * 4}, molecule=name
        ),
        record("frequencies", [off.get("lowest", 900.0), 1500.0], molecule=name),
    ]


TASKS = {task.name: task for task in load_tasks("chemistry")}


def accuracy(task, workspace, folder):
    return accuracy_of(TASKS[task], read_workspace(write(workspace, folder)))


def by_name(criteria):
    return {one.name: one.score for one in criteria}


@pytest.mark.parametrize(
    ("off", "criterion", "score"),
    [
        ({"energy": 0.0009}, "C1", 1), ({"energy": 0.009}, "C1", 0.5), ({"energy": 0.02}, "C1", 0),
        ({"group": "c2v"}, "C2", 0), ({"dipole": 0.1}, "C3", 0.5), ({"dipole": 0.3}, "C3", 0),
        ({"gap": 0.005}, "C4", 0.5), ({"gap": 0.02}, "C4", 0), ({"charges": 0.04}, "C5", 0.5),
        ({"charges": 0.1}, "C5", 0),
        ({"lowest": -150.0}, "I1", 0),
    ],
)  # fmt: skip
def test_properties_are_graded_by_the_papers_steps(off, criterion, score, references, tmp_path):
    kept = references["caffeine_openbabel"]
    right = by_name(accuracy("chemistry/01_organic_l0", made(reported("caffeine", kept), []), tmp_path / "right"))
    assert set(right.values()) == {1.0}
    wrong = by_name(
        accuracy("chemistry/01_organic_l0", made(reported("caffeine", kept, **off), []), tmp_path / "wrong")
    )
    assert wrong == {**right, criterion: score}


def test_without_a_reference_a_criterion_is_named_and_in_no_score(monkeypatch, tmp_path):
    monkeypatch.setattr(molecules, "table", dict)
    found = accuracy("chemistry/01_organic_l0", made(reported("caffeine", invented("", 0)), []), tmp_path / "w")
    counted = [one.name for one in found if one.counted]
    assert counted == ["I1"]
    assert mean(found) == 1.0
    assert "references.molecules caffeine_openbabel" in found[0].found


def carbocations(references, off=0.0, sigma=False):
    kind = "gibbs_sigma_1" if sigma else "gibbs"
    records = []
    for name in PARENTS:
        parts = [references[one]["thermo"]["298.15"] for one in (f"{name} cation", "hydride", name)]
        for quantity, key in (("reaction_enthalpy", "enthalpy"), ("reaction_gibbs", kind)):
            value = (parts[0][key] + parts[1][key] - parts[2][key]) * HARTREE_KCAL + off
            records.append(record(quantity, value, reaction=name))
    return made(records, [])


@pytest.mark.parametrize(("off", "score"), [(0.0, 1), (1.9, 1), (4.0, 0.5), (-6.0, 0)])
def test_reactions_are_graded_by_the_papers_steps(off, score, references, tmp_path):
    found = accuracy("chemistry/07_carbocation_l2", carbocations(references, off), tmp_path / "w")
    assert len(found) == 18
    assert {one.score for one in found} == {score}


def test_free_energies_without_rotational_symmetry_are_right_too(references, tmp_path):
    found = accuracy("chemistry/06_carbocation_l1", carbocations(references, sigma=True), tmp_path / "w")
    assert {one.score for one in found} == {1.0}


def rings(references, off):
    """Strain accumulated from the ladder; `off` is added to each step."""
    strain = {8: 0.0}
    for n in range(8, 3, -1):
        gap = (references[f"methyl{RINGS[n - 1]}"]["energy"] - references[RINGS[n]]["energy"]) * HARTREE_KCAL + off
        strain[n - 1] = strain[n] + gap
    sizes = sorted(strain)
    return made(
        [
            record("ring_strain", [strain[n] - strain[6] for n in sizes], {"ring_size": sizes}, quantity=q)
            for q in ("enthalpy", "gibbs")
        ],
        [],
    )


@pytest.mark.parametrize(("off", "score"), [(0.5, 1), (2.0, 0.5), (4.0, 0)])
def test_strain_is_graded_by_the_gaps(off, score, references, tmp_path):
    found = accuracy("chemistry/08_ring_strain_l1", rings(references, off), tmp_path / "w")
    assert {one.score for one in found} == {score}


def acid(references, pka=22.0, off=0.0):
    acid, anion = (references[name]["thermo"]["298.15"]["gibbs"] for name in ("acetic acid", "acetic acid anion"))
    return made(
        [
            record("pka", pka, acid="acetic acid"),
            record("gibbs", acid, molecule="acetic acid"),
            record("gibbs", anion + off, molecule="acetic acid anion"),
        ],
        [],
    )


def test_pka_has_the_papers_windows(references, tmp_path):
    references["acetic acid anion"]["thermo"]["298.15"]["gibbs"] = (
        references["acetic acid"]["thermo"]["298.15"]["gibbs"] + 0.473
    )
    right = accuracy("chemistry/10_pka_l1", acid(references), tmp_path / "right")
    assert by_name(right) == {"C1": 1, "C2": 1, "C3": 1}
    wrong = accuracy("chemistry/10_pka_l1", acid(references, pka=4.76, off=0.02), tmp_path / "wrong")
    assert by_name(wrong) == {"C1": 0, "C2": 0, "C3": 0.5}


def excited(name="2", s1=4.0, t1=3.4, gap=0.6, f=0.02, **labels):
    return [
        record("excitation_energy", s1, molecule=name, state="S1", **labels),
        record("excitation_energy", t1, molecule=name, state="T1", **labels),
        record("singlet_triplet_gap", gap, molecule=name, **labels),
        record("oscillator_strength", f, molecule=name, state="S1", **labels),
    ]


@pytest.mark.parametrize(
    ("change", "criterion", "score"),
    [({"s1": 4.1}, "C1", 0.5), ({"s1": 4.3}, "C1", 0), ({"t1": 3.3}, "C2", 0.5), ({"gap": 0.65}, "C3", 0.5),
     ({"f": 0.028}, "C4", 0.5), ({"f": 0.2}, "C4", 0)],
)  # fmt: skip
def test_excited_states_are_graded_by_the_papers_steps(change, criterion, score, references, tmp_path):
    def workspace(**more):
        return made([*excited("2", **more), *excited("3"), *excited("5")], [])

    right = accuracy("chemistry/12_tddft_l1", workspace(), tmp_path / "right")
    assert {one.score for one in right} == {1.0}
    wrong = accuracy("chemistry/12_tddft_l1", workspace(**change), tmp_path / "wrong")
    assert by_name(wrong[:4]) == {"C1": 1, "C2": 1, "C3": 1, "C4": 1, criterion: score}


def methodical(references):
    kept = references["caffeine_openbabel"]
    script = (
        "from rdkit import Chem\nfrom pyscf import gto, scf\nfrom pyscf.geomopt import geometric_solver\n"
        "Chem.MolFromSmiles('C')\nscf.RHF(gto.M(basis='def2-svp')).Hessian()\n"
        "geometric_solver.optimize(m)\nmethod = 'hf'\n"
    )
    return made(reported("caffeine", kept), [], packages=["rdkit", "pyscf", "geometric"], script=script)


def test_methodology_of_properties_is_looked_up_in_what_was_called(references, tmp_path):
    [task] = [task for task in load_tasks("chemistry") if task.name == "chemistry/01_organic_l0"]

    def found(workspace, folder):
        return [one for one in grade(task, write(workspace, tmp_path / folder)).criteria if one.name.startswith("M")]

    right = found(methodical(references), "right")
    assert {one.name: one.score for one in right} == {"M1": 1, "M2": 1, "M3": 1}
    nothing_called = {**methodical(references), "packages": ["numpy"]}
    wrong = found(nothing_called, "wrong")
    assert {one.name: one.score for one in wrong}["M1"] == 0
    assert {one.name: one.score for one in wrong}["M2"] < 0.7
    unstable = deepcopy(methodical(references))
    unstable["records"][-1]["value"] = [-300.0, 10.0]
    again = found(unstable, "unstable")
    assert {one.name: one.score for one in again}["M2"] < 1
