"""LangGraph Studio's server runs the front desk: a message starts a run of its own, its question is relayed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient
from studio_server import serving
from talks import DILUTION

from labwright.tools.runs.listing import list_runs

PATIENCE = 60.0  # s


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Address of a running server, and the folder of its runs."""
    folder = tmp_path_factory.mktemp("studio")
    with serving(folder) as address:
        yield address, folder / "runs"


@pytest.fixture(scope="module")
def client(server: tuple[str, Path]) -> Iterator[SyncLangGraphClient]:
    with get_sync_client(url=server[0]) as client:
        yield client


@pytest.mark.slow
def test_the_front_desk_starts_a_run_of_its_own_and_relays_its_question(
    client: SyncLangGraphClient, server: tuple[str, Path]
) -> None:
    thread: Any = client.threads.create()
    known = {run.run_id for run in list_runs(server[1])}
    text = DILUTION
    given: dict[str, Any] = {"messages": [{"role": "user", "content": text}], "choices": {"figures": False}}
    client.runs.wait(thread["thread_id"], "front_desk", input=given)
    [started] = [run.run_id for run in list_runs(server[1]) if run.run_id not in known]

    deadline = time.monotonic() + PATIENCE
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
