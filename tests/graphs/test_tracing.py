"""Traces leave as OpenTelemetry, with run and stage as attributes: by LangSmith's own export, to a local collector."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

RUN = """
import labwright
from langchain_core.tracers.langchain import wait_for_all_tracers
from opentelemetry import trace

outcome = labwright.calibrate("t1 Q1", figures=False, seed=1)
print(outcome.run_id)
wait_for_all_tracers()
trace.get_tracer_provider().force_flush()
"""


@contextmanager
def collecting() -> Iterator[tuple[str, list[Any]]]:
    """The address of an OTLP collector, and the spans that it gets."""
    spans: list[Any] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            request = ExportTraceServiceRequest.FromString(body)
            spans.extend(s for each in request.resource_spans for scope in each.scope_spans for s in scope.spans)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", spans
        server.shutdown()
        thread.join()


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
