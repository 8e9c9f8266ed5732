"""The files that a protocol leaves in the run's folder."""

from __future__ import annotations

from typing import Any

from labwright.graphs.protocol_design.bench import Planned
from labwright.tools.liquid_handler.design import write_design
from labwright.tools.runs.files import write_atomic
from labwright.tools.runs.run import Run

ROBOT_FILE = "robot/design.lsr"


def save_files(run: Run, planned: Planned, *, figures: bool) -> dict[str, Any]:
    """Write the robot's file, the design and the plate map; returns where they are."""
    write_atomic(run.folder / ROBOT_FILE, planned.made.file)
    run.save_text("design.yaml", write_design(planned.made.design))
    return {"xml": ROBOT_FILE}


def bench_sheet(planned: Planned, *, figures: bool) -> str:
    """What the chemist prepares and the robot does."""
    return ""
