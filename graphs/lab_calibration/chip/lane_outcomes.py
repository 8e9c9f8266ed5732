"""What a lane's own report left behind."""

from __future__ import annotations

from typing import Any

from labwright.graphs.lab_calibration.run_context import Laboratory
from labwright.tools.runs.hashed_files import read_json


def outcome_of(lab: Laboratory, part: str) -> dict[str, Any]:
    """What the report node of the part `part` of the run wrote; empty if it never came so far."""
    path = lab.run.folder / "parts" / part / "outcome.json"
    return dict(read_json(path, "Resume the run to write it anew.")["result"]) if path.exists() else {}
