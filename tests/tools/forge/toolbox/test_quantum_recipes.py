"""Recipes of control, exciton dynamics, variational circuits and tensor networks: contracts, and their own tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from labwright.tools.forge.toolset.shipped import Toolbox

RECIPES = {
    "grape_pulses": "qutip_qtrl", "evolve_under_pulses": "qutip", "shaped_pulses": "numpy", "heom_excitons": "qutip",
    "molecular_vqe": "tequila", "dmrg_ground_states": "tenpy", "spin_chain_exact_states": "scipy",
    "gibbs_purification": "tenpy", "floquet_tebd": "tenpy",
}  # fmt: skip


@pytest.mark.parametrize("name", RECIPES)
def test_contracts_name_the_fields_that_there_are(name: str) -> None:
    contract = Toolbox().contracts[name]
    source = Toolbox().candidate(name).source
    for field in [*contract.inputs, *contract.outputs]:
        assert f"    {field.name}: " in source
    assert len(contract.invariants) >= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_its_own_tests_pass(name: str, tmp_path: Path) -> None:
    pytest.importorskip(RECIPES[name])
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "__init__.py").touch()
    (tools / f"{name}.py").write_text(Toolbox().candidate(name).source)
    (tmp_path / f"test_{name}.py").write_text(Toolbox().candidate(name).tests)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    ran = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=900, env=environment
    )
    assert ran.returncode == 0, ran.stdout[-3000:]
