"""LangGraph Studio's server runs the graph: schemas, thread, interrupt, resume, state and history."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from labwright.tools.lease import holder_of
from labwright.tools.runs.listing import list_runs

CONFIG = Path(__file__).parents[2] / "langgraph.json"
PATIENCE = 60.0  # s for the server to answer; usually about 6
QUIET = {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
    "LANGSMITH_TRACING": "false",
    "LABWRIGHT_MODEL": "rules",
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Address of a running server, and the folder of its runs."""
    folder, port = tmp_path_factory.mktemp("studio"), free_port()
    command = [str(Path(sys.executable).parent / "langgraph"), "dev", "--config", str(CONFIG)]
    command += ["--no-browser", "--no-reload", "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **QUIET, "LABWRIGHT_RUNS": str(folder / "runs")},
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_until_up(process, f"http://127.0.0.1:{port}", folder / "server.log")
        yield f"http://127.0.0.1:{port}", folder / "runs"
    finally:
        stop(process)


def wait_until_up(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(f"{url}/ok", timeout=2).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    pytest.fail(f"The server did not come up:\n{log.read_text()[-3000:]}")


def stop(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture(scope="module")
def client(server: tuple[str, Path]) -> Iterator[SyncLangGraphClient]:
    with get_sync_client(url=server[0]) as client:
        yield client


def test_the_graph_is_served_with_its_schemas_and_its_drawing(client: SyncLangGraphClient) -> None:
    found: Any = client.assistants.search(graph_id="lab_calibration")
    assert [assistant["graph_id"] for assistant in found] == ["lab_calibration"]
    schemas: Any = client.assistants.get_schemas(found[0]["assistant_id"])
    assert {"request", "choices", "history", "results", "status"} <= set(schemas["state_schema"]["properties"])
    drawing: Any = client.assistants.get_graph(found[0]["assistant_id"])
    assert {"prepare", "supervise", "self_check", "measure", "ask"} <= {node["id"] for node in drawing["nodes"]}


def test_a_run_asks_is_answered_and_ends(client: SyncLangGraphClient, server: tuple[str, Path]) -> None:
    thread: Any = client.threads.create()
    given = {"request": "Measure T1 of Q1", "choices": {"approval": "always", "seed": 5}}
    client.runs.wait(thread["thread_id"], "lab_calibration", input=given)

    waiting: Any = client.threads.get_state(thread["thread_id"])
    assert waiting["next"] == ["ask"]
    [question] = [found["value"] for task in waiting["tasks"] for found in task["interrupts"]]
    assert question["kind"] == "approve"
    assert "t1(" in question["title"]
    [listed] = list_runs(server[1])
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
    [folder] = server[1].iterdir()
    assert (folder / "report.md").is_file()
    [listed] = list_runs(server[1])
    assert listed.status == "complete"
    assert holder_of(folder / "device" / "lease") is None  # the server lives on, but the device is free


def test_a_search_asks_about_its_ideas_and_ends(
    client: SyncLangGraphClient, server: tuple[str, Path], tmp_path: Path
) -> None:
    random = np.random.default_rng(0)
    y = np.arange(60) % 2
    np.savez(tmp_path / "clouds.npz", X=3 * random.normal(size=(2, 4))[y] + random.normal(size=(60, 4)), y=y)
    chosen: dict[str, Any] = {"dataset": str(tmp_path / "clouds.npz"), "qubits": 2, "features": 4, "trials": 1}
    chosen |= {"approval": "always", "baselines": ["linear"], "figures": False}
    thread: Any = client.threads.create()
    given = {"request": "Find a feature map for two clouds", "choices": chosen}
    client.runs.wait(thread["thread_id"], "feature_map_search", input=given)
    for _ in range(chosen["trials"] * 2):
        waiting: Any = client.threads.get_state(thread["thread_id"])
        assert waiting["next"] == ["ask"], waiting["values"].get("cause")
        [question] = [found["value"] for task in waiting["tasks"] for found in task["interrupts"]]
        answer = {"id": question["id"], "decision": question["options"][0]["value"], "value": {}, "note": ""}
        client.runs.wait(thread["thread_id"], "feature_map_search", command={"resume": answer})
    ended: Any = client.threads.get_state(thread["thread_id"])
    assert ended["next"] == []
    assert ended["values"]["status"] == "complete", ended["values"].get("cause")
    assert [row["outcome"] for row in ended["values"]["tried"]] == ["evaluated", "evaluated"]
    assert 0.5 < ended["values"]["test"]["accuracy"] <= 1


def test_a_protocol_is_designed_over_two_questions_an_edit_and_an_approval(
    client: SyncLangGraphClient, server: tuple[str, Path]
) -> None:
    thread: Any = client.threads.create()
    text = "Mix propanol with water: 10 and 20 % v/v propanol, 2 mL each. Cap the vials. Heat to 40 C overnight."
    client.runs.wait(thread["thread_id"], "protocol_design", input={"request": text, "choices": {"figures": False}})
    asked = []
    for decision, value in (("2-propanol", {}), ("12 h", {}), ("edit", {"step_2": "PDT Tip1000uL"}), ("write", {})):
        waiting: Any = client.threads.get_state(thread["thread_id"])
        assert waiting["next"] == ["ask"], waiting["values"].get("cause")
        [question] = [found["value"] for task in waiting["tasks"] for found in task["interrupts"]]
        asked.append(question["kind"])
        answer = {"id": question["id"], "decision": decision, "value": value, "note": ""}
        client.runs.wait(thread["thread_id"], "protocol_design", command={"resume": answer})
    assert asked == ["clarify", "clarify", "approve", "approve"]
    ended: Any = client.threads.get_state(thread["thread_id"])
    assert ended["next"] == []
    assert ended["values"]["status"] == "complete", ended["values"].get("cause")
    assert ended["values"]["tags"]["2"] == ["PDT", "Tip1000uL"]
    assert (Path(ended["values"]["run_dir"]) / ended["values"]["written"]["xml"]).is_file()
