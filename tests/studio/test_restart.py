"""A server that is ended in the middle of a run keeps its threads; it imports each module once."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_sync_client
from studio_server import serving

IMPORTED = re.compile(r"import time:\s+\d+ \|\s+\d+ \|\s*(\S+)")


@pytest.mark.slow
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


@pytest.mark.slow
def test_each_module_is_imported_once(tmp_path: Path) -> None:
    with serving(tmp_path, PYTHONPROFILEIMPORTTIME="1"):
        pass
    imported = Counter(IMPORTED.findall((tmp_path / "server.log").read_text()))
    # Two threads that want one module at once both say so: only what they end up with counts, the graphs' own modules.
    graphs = {name: times for name, times in imported.items() if re.fullmatch(r"(?:\w+\.)*graphs\.\w+\.graph", name)}
    assert graphs["labwright.graphs.lab_calibration.graph"] == 1
    assert len(graphs) >= 6
    assert all(name.startswith("labwright.") and times == 1 for name, times in graphs.items()), graphs
    assert not {name for name in imported if name.startswith(("graphs.", "agents.", "tools."))}
