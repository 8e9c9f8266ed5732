"""Traces leave as OpenTelemetry, with run and stage as attributes: by LangSmith's own export, to a local collector."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from traces import collecting

RUN = """
import labwright
from langchain_core.tracers.langchain import wait_for_all_tracers
from opentelemetry import trace

outcome = labwright.calibrate("t1 Q1", figures=False, seed=1)
print(outcome.run_id)
wait_for_all_tracers()
trace.get_tracer_provider().force_flush()
"""


@pytest.mark.slow
def test_a_calibration_is_one_trace_with_its_run_and_stage(tmp_path: Path) -> None:
    with collecting() as (address, spans):
        asked = {"LANGSMITH_TRACING": "true", "LANGSMITH_TRACING_MODE": "otel", "OTEL_EXPORTER_OTLP_ENDPOINT": address}
        done = subprocess.run(
            [sys.executable, "-c", RUN],
            cwd=tmp_path,
            env={**os.environ, **asked, "OTEL_SERVICE_NAME": "labwright"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    run_id = done.stdout.split()[-1]
    found = [(span.name, {each.key: each.value.string_value for each in span.attributes}) for span in spans]
    assert len({span.trace_id for span in spans}) == 1
    assert {attributes["langsmith.metadata.thread_id"] for _, attributes in found} == {run_id}
    assert {"lab_calibration", "understand", "self_check", "measure", "inspect"} <= {name for name, _ in found}
    [measured] = [attributes for name, attributes in found if name == "t1"]
    assert measured["langsmith.metadata.run_id"] == run_id
    assert measured["langsmith.metadata.stage"] == "request@1"
    assert json.loads(measured["gen_ai.prompt"]) == {"qubit": "Q1"}
    assert ("inspect", "agent") in {(name, attributes.get("langsmith.metadata.kind")) for name, attributes in found}
