"""What the runs commands show of each system: one table, so that a new system is one more line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType

from labwright.apps.calibrate import finish
from labwright.apps.calibration_summary import chip_tables, qubit_table, stage_table
from labwright.apps.chip_progress import ChipMap
from labwright.apps.compile_procedure import finish_reading
from labwright.apps.design_protocol import finish_design
from labwright.apps.exits import Watch
from labwright.apps.forge import finish_forge, found_tables
from labwright.apps.forge_progress import ForgeProgress, StepTable
from labwright.apps.progress import Progress, Rows, StageTable, TableProgress
from labwright.apps.search import finish_search
from labwright.apps.search_progress import SearchProgress, TrialTable
from labwright.apps.search_summary import accuracy_table, over_seeds
from labwright.apps.sequence_progress import SequenceProgress, finish_sequence, history
from labwright.tools.runs import Run
from labwright.tools.runs.run import load_run

if TYPE_CHECKING:
    from labwright.graphs.running import Outcome


@dataclass(frozen=True)
class Face:
    """How one system's runs are shown.

    Attributes:
        progress: the live view of a run.
        finish: prints the end and leaves with the exit code.
        history: what was done, from the run's log, for so many columns.
        found: what came of it, from the `result` part of the document and the run's folder.
    """

    progress: Callable[..., TableProgress[Any]]
    finish: Callable[[Outcome, Path | None, Path | None], None]
    history: Callable[[Run, int], RenderableType]
    found: Callable[[dict[str, Any], Path], list[RenderableType]]


def live(face: Face, run: Run, console: Console, watch: Watch, *, quiet: bool) -> TableProgress[Any]:
    """The live view of a run that goes on: it begins with what was done before."""
    progress = face.progress(console, watch, quiet=quiet)
    for event in _events(run):
        progress.recall(event)
    return progress


def _events(run: Run) -> list[dict[str, Any]]:
    """The run's log; of a chip, with those of its lanes in between."""
    found = run.events.read()
    for record in sorted((run.folder / "parts").glob("*/run.json")):
        part = load_run(record.parent)
        found += [{**event, "lane": record.parent.name} for event in part.events.read()]
    return sorted(found, key=lambda event: str(event["time"]))


def _stages(run: Run, width: int) -> RenderableType:
    events = _events(run)
    if planned := [event for event in events if event.get("kind") == "chip_planned"]:
        chip = ChipMap.planned(planned[0])
        for event in events:
            chip.hear(event)
        return chip.render()
    return _drawn(StageTable(), events, width)


def _drawn(table: Rows, events: Sequence[dict[str, Any]], width: int) -> RenderableType:
    for event in events:
        table.hear(event, datetime.fromisoformat(event["time"]).timestamp())
    return table.render(table.rows, width)


def _no_stages(run: Run, width: int) -> RenderableType:
    return ""


def _trials(run: Run, width: int) -> RenderableType:
    return _drawn(TrialTable(), run.events.read(), width)


def _qubits(result: dict[str, Any], _folder: Path) -> list[RenderableType]:
    if "rounds" in result:
        return chip_tables(result)
    tables = [stage_table(result), *(qubit_table(qubit, entry) for qubit, entry in result.get("qubits", {}).items())]
    return [table for table in tables if table is not None]


def _accuracies(result: dict[str, Any], _folder: Path) -> list[RenderableType]:
    return [accuracy_table(over_seeds([result]))] if "feature_map" in result else []


def _nothing(result: dict[str, Any], _folder: Path) -> list[RenderableType]:
    return []


def _steps(run: Run, width: int) -> RenderableType:
    return _drawn(StepTable(), run.events.read(), width)


CALIBRATION = Face(Progress, finish, _stages, _qubits)
FACES = {
    "lab_calibration": CALIBRATION,
    "protocol_design": Face(Progress, finish_design, _no_stages, _nothing),
    "tool_forging": Face(ForgeProgress, finish_forge, _steps, found_tables),
    "plan_reading": Face(Progress, finish_reading, _no_stages, _nothing),
    "sequence": Face(SequenceProgress, finish_sequence, history, _nothing),
    "feature_map_search": Face(SearchProgress, finish_search, _trials, _accuracies),
}


def face_of(run: Run) -> Face:
    """How runs of this run's system are shown."""
    return FACES.get(run.record.system, CALIBRATION)
