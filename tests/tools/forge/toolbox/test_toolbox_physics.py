"""Tools of the toolbox: their own tests, and physics that none of them tests alone."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import forge_bench
import numpy as np
import pytest

from labwright.tools.forge.toolset.builtin_tools import Toolbox
from labwright.tools.forge.toolset.optional_dependencies import missing

SHARING = (
    "mean_field_energy", "geometry_optimization", "harmonic_frequencies", "excited_states_tddft", "casci_states",
    "correlated_energy", "nuclear_electron_density", "plot_orbital_contours",
)  # fmt: skip


def _call(name: str, **given: Any) -> Any:
    module = forge_bench.recipe(name)
    camel = "".join(part.capitalize() for part in name.split("_"))
    return getattr(module, name)(getattr(module, f"{camel}Input")(**given))


@pytest.mark.nightly
@pytest.mark.parametrize("name", Toolbox().contracts)
def test_its_own_tests_pass(name: str, tmp_path: Path) -> None:
    """With the packages that are installed now; the gate's record is of those of its day."""
    package = Toolbox().contracts[name].package
    if missing([package]):
        pytest.skip(f"{package} is not installed")
    ran = forge_bench.run_recipe_tests([name], tmp_path)
    assert ran.returncode == 0, ran.stdout[-3000:]


def _shared(name: str) -> str:
    """The private functions that build a mean field, with the recipe's own input type left open."""
    source = Toolbox().candidate(name).source
    camel = "".join(part.capitalize() for part in name.split("_"))
    text = source[source.index("def _molecule(") :].replace(f"{camel}Input", "Input")
    return re.sub(r"\s+", "", text).replace(",)", ")")


def test_every_recipe_builds_its_mean_field_in_the_same_words() -> None:
    assert len({_shared(name) for name in SHARING}) == 1


def test_a_product_formula_comes_near_exact_evolution_with_the_square_of_its_step() -> None:
    n, total = 5, 1.5
    patterns = [
        {"letters": "ZZ", "offsets": [0, 1], "coefficient": -1.0},
        {"letters": "X", "offsets": [0], "coefficient": -0.8},
    ]
    terms = [
        t.model_dump() for t in _call("pauli_chain_terms", n_qubits=n, boundary="periodic", patterns=patterns).terms
    ]
    start = _call("spin_chain_state", n_qubits=n, kind="bits", bits="0" * n).amplitudes
    sure = _call(
        "chain_exact_evolution", n_qubits=n, initial_state=start, hamiltonian=terms, times=[total], observables=[]
    )
    exact = np.array(sure.final_state) @ [1, 1j]
    errors = []
    for steps in (20, 40):
        step = [
            one.model_dump()
            for one in _call("product_formula_step", terms=terms, time_step=total / steps, order=2).rotations
        ]
        made = _call("chain_rotations_numpy", n_qubits=n, initial_state=start, step=step, n_steps=steps, observables=[])
        errors.append(float(np.linalg.norm(np.array(made.final_state) @ [1, 1j] - exact)))
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)


def test_noise_by_kraus_operators_is_noise_by_pauli_twirl() -> None:
    """A depolarised GHZ state, by the recipe and by hand."""
    p = 0.2
    operations = [{"name": "h", "qubits": [0]}, {"name": "cx", "qubits": [0, 1]}, {"name": "cx", "qubits": [1, 2]}]
    noisy = [*operations, *({"name": "depolarizing", "qubits": [q], "value": p} for q in range(3))]
    made = _call("circuit_density_matrix", n_qubits=3, operations=noisy, observables=["XXX", "ZZI", "ZIZ", "YYX"])
    assert made.expectations == pytest.approx([(1 - p) ** 3, (1 - p) ** 2, (1 - p) ** 2, -((1 - p) ** 3)])


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["qiskit", "cudaq"])
def test_counts_of_a_random_circuit_agree_with_its_exact_state(backend: str) -> None:
    pytest.importorskip("qiskit_aer" if backend == "qiskit" else "cudaq")
    rng = np.random.default_rng(11)
    operations: list[dict[str, Any]] = []
    for _ in range(12):
        a, b = map(int, rng.permutation(3)[:2])
        operations += [
            {"name": str(rng.choice(["rx", "ry", "rz"])), "qubits": [a], "value": float(rng.uniform(0, 2 * math.pi))},
            {"name": str(rng.choice(["cx", "cz", "cy"])), "qubits": [a, b]},
            {
                "name": str(rng.choice(["amplitude_damping", "phase_damping", "bit_phase_flip"])),
                "qubits": [b],
                "value": 0.04,
            },
        ]
    sure = _call("circuit_density_matrix", n_qubits=3, operations=operations, observables=["XYZ"]).expectations[0]
    made = _call(f"sample_circuit_{backend}", n_qubits=3, operations=operations, basis="XYZ", shots=40_000, seed=2)
    mean = sum((-1) ** bits.count("1") * count for bits, count in made.counts.items()) / made.shots
    assert mean == pytest.approx(sure, abs=0.025)


@pytest.mark.slow
def test_no_low_singlet_is_passed_over() -> None:
    """With three states alone PySCF finds 3.89, 9.10 and 9.87 eV; full matrices have one at 8.98 between."""
    places = [[0, 0, 0], [0, 0, 1.21], [0, 0.94, -0.58], [0, -0.94, -0.58]]
    molecule = {"symbols": ["C", "O", "H", "H"], "positions": places, "charge": 0, "multiplicity": 1}
    found = _call("excited_states_tddft", **molecule, method="B3LYP", basis="6-31G", n_singlets=3, n_triplets=0)
    assert found.singlet_energies == pytest.approx([3.893, 8.983, 9.102], abs=2e-3)
