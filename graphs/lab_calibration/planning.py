"""Nodes that turn words into a checked call: extract, write_rules, translate, select. One agent call each."""

from __future__ import annotations

from typing import Any

from labwright.agents.call import Question, Refusal
from labwright.agents.lab_calibration.plan import EXTRACT, RULES, ExtractIn, RulesIn
from labwright.agents.lab_calibration.select import choose
from labwright.agents.lab_calibration.translate import Situation, candidates
from labwright.graphs.lab_calibration import asking
from labwright.graphs.lab_calibration.checking import to_check
from labwright.graphs.lab_calibration.frames import (
    current,
    path_of,
    stages_of,
    top,
    variable_table,
    with_top,
)
from labwright.graphs.lab_calibration.laboratory import Laboratory, laboratory
from labwright.graphs.lab_calibration.state import LAST_N_K, STEP_N_K, CalibrationState

Update = dict[str, Any]
LONGEST_ORDER = 2000  # characters; the time to read one grows with their square


def extract(state: CalibrationState) -> Update:
    """The orders of the top procedure, as stages."""
    lab, frame = _lab(state), top(state)
    given = ExtractIn(
        title=frame["title"], background=frame["background"], text=frame["text"], qubits=list(lab.device.qubits)
    )
    answer = lab.ask(EXTRACT, given)
    if isinstance(answer, Question):
        return asking.clarify(state, answer, back="extract")
    if isinstance(answer, Refusal):
        return {"phase": "untranslated", "cause": answer.reason}
    if long := [order for order in answer.instructions if len(order) > LONGEST_ORDER]:
        cause = (
            f"A step must have at most {LONGEST_ORDER} characters, but one has {len(long[0])}. Make it several steps."
        )
        return {"phase": "untranslated", "cause": cause}
    return {"frames": with_top(state, stages=stages_of(answer.instructions)), "phase": "rules"}


def write_rules(state: CalibrationState) -> Update:
    """What follows from each stage's result."""
    lab, frame = _lab(state), top(state)
    stages = frame["stages"]
    given = RulesIn(text=frame["text"], stages=[f"{stage['label']}: {stage['instruction']}" for stage in stages])
    answer = lab.ask(RULES, given)
    if isinstance(answer, Question):
        return asking.clarify(state, answer, back="rules")
    if isinstance(answer, Refusal):
        return {"phase": "untranslated", "cause": answer.reason}
    ruled = [{**stage, "rule": rule} for stage, rule in zip(stages, answer.rules, strict=True)]
    lab.emit(
        {
            "kind": "planned",
            "path": path_of(state),
            "title": frame["title"],
            "stages": [{"label": stage["label"], "instruction": stage["instruction"]} for stage in stages],
        },
        once=f"planned {path_of(state)} {frame['title']}",
    )
    return {"frames": with_top(state, stages=ruled), "phase": "stage"}


def translate(state: CalibrationState) -> Update:
    """One round of Algorithm 1: the N_k best scoring translation agents each try the instruction."""
    lab, stage = _lab(state), current(state)
    n_k = state["n_k"]
    found = candidates(lab.mind, stage["instruction"], lab.library, _situation(lab, state), n_k, on_event=lab.hear)
    if isinstance(found, Question):
        return asking.clarify(state, found, back="translate")
    if len(found) == 1:
        return _chosen(state, found[0].code)
    if found:
        return {"candidates": [candidate.model_dump() for candidate in found], "phase": "select"}
    if n_k < LAST_N_K:
        return {"n_k": n_k + STEP_N_K, "phase": "translate"}
    tried = ", ".join(name for name, _ in lab.library.index.rank(stage["instruction"], n_k))
    return {
        "candidates": [],
        "phase": "untranslated",
        "cause": f'No experiment or procedure can do "{stage["instruction"]}". Tried, nearest first: {tried}.'
        f" Name an experiment, such as Ramsey or T1, or add a procedure for it.",
    }


def select(state: CalibrationState) -> Update:
    """One of several candidates."""
    lab, stage = _lab(state), current(state)
    chosen = choose(lab.mind, stage["instruction"], state["candidates"], _situation(lab, state), on_event=lab.hear)
    if isinstance(chosen, Question):
        return asking.clarify(state, chosen, back="translate")
    if isinstance(chosen, Refusal):
        return {"phase": "untranslated", "cause": chosen.reason}
    return _chosen(state, chosen.code)


def _chosen(state: CalibrationState, code: str) -> Update:
    """A new candidate goes to the self-check at once: a step through the supervisor would settle nothing."""
    return {"candidates": [], **to_check(state, code, current(state)["instruction"], trusted=[])}


def _lab(state: CalibrationState) -> Laboratory:
    return laboratory(state["run_dir"], state["choices"])


def _situation(lab: Laboratory, state: CalibrationState) -> Situation:
    return Situation(variables=variable_table(state, lab.device.qubits), qubits=list(lab.device.qubits))
