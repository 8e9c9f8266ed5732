"""LangGraph Studio's server runs the graph: schemas, thread, interrupt, resume, state and history."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient
from studio_server import serving
from talks import DILUTION

from labwright.tools.process_file_lock import holder_of
from labwright.tools.runs.listing import list_runs

pytestmark = pytest.mark.slow  # quick, without a server: tests/graphs/test_drawings.py, test_forms.py
IMPORTED = re.compile(r"import time:\s+\d+ \|\s+\d+ \|\s*(\S+)")
CONFIG = Path(__file__).parents[2] / "langgraph.json"
GRAPHS = list(json.loads(CONFIG.read_text())["graphs"])
CHOOSING = [name for name in GRAPHS if name not in ("front_desk", "self_check")]  # those with choices of their own


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Address of a running server, and the folder of its runs."""
    folder = tmp_path_factory.mktemp("studio")
    with serving(folder, PYTHONPROFILEIMPORTTIME="1") as address:
        yield address, folder / "runs"


@pytest.fixture(scope="module")
def client(server: tuple[str, Path]) -> Iterator[SyncLangGraphClient]:
    with get_sync_client(url=server[0]) as client:
        yield client


def test_each_module_is_imported_once(server: tuple[str, Path]) -> None:
    imported = Counter(IMPORTED.findall((server[1].parent / "server.log").read_text()))
    # Two threads that want one module at once both say so: only what they end up with counts, the graphs' own modules.
    graphs = {name: times for name, times in imported.items() if re.fullmatch(r"(?:\w+\.)*graphs\.\w+\.graph", name)}
    assert graphs["labwright.graphs.lab_calibration.graph"] == 1
    assert len(graphs) >= 6
    assert all(name.startswith("labwright.") and times == 1 for name, times in graphs.items()), graphs
    assert not {name for name in imported if name.startswith(("graphs.", "agents.", "tools."))}


@pytest.mark.parametrize("name", GRAPHS)
def test_every_graph_is_served_with_its_drawing_and_its_form(client: SyncLangGraphClient, name: str) -> None:
    [assistant] = client.assistants.search(graph_id=name)
    drawing: Any = client.assistants.get_graph(assistant["assistant_id"])
    assert len(drawing["nodes"]) > 3
    assert assistant["description"] == json.loads(CONFIG.read_text())["graphs"][name]["description"]
    schemas: Any = client.assistants.get_schemas(assistant["assistant_id"])
    for part in ("input_schema", "output_schema", "state_schema"):  # empty on Python 3.11 with `typing.TypedDict`
        assert schemas[part]["properties"], part
    if name in CHOOSING:
        form = schemas["context_schema"]["properties"]
        assert {"mind", "seed", "approval", "answers", "budget"} <= set(form)
        assert all(field.get("description") for field in form.values())
    if name == "lab_calibration":
        assert {"request", "choices", "history", "results", "status"} <= set(schemas["state_schema"]["properties"])
        assert set(schemas["input_schema"]["properties"]) == {"request", "plan", "choices", "run_dir", "branch"}
        kinds = {node["id"]: node.get("metadata", {}).get("kind") for node in drawing["nodes"]}
        assert [kinds[node] for node in ("inspect", "measure", "self_check", "ask")] == [
            "agent",
            "tool",
            "check",
            "person",
        ]
        assert len(drawing["edges"]) < 2 * len(drawing["nodes"])  # a reader follows two ways out of a node


def test_what_the_form_says_is_chosen_and_the_input_goes_before_it(client: SyncLangGraphClient) -> None:
    thread: Any = client.threads.create()
    given = {"request": "Measure T1 of Q1", "choices": {"seed": 6}}
    context = {"approval": "always", "seed": 5}
    client.runs.wait(thread["thread_id"], "lab_calibration", input=given, context=context)
    waiting: Any = client.threads.get_state(thread["thread_id"])
    assert waiting["next"] == ["ask"]
    assert (waiting["values"]["choices"]["approval"], waiting["values"]["choices"]["seed"]) == ("always", 6)


def test_two_threads_run_side_by_side_and_a_third_is_forked_from_the_past(client: SyncLangGraphClient) -> None:
    threads: list[Any] = [client.threads.create() for _ in range(2)]
    runs: list[Any] = [
        client.runs.create(
            thread["thread_id"],
            "lab_calibration",
            input={"request": "Measure T1 of Q1", "choices": {"seed": seed, "approval": "always"}},
        )
        for seed, thread in enumerate(threads)
    ]
    for thread, run in zip(threads, runs, strict=True):
        client.runs.join(thread["thread_id"], run["run_id"])
    states: list[Any] = [client.threads.get_state(thread["thread_id"]) for thread in threads]
    assert [state["next"] for state in states] == [["ask"], ["ask"]]
    assert len({state["values"]["run_dir"] for state in states}) == 2

    history: Any = client.threads.get_history(threads[0]["thread_id"], limit=100)
    early = next(state for state in history if state["next"] == ["understand"])
    client.runs.wait(threads[0]["thread_id"], "lab_calibration", checkpoint=early["checkpoint"])
    again: Any = client.threads.get_state(threads[0]["thread_id"])
    assert again["next"] == ["ask"]
    assert again["checkpoint"]["checkpoint_id"] != states[0]["checkpoint"]["checkpoint_id"]


def test_what_happens_is_streamed(client: SyncLangGraphClient) -> None:
    thread: Any = client.threads.create()
    given = {"request": "Measure T1 of Q1", "choices": {"approval": "always"}}
    parts = [
        part.data
        for part in client.runs.stream(thread["thread_id"], "lab_calibration", input=given, stream_mode="custom")
        if part.event == "custom"
    ]
    assert {"run_started", "planned", "stage_started"} <= {part["kind"] for part in parts}


def test_a_run_asks_is_answered_and_ends(client: SyncLangGraphClient, server: tuple[str, Path]) -> None:
    thread: Any = client.threads.create()
    given = {"request": "Measure T1 of Q1", "choices": {"approval": "always", "seed": 5}}
    client.runs.wait(thread["thread_id"], "lab_calibration", input=given)

    waiting: Any = client.threads.get_state(thread["thread_id"])
    assert waiting["next"] == ["ask"]
    [question] = [found["value"] for task in waiting["tasks"] for found in task["interrupts"]]
    assert question["kind"] == "approve"
    assert "t1(" in question["title"]
    folder = Path(waiting["values"]["run_dir"])
    listed = next(run for run in list_runs(server[1]) if run.run_id == folder.name)
    assert (listed.status, listed.reason) == ("interrupted", "waits for an answer")

    answer = {"id": question["id"], "decision": "run", "value": {}, "note": ""}
    client.runs.wait(thread["thread_id"], "lab_calibration", command={"resume": answer})
    ended: Any = client.threads.get_state(thread["thread_id"])
    assert ended["next"] == []
    assert ended["values"]["status"] == "complete", ended["values"].get("cause")
    assert ended["values"]["answers"][question["id"]]["decision"] == "run"
    measured = ended["values"]["results"]["Q1"]["t1.t1"]
    assert abs(measured["value"] - 126) < 5 * measured["error"] < 60  # the simulated Q1 relaxes in 126 us

    history: Any = client.threads.get_history(thread["thread_id"], limit=100)
    assert any(state["next"] == ["measure"] for state in history)
    assert (folder / "report.md").is_file()
    listed = next(run for run in list_runs(server[1]) if run.run_id == folder.name)
    assert listed.status == "complete"
    assert holder_of(folder / "device" / "lease") is None  # the server lives on, but the device is free


MIXTURES = """
system: protocol_design
chemicals: [{name: propanol}, {name: water}]
groups:
  - factors: [{name: share, levels: [10 % v/v, 20 % v/v]}]
    doses: [{substance: propanol, kind: fraction, factor: share}, {substance: water, kind: remainder}]
    total_volume: 2 mL
conditions: [{kind: mix, by: vortex, time: 5 min}]
"""


def test_a_protocol_is_designed_over_a_question_an_edit_and_an_approval(
    client: SyncLangGraphClient, server: tuple[str, Path]
) -> None:
    thread: Any = client.threads.create()
    given = {"request": MIXTURES, "choices": {"figures": False, "outputs": []}}
    client.runs.wait(thread["thread_id"], "protocol_design", input=given)
    asked = []
    for decision, value in (("2-propanol", {}), ("edit", {"step_2": "PDT Tip1000uL"}), ("write", {})):
        waiting: Any = client.threads.get_state(thread["thread_id"])
        assert waiting["next"] in (["understand"], ["approve"]), waiting["values"].get("cause")
        [question] = [found["value"] for task in waiting["tasks"] for found in task["interrupts"]]
        asked.append(question["kind"])
        answer = {"id": question["id"], "decision": decision, "value": value, "note": ""}
        client.runs.wait(thread["thread_id"], "protocol_design", command={"resume": answer})
    assert asked == ["clarify", "approve", "approve"]
    ended: Any = client.threads.get_state(thread["thread_id"])
    assert ended["next"] == []
    assert ended["values"]["status"] == "complete", ended["values"].get("cause")
    assert ended["values"]["tags"]["2"] == ["PDT", "Tip1000uL"]
    assert (Path(ended["values"]["run_dir"]) / ended["values"]["written"]["xml"]).is_file()


TASK = """
system: tool_forging
task: dynamics
parts: {q: {levels: 2}}
hamiltonian: 0.8*X(q)
cases: {initial: {plus: plus(q)}}
times: linspace(0, 5, 11)
wanted: {expectation: {of: {Z: Z(q)}}}
"""


def _small(name: str, folder: Path) -> dict[str, Any]:
    """A piece of work of each system that asks a person and takes seconds."""
    if name == "protocol_design":
        return {"request": DILUTION, "choices": {"figures": False}}
    if name == "sequence":
        return {"request": "system: sequence\nsteps:\n  - spec: {system: lab_calibration, steps: [t1 Q1]}\n"}
    if name == "tool_forging":
        return {"request": TASK, "choices": {"toolset": str(folder / "toolset")}}
    if name == "lab_calibration":
        return {"request": "Measure T1 of Q1", "choices": {"seed": 5}}
    random = np.random.default_rng(0)
    y = np.arange(60) % 2
    np.savez(folder / "clouds.npz", X=3 * random.normal(size=(2, 4))[y] + random.normal(size=(60, 4)), y=y)
    chosen = {"dataset": str(folder / "clouds.npz"), "qubits": 2, "features": 4, "trials": 1, "ideas": 1}
    return {"request": "Two clouds", "choices": {**chosen, "baselines": ["linear"], "figures": False}}


@pytest.mark.parametrize("name", CHOOSING)
def test_every_system_asks_with_a_form_ends_after_a_bare_option_and_is_forked(
    name: str, client: SyncLangGraphClient, server: tuple[str, Path], tmp_path: Path
) -> None:
    given = _small(name, tmp_path)
    given["choices"] = {**given.get("choices", {}), "approval": "always"}
    thread: Any = client.threads.create()
    client.runs.wait(thread["thread_id"], name, input=given)
    waiting: Any = client.threads.get_state(thread["thread_id"])
    asked, before, run_id = 0, waiting["checkpoint"], Path(waiting["values"]["run_dir"]).name

    def status() -> str:
        return next(run.status for run in list_runs(server[1]) if run.run_id == run_id)

    assert status() == ("complete" if name == "tool_forging" else "interrupted"), waiting["values"].get("cause")
    while waiting["next"] and asked < 5:
        [question] = [found["value"] for task in waiting["tasks"] for found in task["interrupts"]]
        assert question["title"]
        assert question["reply"]
        assert question["form_schema"]["properties"]
        asked += 1
        client.runs.wait(thread["thread_id"], name, command={"resume": question["options"][0]["value"]})
        waiting = client.threads.get_state(thread["thread_id"])
    assert waiting["values"]["status"] == "complete", waiting["values"].get("cause")
    folder = Path(waiting["values"]["run_dir"])
    assert (status(), bool(json.loads((folder / "result.json").read_text())["result"])) == ("complete", True)
    if not asked:  # a card asks nothing without a model
        return

    client.runs.wait(thread["thread_id"], name, checkpoint=before)  # a fork: the same question from the past
    again: Any = client.threads.get_state(thread["thread_id"])
    assert [found["value"]["title"] for task in again["tasks"] for found in task["interrupts"]]
    client.runs.wait(thread["thread_id"], name, command={"resume": "abort"})
    ended: Any = client.threads.get_state(thread["thread_id"])
    left = "complete" if name == "sequence" else "stopped"  # a step is a run of its own, and that one had ended
    assert (ended["next"], ended["values"]["status"]) == ([], left)


def test_the_front_desk_starts_a_run_of_its_own_and_relays_its_question(
    client: SyncLangGraphClient, server: tuple[str, Path]
) -> None:
    thread: Any = client.threads.create()
    known = {run.run_id for run in list_runs(server[1])}
    given: dict[str, Any] = {"messages": [{"role": "user", "content": DILUTION}], "choices": {"figures": False}}
    client.runs.wait(thread["thread_id"], "front_desk", input=given)
    [started] = [run.run_id for run in list_runs(server[1]) if run.run_id not in known]

    deadline = time.monotonic() + 120
    waiting: Any = client.threads.get_state(thread["thread_id"])
    while waiting["next"] != ["ask"] and time.monotonic() < deadline:  # another turn without words: what waits?
        time.sleep(0.5)
        client.runs.wait(thread["thread_id"], "front_desk", input={"choices": {"figures": False}})
        waiting = client.threads.get_state(thread["thread_id"])
    [question] = [found["value"] for task in waiting["tasks"] for found in task["interrupts"]]
    assert (question["kind"], question["id"]) == ("approve", f"{started}/approve 1")

    answer = {"id": question["id"], "decision": "write", "value": {}, "note": ""}
    client.runs.wait(thread["thread_id"], "front_desk", command={"resume": answer})
    ended = next(run for run in list_runs(server[1]) if run.run_id == started)
    while ended.status != "complete" and time.monotonic() < deadline:
        time.sleep(0.2)
        ended = next(run for run in list_runs(server[1]) if run.run_id == started)
    assert ended.status == "complete"
    client.runs.wait(thread["thread_id"], "front_desk", input={"choices": {"figures": False}})
    state: Any = client.threads.get_state(thread["thread_id"])
    assert [reply["kind"] for reply in state["values"]["replies"]] == ["ended"]
    assert started in state["values"]["messages"][-1]["content"]


def test_a_thread_outlives_its_server_and_goes_on(tmp_path: Path) -> None:
    given = {"request": "Measure T1 of Q1", "choices": {"approval": "always", "seed": 5}}
    with serving(tmp_path) as address, get_sync_client(url=address) as client:
        thread: Any = client.threads.create()
        client.runs.wait(thread["thread_id"], "lab_calibration", input=given)
        before: Any = client.threads.get_state(thread["thread_id"])
    with serving(tmp_path) as address, get_sync_client(url=address) as client:
        after: Any = client.threads.get_state(thread["thread_id"])
        assert after["next"] == before["next"] == ["ask"]
        assert after["values"] == before["values"]
        [question] = [found["value"] for task in after["tasks"] for found in task["interrupts"]]
        answer = {"id": question["id"], "decision": "run", "value": {}, "note": ""}
        client.runs.wait(thread["thread_id"], "lab_calibration", command={"resume": answer})
        ended: Any = client.threads.get_state(thread["thread_id"])
        assert ended["values"]["status"] == "complete", ended["values"].get("cause")
