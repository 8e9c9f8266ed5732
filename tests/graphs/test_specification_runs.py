"""From a document to a run: what is granted stays outside, spec.yaml runs again with the same result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from labwright.graphs.checkpoints import checkpoints
from labwright.graphs.feature_map_search.choices import Choices as SearchChoices
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CALIBRATION
from labwright.graphs.protocol_design.choices import Choices as DesignChoices
from labwright.graphs.registry import driver
from labwright.graphs.specification_runs import GRANTED, job_of
from labwright.graphs.tool_forging.choices import Choices as ForgeChoices
from labwright.tools.errors import InputError, RecordError
from labwright.tools.runs.listing import read_result
from labwright.tools.runs.run import create_run, open_run, run_ids
from labwright.tools.specifications.examples import example
from labwright.tools.specifications.kinds import Written, kind_of, read_written
from labwright.tools.specifications.yaml_files import read_document

PLAN = "system: lab_calibration\ntitle: One time\nseed: 7\nsteps:\n  - t1 Q1, points = 21, shots = 500\n"


def written(text: str, folder: Path = Path(), **patches: Any) -> Written:
    return read_written(text, "x.yaml", folder, [((name,), value) for name, value in patches.items()])


def test_a_plan_runs_and_its_spec_gives_the_same_values_again(root: Path) -> None:
    first = job_of(written(PLAN), {"answers": "defaults"}).start(root)
    assert first.status == "complete", first.reason
    assert first.run_id.endswith("one-time")
    assert (first.run_dir / "report.md").read_text().startswith("# One time\n")
    again = job_of(written((first.run_dir / "spec.yaml").read_text()), {}).start(root)
    assert again.document["seed"] == 7
    assert again.result["qubits"]["Q1"]["measured"] == first.result["qubits"]["Q1"]["measured"]


def test_code_that_a_document_names_as_the_device_needs_consent(root: Path) -> None:
    text = PLAN + "device: {factory: 'os:system'}\n"
    with pytest.raises(InputError, match="--device os:system"):
        job_of(written(text), {}).start(root)
    assert run_ids(root) == []


@pytest.mark.parametrize(
    ("system", "choices"),
    [("feature_map_search", SearchChoices), ("tool_forging", ForgeChoices), ("protocol_design", DesignChoices)],
)
def test_fields_that_are_choices_have_the_same_default(system: str, choices: Any) -> None:
    shared = {name: each for name, each in kind_of(system).model_fields.items() if name in choices.model_fields}
    own = choices.model_validate({}).model_dump(mode="json")
    assert shared
    assert not {*shared} & {*GRANTED}
    assert {name: each.get_default(call_default_factory=True) for name, each in shared.items()} == {
        name: [] if own[name] == [] else own[name] for name in shared
    }


@pytest.mark.slow
@pytest.mark.parametrize(("short", "kind"), [("search", ""), ("task", "free"), ("protocol", "calibration")])
def test_spec_yaml_says_the_same_as_the_document_it_came_from(root: Path, short: str, kind: str) -> None:
    job = job_of(written(example(short, kind)), {})
    run = job.prepare(root)
    back = job_of(written((run.folder / "spec.yaml").read_text(), run.folder), {})
    assert (back.text, back.choices) == (job.text, job.choices)


def test_a_run_that_began_with_words_keeps_a_spec_too(root: Path) -> None:
    run = driver("tool_forging").prepare(
        "What is 2 + 2?", ForgeChoices(threads=4), root, files={"workspace/inputs/a": b"1"}
    )
    data = read_document((run.folder / "spec.yaml").read_text()).data
    assert data == {
        "spec": 1,
        "system": "tool_forging",
        "task": "free",
        "question": "What is 2 + 2?",
        "inputs": ["workspace/inputs/a"],
        "threads": 4,
    }


@pytest.mark.slow
def test_the_design_of_a_document_is_planned_as_written(root: Path) -> None:
    outcome = job_of(written(example("protocol", "calibration")), {"figures": False}).start(root)
    assert outcome.status == "complete", outcome.reason
    assert len(outcome.result["vials"]) == 16


def test_inputs_of_a_task_lie_beside_its_document(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("1,2")
    text = "system: tool_forging\nquestion: Add them.\ninputs: [data.csv]\n"
    assert job_of(written(text, tmp_path), {}).files == {"workspace/inputs/data.csv": b"1,2"}
    (tmp_path / "inputs").mkdir()
    (tmp_path / "inputs" / "a.xyz").write_text("1")
    whole = job_of(written(text.replace("data.csv", "inputs"), tmp_path), {})
    assert whole.files == {"workspace/inputs/a.xyz": b"1"}
    (tmp_path / "link").symlink_to("/etc/hostname")
    for name, said in (("gone.csv", "cannot be read"), ("link", "leads out of the document's folder")):
        with pytest.raises(InputError, match=said):
            job_of(written(text.replace("data.csv", name), tmp_path), {})


class Older(TypedDict, total=False):
    phase: str
    status: str
    frames: list[Any]


def test_a_run_of_a_version_without_plans_is_refused_with_that_version(root: Path) -> None:
    run = create_run(root, "lab_calibration", "Measure T1 of Q1", Choices().model_dump(mode="json"), 0)
    graph = StateGraph(Older)
    graph.add_node("translate", lambda state: {"phase": "translate", "status": "running", "frames": [{}]})
    graph.add_edge(START, "translate")
    graph.add_edge("translate", END)
    with checkpoints(run.folder) as saver:
        graph.compile(checkpointer=saver).invoke({"phase": "rules"}, {"configurable": {"thread_id": run.run_id}})
    said = f"made by Labwright {run.record.versions['labwright']} before plans; resume it with that version"
    with pytest.raises(RecordError, match=said):
        CALIBRATION.resume(run.run_id, root)
    with pytest.raises(RecordError, match=said):
        CALIBRATION.fork(run.run_id, root, stage=0)
    assert (read_result(open_run(root, run.run_id)) or {})["status"] == "stopped"
