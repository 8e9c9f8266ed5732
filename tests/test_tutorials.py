"""The tutorials run from top to bottom; what they would show is checked where a number is known."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "docs" / "tutorials"
SHOWN = {
    "calibration": ["T1 = ", "Did you mean 'seed'?", "asked: Measure t1(qubit='Q1', stop=300.0)?", "image/png"],
    "protocols": ["2 mg/mL caffeine (uL)", "refused - ", ".lsr"],
    "langgraph": ["'abort'", "custom   measured", "complete", "<Calibrated complete", "good enough"],
    "feature_maps": ["linear", "import pennylane as qml", "[0 1 2"],
    "computations": ["<Forged complete", "ok ", "image/png"],
}


def test_every_notebook_is_run() -> None:
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == SHOWN.keys()


@pytest.mark.slow  # each starts a kernel
@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the kernel's own libraries
def test_a_notebook_runs_and_shows_what_it_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for one in [one for one in os.environ if one.startswith("LABWRIGHT_")]:
        monkeypatch.delenv(one)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "clear the outputs before you commit"
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = "".join(str(cell.get("outputs", "")) for cell in notebook.cells)
    for said in SHOWN[name]:
        assert said in shown
