"""What each part of an earlier run becomes in the next request, and what cannot be handed on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labwright.agents.front_desk.actions import Start
from labwright.graphs.front_desk.earlier_run_inputs import handed_on
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.front_desk.run_requests import Order, order_of_words
from labwright.tools.errors import InputError
from labwright.tools.feature_maps.evolutionary_search import plain_recipe
from labwright.tools.runs.run import Run, create_run

QUBIT = {"before": {"frequency": 4889.5}, "after": {"frequency": 4888.0, "drag": 0.48}, "rb_error_per_gate": 7.7e-4}
RECIPE = plain_recipe(entangler="CZ").model_dump(mode="json")
MAP = {"name": "Ring", "summary": "Each component turns one qubit by RY; CZ gates around a ring.", "recipe": RECIPE}


def ended(root: Path, system: str, asked: str, choices: dict[str, Any], result: dict[str, Any]) -> Run:
    """A finished run with a result, without the work."""
    run = create_run(root, system, asked, choices, 5)
    run.save_json("result.json", {"status": "complete", "result": result})
    run.events.append({"kind": "run_finished", "status": "complete"})
    return run


def calibrated(root: Path) -> Run:
    chosen = {"device": "simulated", "device_options": {"drag": 0.0}, "seed": 5, "lab": "", "qubits": []}
    run = ended(root, "lab_calibration", "Calibrate Q1", chosen, {"qubits": {"Q1": QUBIT}, "stages": []})
    run.save_arrays("01_ramsey", {"delay": np.arange(3.0)})
    return run


def searched(root: Path) -> Run:
    chosen = {"dataset": "digits", "qubits": 6, "features": 12, "seed": 5}
    return ended(root, "feature_map_search", "Find a map", chosen, {"feature_map": MAP})


def order(system: str, *sources: Run, folder: Path, text: str = "Fit it", more: str = "") -> Order:
    start = Start.model_validate({"system": system, "text": text, "file": "", "inputs": [], "uses": [], "after": False})
    uses = [f"run:{run.run_id}{more}" for run in sources]
    found = {run.run_id: run for run in sources}
    return handed_on(order_of_words(start, Terms()), uses, found, folder, folder / "runs")


def test_a_calibration_goes_to_a_task_as_files_with_its_numbers_in_the_text(root: Path, tmp_path: Path) -> None:
    run = calibrated(root)
    made = order("tool_forging", run, folder=tmp_path)
    content = json.loads(Path(made.files["gate.json"]).read_text())
    assert content["qubits"]["Q1"]["settings"] == QUBIT["after"]
    assert content["qubits"]["Q1"]["rb_error_per_gate"] == 7.7e-4
    assert f"from run {run.run_id}: gate.json, 01_ramsey.npz, measurements.json" in made.text
    assert "frequency 4888" in made.text
    assert all(Path(path).is_file() for path in made.files.values())


def test_a_calibration_for_a_measurement_keeps_device_and_seed(root: Path, tmp_path: Path) -> None:
    run = calibrated(root)
    made = order("lab_calibration", run, folder=tmp_path, text="single_qubit_rb Q1")
    assert (made.choices["seed"], made.choices["qubits"], made.device_from) == (5, ["Q1"], run.run_id)
    assert made.choices["device_options"] == {"drag": 0.0}
    assert made.choices["approval"] == Terms().approval  # permissions are never handed on


def test_a_map_is_where_the_next_search_starts(root: Path, tmp_path: Path) -> None:
    run = searched(root)
    made = order("feature_map_search", run, folder=tmp_path)
    assert made.choices["persons_ideas"] == [RECIPE]
    assert {name: made.choices[name] for name in ("qubits", "features", "seed")} == {
        "qubits": 6,
        "features": 12,
        "seed": 5,
    }
    assert made.typed_choices()


def test_tools_of_a_run_are_its_toolset(root: Path, tmp_path: Path) -> None:
    run = ended(root, "tool_forging", "Compute it", {"toolset": "empty"}, {"tools_forged": ["a"]})
    (run.folder / "toolset").mkdir()
    assert order("tool_forging", run, folder=tmp_path).choices["toolset"] == str((run.folder / "toolset").absolute())
    own = ended(root, "tool_forging", "Compute it", {"toolset": ""}, {"tools_forged": ["a"]})
    assert order("tool_forging", own, folder=tmp_path).choices["toolset"] == ""


def test_one_value_of_a_result_goes_into_any_request(root: Path, tmp_path: Path) -> None:
    run = calibrated(root)
    made = order("protocol_design", run, folder=tmp_path, text="5 mg of it", more="#qubits.Q1.after.frequency")
    assert made.text.endswith(f"qubits.Q1.after.frequency = 4888.0 (measured in run {run.run_id})")
    with pytest.raises(InputError, match="leads nowhere"):
        order("protocol_design", run, folder=tmp_path, more="#qubits.Q7")


def test_what_a_system_has_no_use_for_is_said(root: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="of no use to protocol design"):
        order("protocol_design", calibrated(root), folder=tmp_path)
