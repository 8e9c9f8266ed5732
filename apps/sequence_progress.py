"""How a sequence is shown: its steps, and below each what its run does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType

from labwright.apps.command_outcome import finishing
from labwright.apps.exits import Watch
from labwright.apps.progress import Progress, TableProgress
from labwright.apps.terminal_output import escape, plain_table, print_status, where_to_look
from labwright.tools.runs import Run, load_run, read_json

if TYPE_CHECKING:
    from labwright.graphs.running import Outcome

RECORD = "sequence.json"


class SequenceProgress(Progress):
    """One line a step as it begins and ends; its run's own lines in between."""

    def __init__(self, console: Console, watch: Watch, *, quiet: bool = False) -> None:
        super().__init__(console, watch, quiet=quiet)
        self._inner: dict[str, TableProgress[Any]] = {}

    def _start(self) -> None:
        """Nothing is redrawn: the steps' lines stay."""

    def hear(self, event: dict[str, Any]) -> None:
        kind = event.get("kind")
        if kind in ("step_started", "step_ended"):
            end = kind == "step_ended"
            what = f"{event['status']}  {event['reason']}" if end else event["step_run"]
            if not self.quiet:
                line = f"step {event['number']} of {event['of']}  {event['step']}  {what}".rstrip()
                self.console.print(line, style="bold", markup=False, soft_wrap=True)
        elif "step_run" in event:
            self._of(event["step_run"]).hear(event)
        else:
            super().hear(event)

    def _of(self, run_id: str) -> TableProgress[Any]:
        if run_id not in self._inner:
            from labwright.apps.system_displays import face_of

            root = self.watch.root or Path()
            watch = Watch(root, run_id)
            self._inner[run_id] = face_of(load_run(root / run_id)).progress(self.console, watch, quiet=self.quiet)
        return self._inner[run_id]


def history(run: Run, width: int) -> RenderableType:
    """The steps of a sequence and their runs."""
    table = plain_table("step", "system", "run", "status")
    path = run.folder / RECORD
    for row in read_json(path, "Resume the run to write it anew.")["steps"] if path.exists() else []:
        table.add_row(*(escape(str(row[name])) for name in ("label", "system", "run_id", "status")))
    return table


def print_sequence(console: Console, outcome: Outcome) -> None:
    """The end of a sequence, for a person."""
    print_status(console, outcome)
    console.print(history(load_run(outcome.run_dir), console.width))
    console.print(where_to_look(outcome.run_dir, outcome.run_id), soft_wrap=True)


finish_sequence = finishing(print_sequence, RECORD)
