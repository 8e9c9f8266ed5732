"""Chemistry recipes: what they share is the same text, and their own tests pass."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from labwright.tools.forge.toolset.shipped import Toolbox

SHARING = (
    "mean_field_energy", "geometry_optimization", "harmonic_frequencies", "excited_states_tddft", "casci_states",
    "correlated_energy", "nuclear_electron_density", "plot_orbital_contours",
)  # fmt: skip
RECIPES = (
    *SHARING, "molecule_from_smiles", "molecule_from_xyz", "normal_mode_displacement", "ideal_gas_thermochemistry",
    "molecular_point_group", "reaction_thermochemistry", "ring_strain_ladder", "acid_dissociation_constant",
    "stretched_bond", "plot_molecule",
)  # fmt: skip


def _shared(name: str) -> str:
    """The private functions that build a mean field, with the recipe's own input type left open."""
    source = Toolbox().candidate(name).source
    camel = "".join(part.capitalize() for part in name.split("_"))
    text = source[source.index("def _molecule(") :].replace(f"{camel}Input", "Input")
    return re.sub(r"\s+", "", text).replace(",)", ")")


def test_every_recipe_builds_its_mean_field_in_the_same_words() -> None:
    assert len({_shared(name) for name in SHARING}) == 1


@pytest.mark.parametrize("name", RECIPES)
def test_contracts_name_the_fields_that_there_are(name: str) -> None:
    contract = Toolbox().contracts[name]
    source = Toolbox().candidate(name).source
    for field in [*contract.inputs, *contract.outputs]:
        assert f"    {field.name}: " in source
    assert contract.invariants


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_its_own_tests_pass(name: str, tmp_path: Path) -> None:
    pytest.importorskip("pyscf")
    pytest.importorskip("rdkit")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "__init__.py").touch()
    (tools / f"{name}.py").write_text(Toolbox().candidate(name).source)
    (tmp_path / f"test_{name}.py").write_text(Toolbox().candidate(name).tests)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."]
    ran = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-2000:]
