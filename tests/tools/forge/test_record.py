"""The recorder of a workspace: what was called, with what, and which packages; the tools do not notice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from toolsets import passed, scaling

from labwright.tools.forge.toolset.toolset import Toolset

SCRIPT = """
import multiprocessing, pickle, sys
from tools.mean_decay import MeanDecayInput, mean_decay
from tools.states.total_energy import TotalEnergyInput, total_energy

if __name__ == "__main__":
    print(mean_decay(MeanDecayInput(x=2.0, factor=3.0)).y)
    print(total_energy(given=TotalEnergyInput(x=1.0, factor=1.0)).y)
    assert mean_decay.__name__ == "mean_decay" and "Mean decay" in mean_decay.__doc__
    assert pickle.loads(pickle.dumps(mean_decay)) is mean_decay
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(mean_decay, [MeanDecayInput(x=5.0, factor=1.0)])[0].y)
    try:
        mean_decay(None)
    except AttributeError as error:
        print(type(error).__name__)
    import numpy
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    toolset = Toolset(tmp_path / "toolset")
    for name, folder in (("mean_decay", ""), ("total_energy", "states")):
        one = scaling(name)
        toolset.admit(one, passed(one), "rules", folder=folder)
    for name, content in toolset.files().items():
        path = tmp_path / "work" / "tools" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "work" / "script_1.py").write_text(SCRIPT)
    return tmp_path / "work"


def _run(workspace: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "script_1.py"], cwd=workspace, capture_output=True, text=True, check=False)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_calls_and_imports_are_recorded(workspace: Path) -> None:
    done = _run(workspace)
    assert done.stdout.split() == ["6.0", "1.0", "5.0", "AttributeError"], done.stderr
    calls = _lines(workspace / "logs" / "calls.jsonl")
    assert [(one["tool"], one["outcome"]) for one in calls] == [
        ("mean_decay", "ok"),
        ("total_energy", "ok"),
        ("mean_decay", "ok"),  # in the other process
        ("mean_decay", "AttributeError"),
    ]
    assert calls[0]["input"] == {"x": 2.0, "factor": 3.0}
    assert len({one["sha256"] for one in calls}) == 4
    assert all(one["seconds"] >= 0 for one in calls)
    last = _lines(workspace / "logs" / "imports.jsonl")[-1]
    assert last["script"] == "script_1.py"
    assert {"numpy", "pydantic"} <= set(last["packages"])
    import numpy

    assert last["packages"]["numpy"] == numpy.__version__
    assert "json" not in last["packages"]
    assert "tools" not in last["packages"]


@pytest.mark.slow
def test_logs_that_cannot_be_written_change_nothing(workspace: Path) -> None:
    (workspace / "logs").write_text("a file is in the way")
    (workspace / "script_1.py").write_text("\n".join(SCRIPT.splitlines()[:8]))
    done = _run(workspace)
    assert done.stdout.split() == ["6.0", "1.0"]
    assert "calls cannot be recorded" in done.stderr
