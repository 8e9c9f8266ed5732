"""Keys in the environment, in settings, and pasted into a request stay out of all that a run leaves behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from scripted_model import ScriptedModel
from spoiled import Spoiled
from traces import collecting

pytestmark = pytest.mark.slow  # a process with tracing; quick: tests/agents/test_recordings.py
SET, NEAR = "sk-planted-0123456789abcdef", "ghp_planted9876543210"
REQUEST = f"How long does Q1 live? My key is {SET}, and for the other server {NEAR}."
READ = {"How long does Q1 live? My key is «key», and for the other server «key».": "t1 Q1"}
RUN = """
import sys
import labwright
from langchain_core.tracers.langchain import wait_for_all_tracers
from opentelemetry import trace
from labwright.graphs.front_desk.conversation import open_conversation

model = "record:kept,openai:scripted"
try:
    outcome = labwright.calibrate(sys.argv[1], mind=model, figures=False, seed=1)
    print(outcome.status, outcome.run_dir)
except Exception as wrong:
    print("failed", wrong)
with open_conversation() as talk:
    print(talk.say("/" + sys.argv[1]).replies)
wait_for_all_tracers()
trace.get_tracer_provider().force_flush(900_000)
"""


def left_behind(folder: Path, key: str) -> tuple[str, bytes, list[str]]:
    """What a run in `folder` says, and the content of all its files; the server takes `key` only. And the spans."""
    with collecting() as (address, spans), ScriptedModel(Spoiled(READ), key=key) as model:
        given = {
            "BASE_URL": model.url,
            "API_KEY": SET,
            "STATE": folder / "state",
            "RUNS": folder / "runs",
            "RETRIES": 0,
        }
        asked = {"LANGSMITH_TRACING": "true", "LANGSMITH_TRACING_MODE": "otel", "OTEL_EXPORTER_OTLP_ENDPOINT": address}
        asked |= {"OTEL_EXPORTER_OTLP_TIMEOUT": "900", "OTEL_BSP_EXPORT_TIMEOUT": "900000"}  # else spans are dropped
        settings = {f"LABWRIGHT_{name}": str(value) for name, value in given.items()}
        done = subprocess.run(
            [sys.executable, "-c", RUN, REQUEST],
            cwd=folder,
            env={**os.environ, **asked, **settings, "OTHER_SERVER_TOKEN": NEAR},
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    content = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert any(name.name == "checkpoints.sqlite" or "checkpoint" in str(name) for name in content)
    return done.stdout + done.stderr, b"\n".join(content.values()), [str(span) for span in spans]


def test_a_planted_key_is_in_nothing_that_a_run_leaves_behind(tmp_path: Path) -> None:
    said, kept, spans = left_behind(tmp_path, SET)
    assert said.startswith("complete ")
    assert "How long does Q1 live?" in "".join(spans)  # so a key would be seen there, too
    assert b"How long does Q1 live? My key is" in kept
    for key in (SET, NEAR):
        assert key not in said + "".join(spans)
        assert key.encode() not in kept


def test_nor_does_a_server_that_repeats_a_wrong_key_bring_it_in(tmp_path: Path) -> None:
    said, kept, spans = left_behind(tmp_path, "another-key-0123456789")
    assert "LABWRIGHT_API_KEY" in said
    assert SET not in said + "".join(spans)
    assert SET.encode() not in kept
