"""What a stage that failed leaves to try: whether it may be done again as it is, and whether a later one needs it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from labwright.graphs.lab_calibration.procedure_stack import current, path_of, step_of, top
from labwright.graphs.lab_calibration.run_context import Laboratory
from labwright.graphs.lab_calibration.state import CalibrationState, HistoryEntry
from labwright.tools.specifications import transition_conditions, values
from labwright.tools.specifications.calibration import Step
from labwright.tools.specifications.catalogue import updates
from labwright.tools.specifications.plan_completion import arguments_of, slug_of_step

UNCHANGED_RUNS = 2  # of a stage with the same parameters, settings and outcome; a set-up that is wrong gets one


def hopeless(lab: Laboratory, state: CalibrationState, call: dict[str, Any]) -> HistoryEntry | None:
    """The last run of the current stage, if doing it once more could only give the same."""
    path = path_of(state)
    rows = [row for row in state.get("history", []) if row["path"] == path and row["action"]]
    if not rows or rows[-1]["verdict"] == "success":
        return None
    last = rows[-1]
    same = [row for row in rows if (row["verdict"], row["cause"]) == (last["verdict"], last["cause"])]
    again = sum(row.get("arguments") == call["arguments"] and _as_now(lab, row) for row in same)
    return last if again >= (1 if last["verdict"] == "wrong_setup" else UNCHANGED_RUNS) else None


def _as_now(lab: Laboratory, row: HistoryEntry) -> bool:
    """Whether the settings that a run was made with are those of now."""
    before = lab.run.action(row["action"]).result()["settings"]
    return all(lab.settings_of(name) == old for name, old in before.items())


def needed_later(lab: Laboratory, state: CalibrationState) -> bool:
    """Whether a later stage of the procedure uses what the current one writes or finds."""
    frame, own = top(state), step_of(current(state))
    inner = list(_experiments(lab, own))
    writes = any(
        updates(lab.card(step.experiment), arguments_of(step, lab.card(step.experiment), {})[0]) for step in inner
    )
    found = {name for step in inner for name in lab.card(step.experiment).results}
    for stage in frame["stages"][frame["at"] + 1 :]:
        later = step_of(stage)
        if writes and set(later.qubits) & set(own.qubits):
            return True
        if any(found & set(_names(lab, step)) for step in _experiments(lab, later)):
            return True
    return False


def _experiments(lab: Laboratory, step: Step) -> Iterator[Step]:
    """The step itself, or all those of the procedure that it is."""
    if slug := slug_of_step(step):
        for each in lab.plan.procedures[slug].steps:
            if isinstance(each, Step):
                yield from _experiments(lab, each)
    else:
        yield step


def _names(lab: Laboratory, step: Step) -> Iterator[str]:
    """What the values and conditions of a step refer to, without experiment and qubit; not what it finds itself."""
    late = arguments_of(step, lab.card(step.experiment), {})[1]
    names = [name for text in late.values() for name in values.names_in(text)]
    own = set(lab.card(step.experiment).results)
    names += [
        name for each in step.on if each.if_ for name in transition_conditions.names_in(each.if_) if name not in own
    ]
    return (name.rpartition(".")[2] for name in names)
