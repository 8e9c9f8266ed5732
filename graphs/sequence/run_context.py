"""What the nodes of a sequence work with: the folder, the steps, and the runs that they become."""

from __future__ import annotations

import contextvars
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import Any

from labwright.agents.meter import Budget, Meter
from labwright.graphs.questions import Answer
from labwright.graphs.registry import driver
from labwright.graphs.run_context import OpenRuns, Surroundings
from labwright.graphs.running import Outcome
from labwright.graphs.sequence.choices import Choices
from labwright.graphs.sequence.steps import read_sequence, step_of, value_of_run
from labwright.graphs.specification_runs import job_of
from labwright.tools.runs.action_journal import action_key
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.runs.listing import FINAL, read_result, summarise
from labwright.tools.runs.run import load_run
from labwright.tools.runs.spending import usage_of
from labwright.tools.specifications.sequence import RUN, SYSTEM, Reference, SequenceSpec

RECORD = "sequence.json"  # in the run folder: the run of each step, and how it ended


class Sequence(Surroundings[Choices]):
    """One sequence's surroundings."""

    @cached_property
    def spec(self) -> SequenceSpec:
        """The steps."""
        return read_sequence(self.run.record.asked)

    @property
    def root(self) -> Path:
        """The folder of the runs."""
        return self.run.folder.parent

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The steps that were begun: label, system, run_id, status."""
        path = self.run.folder / RECORD
        return list(read_json(path, "Resume the run to write it anew.")["steps"]) if path.exists() else []

    @property
    def meter(self) -> Meter:
        """What the steps have spent together."""
        return self._spent()

    def _spent(self, but: str = "") -> Meter:
        """What the steps have spent, without the one whose run is `but`."""
        meter = Meter(Budget.parse(self.choices.budget))
        for step in self.steps:
            if step["run_id"] != but:
                meter.restore(usage_of(self.root / step["run_id"]))
        return meter

    def begin(self, number: int) -> str:
        """The id of the run of a step, which is made once.

        Raises:
            InputError: a value is not in the results, or the step is wrong with it.
        """
        action = self.run.action(action_key(self.run.run_id, self.run.run_id, SYSTEM, number, 0, {}))

        def make() -> Any:
            written = step_of(self.spec, number, Path(self.choices.folder), self._value)
            assert written is not None
            granted = self.choices.model_dump(exclude={"folder", "seed"}) | {"budget": self.left("")}
            return job_of(written, granted).prepare(self.root)

        done = action.perform(
            make, lambda run: {"run_id": run.run_id, "system": run.record.system}, ask=lambda: "absent"
        )
        self.note(number, {**done, "status": "running"})
        return str(done["run_id"])

    def go_on(self, run_id: str, answers: dict[str, Any]) -> Outcome:
        """Drive the run of a step until it ends or asks; one that has ended is not touched."""
        run = load_run(self.root / run_id)
        if summarise(run).status in FINAL:
            document = read_result(run) or {}
            return Outcome(run_id, document["status"], document["reason"], document["result"], [], run.folder, document)

        def hear(event: dict[str, Any]) -> None:
            if self.listen is not None:
                self.listen({**event, "step_run": run_id})

        def drive() -> Outcome:
            given = {name: Answer.model_validate(answer) for name, answer in answers.items()}
            budget = self.left(run_id) or None
            return driver(run.record.system).resume(run_id, self.root, answers=given, budget=budget, on_event=hear)

        # A context of its own: within this graph's, LangGraph would take the run for a part of it.
        return contextvars.Context().run(drive)

    def note(self, number: int, entry: dict[str, Any]) -> None:
        """Write into `sequence.json` how far a step is."""
        kept = self.steps[:number]
        row = {"label": self.spec.labels[number], **(self.steps[number : number + 1] or [{}])[0], **entry}
        self.run.save_json(RECORD, {"steps": [*kept, row]})

    def left(self, run_id: str) -> str:
        """What is left of the budget, beside what the run `run_id` itself has spent."""
        others = self._spent(but=run_id)
        total = others.total()
        spent = {"tokens": total.tokens, "money": total.cost or 0.0, "calls": total.calls, "seconds": others.wall}
        found = {each.name: getattr(others.budget, each.name) for each in fields(Budget)}
        return ",".join(f"{name}={max(0, value - spent[name])}" for name, value in found.items() if value is not None)

    def _value(self, reference: Reference) -> Any:
        own = {step["label"]: step["run_id"] for step in self.steps}
        source = "" if reference.source.startswith(RUN) else own[reference.source]
        return value_of_run(reference, self.root, source)


def _open(run_dir: str, choices: dict[str, Any] | None) -> Sequence:
    run = load_run(Path(run_dir))
    return Sequence(run, Choices.model_validate(choices or run.record.choices))


SEQUENCES = OpenRuns(_open)


def sequence(state: Any) -> Sequence:
    """The open surroundings of the state's run; opened now if this process has not yet."""
    return SEQUENCES.get(state["run_dir"], state["choices"])
