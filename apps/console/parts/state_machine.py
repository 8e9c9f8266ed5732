"""A calibration's plan as a state machine: stages, how they went, and which way was taken between them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from labwright.apps.watching.stages import Row, StageTable
from labwright.tools.runs.listing import FINAL

ENDS = ("COMPLETE", "FAILED")
# status -> sign and word
SIGNS = {
    "waiting": ("·", "to come"),
    "current": ("▶", "now"),
    "passed": ("✔", "passed"),
    "repeat": ("↻", "to be repeated"),
    "left": ("✘", "not passed"),
    "skipped": ("–", "skipped"),
}
LONGEST = 24  # characters in a box; the whole instruction stands in the table


@dataclass
class Node:
    """One stage, or one end, of a procedure.

    Attributes:
        runs: how often it was run.
    """

    label: str
    words: str
    status: str = "waiting"
    runs: int = 0
    verdict: str = ""

    @property
    def sign(self) -> str:
        """Tells the status without colour."""
        return SIGNS[self.status][0]

    @property
    def said(self) -> str:
        """The status in words, and how often the stage was run."""
        word = SIGNS[self.status][1]
        if self.status == "left" and self.verdict:
            word = self.verdict.replace("_", " ")
        return f"{word}, {self.runs} runs" if self.runs > 1 else word

    @property
    def short(self) -> str:
        """`words`, cut to the width of a box."""
        return self.words if len(self.words) <= LONGEST else f"{self.words[: LONGEST - 1]}…"


@dataclass
class Machine:
    """One procedure. `ways` counts the decisions (from, to) between labels that were taken."""

    path: str
    title: str
    nodes: list[Node]
    ways: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def told(self) -> str:
        """The drawing in sentences, for those who do not see it."""
        states = ". ".join(f"{node.label}, {node.words}: {node.said}" for node in self.nodes)
        ways = ". ".join(
            f"{start} was repeated {count} times" if start == end else f"From {start} to {end}"
            for (start, end), count in self.ways.items()
        )
        return f"{states}. {ways}".strip()


@dataclass
class Machines:
    """Keeps one machine a procedure, in the order of their plans, from events and the rows of the stage table."""

    plans: dict[str, dict[str, Any]] = field(default_factory=dict)  # path -> newest plan
    finished: bool = False  # nothing works on the run now
    ended: bool = False  # and nothing will: what was not run is skipped, not to come

    def hear(self, event: dict[str, Any]) -> None:
        """Take in one event of the run."""
        kind = event.get("kind")
        if kind == "planned" and "agent" not in event:
            self.plans[base(str(event["path"]))] = event
        elif kind in ("run_finished", "run_started", "stage_started"):
            self.finished = kind == "run_finished"
            self.ended = self.finished and event.get("status") in FINAL

    def drawn(self, table: StageTable) -> list[Machine]:
        """All machines as they stand; one that holds nothing but the next one is left out."""
        made = [self._machine(path, plan, table) for path, plan in self.plans.items()]
        if len(made) > 1 and len(made[0].nodes) == 2:  # "Calibrate Q1" and its end
            return made[1:]
        return made

    def _machine(self, path: str, plan: dict[str, Any], table: StageTable) -> Machine:
        rows = [row for row in table.rows if base(row.path) == path]
        machine = Machine(path, str(plan.get("title", "")), [])
        for stage in plan.get("stages", []):
            own = [row for row in rows if row.label == stage["label"]]
            machine.nodes.append(_node(str(stage["label"]), str(stage["instruction"]), own))
        machine.ways = Counter((row.label, row.next) for row in rows if row.next)
        reached = next((row.next for row in reversed(rows) if row.next in ENDS), "")
        machine.nodes.append(Node(reached or ENDS[0], reached or ENDS[0], _end_status(reached)))
        self._mark_skipped(machine)
        return machine

    def _mark_skipped(self, machine: Machine) -> None:
        """A stage without runs was skipped if the procedure went on beyond it, or the run is over."""
        order = [node.label for node in machine.nodes]
        furthest = max((order.index(node.label) for node in machine.nodes if node.status != "waiting"), default=-1)
        for place, node in enumerate(machine.nodes):
            if node.status == "waiting" and (place < furthest or self.ended):
                node.status = "skipped"


def base(path: str) -> str:
    """`path` without the stage that the procedure is at: ``request@1/bring-up@4`` is ``request@1/bring-up``."""
    return path.rpartition("@")[0] or path


def _node(label: str, instruction: str, rows: list[Row]) -> Node:
    if not rows:
        return Node(label, instruction)
    last = rows[-1]
    words = last.experiment.partition("(")[0].replace("_", " ")
    words = instruction if words in ("", "procedure") else words
    return Node(label, words, _status(last), len(rows), last.verdict)


def _status(row: Row) -> str:
    if row.seconds is None:
        return "current"
    if row.next == row.label:
        return "repeat"
    if row.verdict == "skipped":
        return "skipped"
    if row.verdict:
        return "passed" if row.verdict == "success" else "left"
    return "left" if row.next == "FAILED" else "passed"  # a procedure has no verdict of its own


def _end_status(reached: str) -> str:
    return {"": "waiting", "COMPLETE": "passed"}.get(reached, "left")
