"""Every example runs as it stands, and every tutorial from top to bottom."""

from __future__ import annotations

import os
import runpy
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
LONG = ("calibrate_qubit", "feature_map_search", "forge_tools", "front_desk")


@pytest.mark.parametrize(
    "example",
    [pytest.param(one, marks=pytest.mark.slow if one.stem in LONG else (), id=one.stem) for one in EXAMPLES],
)
def test_example(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(example), run_name="__main__")
    assert "complete" in capsys.readouterr().out


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
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = "".join(str(cell.get("outputs", "")) for cell in notebook.cells)
    for said in SHOWN[name]:
        assert said in shown
