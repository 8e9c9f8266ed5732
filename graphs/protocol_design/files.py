"""The files that a protocol leaves in the run's folder."""

from __future__ import annotations

from typing import Any

from labwright.agents.settings import Settings
from labwright.graphs.protocol_design.computed_design import Planned
from labwright.graphs.protocol_design.state import DesignState
from labwright.tools.liquid_handler.experiment_design import write_design
from labwright.tools.liquid_handler.json_and_csv_export import protocol_record
from labwright.tools.liquid_handler.protocol_file_writing import write
from labwright.tools.liquid_handler.report import bench_report
from labwright.tools.liquid_handler.robots.outputs import written
from labwright.tools.runs.run import Run

FOLDER = "robot"
PROPOSAL = "proposal.json"


def outputs_of(state: DesignState) -> list[str]:
    """What is written beside the design file: what the specification says, else what was chosen."""
    return list(state["draft"].get("outputs", state["choices"]["outputs"]))


def save_files(run: Run, planned: Planned, state: DesignState) -> dict[str, Any]:
    """Write the robots' files, tables, the plate map and the design; returns their paths in the run's folder."""
    figures, outputs = state["choices"]["figures"], outputs_of(state)
    paths = write(planned.made, run.folder / FOLDER, figures, outputs, Settings().opentrons)
    run.chain.keep(*paths.values())
    run.save_text("design.yaml", write_design(planned.made.design))
    named = {kind: str(path.relative_to(run.folder)) for kind, path in paths.items()}
    return {"xml": named.get("lsr", ""), "files": named, "notes": notes_of(planned, state)}


def save_proposal(run: Run, planned: Planned) -> None:
    """Write what a person is asked to approve, so that every face can show it well by well."""
    run.save_json(PROPOSAL, protocol_record(planned.made))


def notes_of(planned: Planned, state: DesignState) -> list[str]:
    """What does not fit a robot, and what nobody simulated."""
    found = written(planned.made, outputs_of(state), Settings().opentrons)
    return [output.note for output in found if output.note]


def bench_sheet(planned: Planned, state: DesignState) -> str:
    """What the chemist loads and looks at, and what the robot does; headings one level down."""
    figure = f"{FOLDER}/plate_map.png" if state["choices"]["figures"] else None
    sheet = bench_report(planned.made, figure, notes_of(planned, state))
    lines = sheet.splitlines()
    return "\n".join(lines[1:]).strip() if lines and lines[0].startswith("# ") else sheet
