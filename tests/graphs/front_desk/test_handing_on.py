"""What each part of an earlier run becomes in the next request, and what cannot be handed on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labwright.agents.front_desk.wishes import CalibrationWish, DesignWish, ForgeWish, Part, SearchWish, Use, WorkWish
from labwright.graphs.front_desk.handing_on import handed_on
from labwright.graphs.front_desk.orders import Order, order_of
from labwright.graphs.front_desk.terms import Terms
from labwright.tools.errors import InputError
from labwright.tools.feature_maps.evolve import plain_recipe
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


def forge_wish(*uses: Use) -> ForgeWish:
    return ForgeWish(text="Fit it", file="", inputs=[], toolset="", mode="forge", seed=None, uses=list(uses))


def order(wish: WorkWish, *sources: Run, folder: Path) -> Order:
    return handed_on(order_of(wish, Terms(), []), wish, {run.run_id: run for run in sources}, folder)


def test_a_gate_goes_to_a_task_as_a_file_with_its_numbers_in_the_text(root: Path, tmp_path: Path) -> None:
    run = calibrated(root)
    made = order(forge_wish(Use(run_id=run.run_id, part="gate")), run, folder=tmp_path)
    content = json.loads(Path(made.files["gate.json"]).read_text())
    assert content["qubits"]["Q1"]["settings"] == QUBIT["after"]
    assert content["qubits"]["Q1"]["rb_error_per_gate"] == 7.7e-4
    assert f"from run {run.run_id}: gate.json" in made.text
    assert "frequency 4888" in made.text


def test_data_go_with_what_was_measured(root: Path, tmp_path: Path) -> None:
    run = calibrated(root)
    made = order(forge_wish(Use(run_id=run.run_id, part="data")), run, folder=tmp_path)
    assert set(made.files) == {"01_ramsey.npz", "measurements.json"}
    assert all(Path(path).is_file() for path in made.files.values())


def test_a_gate_for_a_measurement_keeps_device_and_seed(root: Path, tmp_path: Path) -> None:
    run = calibrated(root)
    use = Use(run_id=run.run_id, part="gate")
    wish = CalibrationWish(text="Benchmark it", qubits=[], file="", seed=None, uses=[use])
    made = order(wish, run, folder=tmp_path)
    assert (made.choices["seed"], made.choices["qubits"], made.device_from) == (5, ["Q1"], run.run_id)
    assert made.choices["device_options"] == {"drag": 0.0}
    assert made.choices["approval"] == Terms().approval  # permissions are never handed on


def test_a_map_is_where_the_next_search_starts(root: Path, tmp_path: Path) -> None:
    run = searched(root)
    use = Use(run_id=run.run_id, part="feature_map")
    counts = dict.fromkeys(("ideas", "qubits", "features", "evaluations", "seed"))
    wish = SearchWish.model_validate({"dataset": "digits", "trials": 3, "idea": "", "uses": [use], **counts})
    made = order(wish, run, folder=tmp_path)
    assert made.choices["persons_ideas"] == [RECIPE]
    assert {name: made.choices[name] for name in ("qubits", "features", "seed", "trials")} == {
        "qubits": 6,
        "features": 12,
        "seed": 5,
        "trials": 3,
    }
    assert made.typed_choices()


def test_tools_of_a_run_are_its_toolset(root: Path, tmp_path: Path) -> None:
    run = ended(root, "tool_forging", "Compute it", {"toolset": "empty"}, {"tools_forged": ["a"]})
    (run.folder / "toolset").mkdir()
    made = order(forge_wish(Use(run_id=run.run_id, part="toolset")), run, folder=tmp_path)
    assert made.choices["toolset"] == str((run.folder / "toolset").absolute())
    own = ended(root, "tool_forging", "Compute it", {"toolset": ""}, {"tools_forged": ["a"]})
    assert order(forge_wish(Use(run_id=own.run_id, part="toolset")), own, folder=tmp_path).choices["toolset"] == ""


@pytest.mark.parametrize("part", ["protocol", "feature_map"])
def test_a_run_does_not_leave_what_its_system_does_not_make(part: Part, root: Path, tmp_path: Path) -> None:
    run = calibrated(root)
    with pytest.raises(InputError, match="left no"):
        order(forge_wish(Use(run_id=run.run_id, part=part)), run, folder=tmp_path)


def test_what_a_system_has_no_use_for_is_said(root: Path, tmp_path: Path) -> None:
    run = calibrated(root)
    wish = DesignWish(text="5 mg of it", file="", control=False, uses=[Use(run_id=run.run_id, part="gate")])
    with pytest.raises(InputError, match="of no use to protocol design"):
        order(wish, run, folder=tmp_path)


def test_a_written_design_gets_no_words_appended(root: Path, tmp_path: Path) -> None:
    run = ended(root, "protocol_design", "chemicals:\n- name: water\ngroups:\n- count: 1\n", {}, {})
    wish = DesignWish(text="2 mL each", file="", control=False, uses=[Use(run_id=run.run_id, part="protocol")])
    with pytest.raises(InputError, match="written design"):
        order(wish, run, folder=tmp_path)


def test_a_run_that_came_to_no_protocol_has_no_control(root: Path, tmp_path: Path) -> None:
    run = ended(root, "protocol_design", "Water the plants.", {}, {})
    wish = DesignWish(text="", file="", control=True, uses=[Use(run_id=run.run_id, part="protocol")])
    with pytest.raises(InputError, match=f"{run.run_id} left no protocol"):
        order(wish, run, folder=tmp_path)
