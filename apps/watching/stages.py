"""The runs of a calibration's stages: what is being measured, what came of it, and what was decided."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from labwright.apps.numbers import key_numbers


@dataclass
class Row:
    """One run of one stage; `seconds` is wall time. A stage that is itself a procedure is a heading: number 0.

    Attributes:
        number: from 1 over the whole run.
        experiment: the call, and its name once it was measured.
        cause: why it is no success; of a success empty, unless it comes with something worth knowing.
        label: such as ``Stage 3``, within the procedure at `path`.
        figure: path in the run folder, empty without one.
        reason: the inspection's sentences.
        next: label of the stage that was decided on, or how the procedure ended.
        changes: parameter -> value for the next run of the stage.
        estimates: name -> {value, error, unit}.
    """

    number: int
    instruction: str
    attempt: int
    begun: float
    experiment: str = ""
    verdict: str = ""
    note: str = ""
    cause: str = ""
    numbers: str = ""
    seconds: float | None = None
    depth: int = 1
    label: str = ""
    path: str = ""
    figure: str = ""
    reason: str = ""
    next: str = ""
    changes: dict[str, float | bool | str] = field(default_factory=dict)
    estimates: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def remarkable(self) -> bool:
        """Whether the note belongs beside the numbers."""
        return self.verdict not in ("", "success") or bool(self.cause)

    @property
    def changed(self) -> str:
        """The changes in words: ``stop = 2, update = no``."""
        return ", ".join(f"{name} = {_shown(value)}" for name, value in self.changes.items())


def _shown(value: float | bool | str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:g}"


@dataclass
class StageTable:
    """Keeps one row a stage run, from events alone; knows nothing of terminals."""

    rows: list[Row] = field(default_factory=list)
    activity: str = "reading the request"
    _planned: dict[str, str] = field(default_factory=dict)  # label -> instruction, of the newest plan
    _path: str = ""  # of the newest plan

    def hear(self, event: dict[str, Any], now: float) -> Row | None:
        """Take in one event; returns the row that it finished or made a heading."""
        if "agent" in event:  # an agent's own events share kinds such as `question` with the run's
            self.activity = str(event["agent"]).rpartition(".")[2].replace("_", " ")
            return None
        kind = event.get("kind")
        if kind == "planned":
            self._planned = {str(stage["label"]): str(stage["instruction"]) for stage in event.get("stages", [])}
            self._path = str(event.get("path", ""))
        elif kind == "stage_started":
            outer = self._enclosing(int(event.get("depth", 1)))
            row = self._start(str(event["instruction"]), int(event.get("attempt", 1)), now, int(event.get("depth", 1)))
            row.label, row.path = str(event.get("stage", "")), str(event.get("path", ""))
            return outer
        elif kind == "translated":
            return self._translated(str(event["call"]), str(event.get("stage", "")), now)
        elif (row_open := self.open()) is not None:
            return self._fill(row_open, kind, event, now)
        return None

    def open(self) -> Row | None:
        """The newest row that is not decided yet."""
        return next((row for row in reversed(self.rows) if row.seconds is None), None)

    def _enclosing(self, depth: int) -> Row | None:
        """The open row that turns out to be a procedure that is done again, now a heading: a stage begins inside it."""
        row = self.open()
        if row is None or not row.number or row.experiment or depth <= row.depth:
            return None
        row.number = 0
        return row

    def _start(self, instruction: str, attempt: int, now: float, depth: int = 1) -> Row:
        number = 1 + sum(row.number > 0 for row in self.rows)
        self.rows.append(Row(number, " ".join(instruction.split()), attempt, now, depth=depth))
        self.activity = "translating"
        return self.rows[-1]

    def _translated(self, call: str, stage: str, now: float) -> Row | None:
        row = self.open()
        if row is None or row.number == 0:  # the first stage of a procedure may begin without a word
            row = self._start(self._planned.get(stage, stage), 1, now)
            row.label, row.path = stage, self._path
        if call.startswith("procedure"):
            row.number, row.experiment = 0, call
            return row
        row.experiment, self.activity = call, "measuring"
        return None

    def _fill(self, row: Row, kind: Any, event: dict[str, Any], now: float) -> Row | None:
        if kind == "measured":
            row.experiment, self.activity = str(event["experiment"]), "inspecting"
            row.figure = str(event.get("figure") or "")
        elif kind == "inspected":
            row.verdict, row.note = str(event["verdict"]), str(event.get("diagnosis", ""))
            row.cause = str(event.get("cause", ""))
            row.reason, row.estimates = str(event.get("reason", "")), event.get("estimates", {})
            row.numbers = key_numbers(row.estimates)
            self.activity = "deciding"
        elif kind == "decided":
            row.seconds = now - row.begun
            if row.number:  # a procedure has no verdict of its own
                row.verdict = row.verdict or str(event.get("verdict", ""))
            row.next, row.changes = str(event.get("next", "")), event.get("changes", {})
            row.note = f"{row.note} → {row.changed}" if row.changes else row.note
            return row if row.number else None
        return None
