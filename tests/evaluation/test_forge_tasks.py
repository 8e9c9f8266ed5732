"""The tasks as data: every file parses, and the paper's numbers are in the texts."""

import json
import re

import pytest

from labwright.evaluation.forge.grading import accuracy
from labwright.evaluation.forge.methodology import read_methodology
from labwright.evaluation.forge.tasks import EXTRAS, chosen, load_tasks
from labwright.evaluation.forge.workspace_contents import Workspace
from labwright.tools.errors import InputError
from labwright.tools.forge.tasks.results import Results

ALL = [*load_tasks("dynamics"), *load_tasks("chemistry")]
# What appendix B of the paper prints, in the form in which our texts have it.
NUMBERS = {
    "dynamics/01_bell_state": "CUDA-Q, 4096, sqrt(2)",
    "dynamics/02_h2_vqe": "tequila, 0.4, 2.2",
    "dynamics/03_hubbard_gibbs": "TenPy, 10 sites, t = 1, U = 4, 1/T = 2, open, half filling",
    "dynamics/04_ising_dynamics": "CUDA-Q, 10 qubits, 10 J, 0.1 J, Haar, 10 seconds, 1000, second-order, open",
    "dynamics/05_open_qubit": "QuTiP, H = X + 0.5 * Z, sqrt(gamma) * sigmam(), gamma = 0.2, t = 40, 400",
    "dynamics/06_fmo_heom": "QuTiP, 35, 50 fs, 300 K, 77 K, L = 4, K = 2, 1 ps, site 0, -87.7, 435.0, -63.3",
    "dynamics/07_grape_lambda": "QuTiP, GRAPE, T = 40, 3000",
    "dynamics/08_kicked_ising": "CUDA-Q, 10 qubits, J = 1, T = 1, h = 2 J, 10 Floquet periods, open, Haar",
    "dynamics/09_floquet_tdmrg": "L = 10, 100, 0.03, 50 Floquet periods, 5 disorder, 0, 0.15, 0.3, J = 1, 4 J, 0.393,"
    " tau2 = 0.5, W = 2 J",
    "dynamics/10_cluster_string_order": "TenPy, 11, 21, 41, 100, Z_{i-1} X_i Z_{i+1}, pi/2, cos(theta)",
    "dynamics/11_noisy_bell": "Qiskit, 4096, 0, 0.05, 0.1, 0.2, 0.3, depolarising",
    "chemistry/01_organic_l0": "CN1C=NC2=C1C(=O)N(C(=O)N2C)C, def2-SVP, Hartree-Fock, mf.grids.level = 3",
    "chemistry/02_organic_l1": "CN1C=NC2=C1C(=O)NC(=O)N2C, CC(=O)OC1=CC=CC=C1C(=O)O, def2-SVP",
    "chemistry/03_organic_l2": "caffeine_openbabel.xyz, diisopropylammonium_cation_openbabel.xyz, charge = -1,"
    " charge = +1",
    "chemistry/04_inorganic_l1": "[Cr](=C=O)(=C=O)(=C=O)(=C=O)(=C=O)(=C=O), FCl(F)F, [O-]P(F)(O)=O",
    "chemistry/05_inorganic_l2": "chromium_hexacarbonyl.xyz, t-butylisothiocyanate.xyz, charge = -1",
    "chemistry/06_carbocation_l1": "B3LYP, def2-SVP, methane, trimethylamine, toluene, kcal/mol",
    "chemistry/07_carbocation_l2": "B3LYP, def2-SVP, c1[c+]cccc1, CN(C)[CH2+], COC, kcal/mol",
    "chemistry/08_ring_strain_l1": "n = 4, 5, 6, 7 and 8, C1CCC1, CC1CC1, B3LYP/def2-SVP",
    "chemistry/09_ring_strain_l2": "n = 4, 5, 6, 7, and 8, B3LYP/def2-SVP",
    "chemistry/10_pka_l1": "CPCM, B3LYP/def2-SVP, acetic acid",
    "chemistry/11_pka_l2": "4.76, 2.586, 2.86, B3LYP/def2-SVP, chlorofluoroacetic",
    "chemistry/12_tddft_l1": "2.xyz, 3.xyz, 5.xyz, B3LYP/def2-SVP",
    "chemistry/13_tddft_l2": "2.xyz, 3.xyz, 5.xyz, B3LYP/def2-SVP",
}


def test_there_are_the_papers_24_tasks():
    assert (len(load_tasks("dynamics")), len(load_tasks("chemistry"))) == (11, 13)


@pytest.mark.parametrize("task", ALL, ids=lambda task: task.name)
def test_every_task_parses_and_can_be_graded(task):
    assert task.text.startswith("# ")
    assert task.text.count("## results.json") == 1
    assert task.text.rstrip().rpartition("## results.json")[2].strip()
    assert set(task.extras) <= set(EXTRAS)
    assert accuracy(task, Workspace(Results()))
    assert task.paper.startswith("B.")
    assert sum(stage.weight for stage in read_methodology(task.folder).stages) == pytest.approx(100)  # as in the paper
    assert task.seconds > 0


@pytest.mark.parametrize("name", NUMBERS)
def test_the_papers_numbers_are_in_the_text(name):
    [task] = [task for task in ALL if task.name == name]
    text = re.sub(r"\s+", " ", task.text)
    assert [word for word in NUMBERS[name].split(", ") if word.removesuffix(",") not in text] == []


@pytest.mark.parametrize("task", ALL, ids=lambda task: task.name)
def test_files_that_a_text_names_are_there_and_are_structures(task):
    named = set(re.findall(r"[\w-]+\.xyz", task.text)) - {"name.xyz"}
    assert {name for name in named if not name.startswith(("<", "_"))} <= set(task.inputs) | {"_cation.xyz"}
    for name, content in task.inputs.items():
        lines = content.decode().splitlines()
        assert int(lines[0]) == len(lines) - 2, name
        assert "replaced" in lines[1] or name == "hydride.xyz"
        assert all(len(line.split()) == 4 for line in lines[2:])


def test_tasks_are_chosen_by_number_or_word():
    assert [task.name for task in chosen("dynamics", ["05", "bell"])] == [
        "dynamics/05_open_qubit", "dynamics/01_bell_state", "dynamics/11_noisy_bell",
    ]  # fmt: skip
    assert all(not task.nightly for task in chosen("chemistry"))
    assert len(chosen("chemistry", nightly=True)) == 13
    with pytest.raises(InputError, match="no task 'benzyl'"):
        chosen("dynamics", ["benzyl"])


def test_committed_reference_tables_are_plain_json():
    from labwright.evaluation.forge.references.slow_references import FOLDER

    for path in FOLDER.glob("*.json"):
        assert json.loads(path.read_text())
