"""The supervisor: looks where the run is and sends it to an agent, the device or the person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labwright.graphs.lab_calibration import asking
from labwright.graphs.lab_calibration.checking import to_check
from labwright.graphs.lab_calibration.frames import (
    current,
    depth_problem,
    frame_of,
    path_of,
    with_stage,
)
from labwright.graphs.lab_calibration.laboratory import Laboratory, laboratory
from labwright.graphs.lab_calibration.state import FIRST_N_K, MAX_DEPTH, MAX_STEPS, CalibrationState
from labwright.tools.errors import InputError
from labwright.tools.experiments.call import ExperimentCall, render_call
from labwright.tools.experiments.perform import peak_amplitude, rehearse
from labwright.tools.runs.control import clear_pause, pause_requested

Update = dict[str, Any]
PROCEDURE = "procedure:"


def supervise(state: CalibrationState) -> Update:
    """Settle everything that needs no agent, until the next node's turn; `phase` names it."""
    if state.get("question"):
        return {"phase": "ask"}
    settle = _SETTLE.get(state["phase"])
    return settle(state) if settle else {}


def _at_boundary(state: CalibrationState) -> Update:
    """Before a stage: the place where a person can pause, edit, skip or abort."""
    lab, stage = _lab(state), current(state)
    if len(state.get("history", [])) >= MAX_STEPS:
        return {"phase": "report", "status": "failed", "cause": f"{MAX_STEPS} stage runs did not finish the request."}
    if pause_requested(lab.run):
        clear_pause(lab.run)
        return {**asking.stage_boundary(state, "The run was asked to pause here."), "phase": "ask"}
    lab.emit(
        {
            "kind": "stage_started",
            "stage": stage["label"],
            "instruction": stage["instruction"],
            "path": path_of(state),
            "depth": len(state["frames"]),
            "attempt": stage["executed"] + 1,
        },
        once=f"stage {path_of(state)} {len(state.get('history', []))}",
    )
    if stage["call"]:
        return {**_recheck(state), "approved": ""}  # an approval that was never used was for another measurement
    return {"phase": "translate", "n_k": FIRST_N_K, "candidates": [], "approved": ""}


def _recheck(state: CalibrationState) -> Update:
    """A call whose parameters were changed by a decision or a person goes to the self-check again."""
    call = current(state)["call"]
    assert call is not None
    if call["experiment"].startswith(PROCEDURE):
        return _enter(state, call)
    code = render_call(ExperimentCall(call["experiment"], call["arguments"]))
    numbers = [value for value in call["arguments"].values() if isinstance(value, (int, float))]
    # The instruction's own numbers no longer bind: a decision or a person has replaced some of them.
    return to_check(state, code, "", trusted=numbers)


def _checked(state: CalibrationState) -> Update:
    """After the self-check: enter a procedure, ask for approval, or measure."""
    lab = _lab(state)
    if state["check_status"] != "clean":
        return _untranslated({**state, "cause": _cause(state)})
    call = lab.parse(state["artifact"]["code"], state["check_context"]["variables"])
    plain = {"experiment": call.experiment, "arguments": call.arguments}
    lab.emit(
        {"kind": "translated", "call": render_call(call), "stage": current(state)["label"]},
        once=f"translated {len(state.get('history', []))} {render_call(call)}",
    )
    frames = with_stage(state, call=plain)
    if call.experiment.startswith(PROCEDURE):
        return _enter({**state, "frames": frames}, plain)
    try:
        why = _needs_approval(state, lab, call)
    except InputError as refused:
        return _untranslated({**state, "cause": str(refused)})
    if why and state.get("approved") != render_call(call):
        if state.get("approved"):
            why = f"What you approved was {state['approved']}; the check has changed it. {why}"
        question = asking.approve({**state, "frames": frames}, render_call(call), why)
        return {"frames": frames, **question, "phase": "ask"}
    return {"frames": frames, "phase": "measure"}


def _needs_approval(state: CalibrationState, lab: Laboratory, call: ExperimentCall) -> str:
    """Why a person has to approve `call`; empty if nobody has to.

    Raises:
        InputError: the device would refuse it.
    """
    program = rehearse(lab.experiments[call.experiment], call, lab.device)
    policy = state["choices"]["approval"]
    if policy == "always":
        return "Every measurement needs approval."
    limit = lab.device.limits.caution_amplitude
    if policy == "risky" and program is not None and peak_amplitude(program) > limit:
        return f"It drives with amplitude {peak_amplitude(program):g}, above the cautious limit of {limit:g}."
    return ""


def _enter(state: CalibrationState, call: dict[str, Any]) -> Update:
    """Put a procedure's frame on top."""
    lab, slug = _lab(state), call["experiment"].removeprefix(PROCEDURE)
    if problem := depth_problem(state, slug, MAX_DEPTH):
        return _untranslated({**state, "cause": problem})
    names = {name: str(value) for name, value in call["arguments"].items()}
    try:
        filled = lab.procedures[slug].filled(names)
    except InputError as wrong:  # a person's edit; the checks see to all else
        return _untranslated({**state, "cause": str(wrong)})
    frame = frame_of(
        filled.title,
        "\n".join(f"- {step}" for step in filled.steps),
        dict(names),
        slug=slug,
        background=filled.background,
        wanted=filled.results,
    )
    return {"frames": [*state["frames"], frame], "phase": "extract"}


def _untranslated(state: CalibrationState) -> Update:
    """Nothing can be measured: refuse a request that has not begun, fail a procedure that has."""
    cause = state["cause"]
    if not state.get("history") and len(state["frames"]) == 1:
        return {"phase": "report", "status": "refused", "cause": cause}
    return _left(state, "FAILED", cause)


def _cause(state: CalibrationState) -> str:
    return " ".join(f"{finding['message']} {finding['mend']}".strip() for finding in state["findings"])


def _ended(state: CalibrationState) -> Update:
    """The top procedure reached COMPLETE or FAILED (`cause` says why)."""
    return _left(state, "FAILED" if state.get("cause") else "COMPLETE", state.get("cause", ""))


def _left(state: CalibrationState, outcome: str, cause: str) -> Update:
    """Leave the top frame: end the request, or report to the stage that called the procedure."""
    if len(state["frames"]) == 1:
        return {"phase": "report", "status": outcome.lower(), "cause": cause}
    done, below = state["frames"][-1], state["frames"][:-1]
    verdict = "success" if outcome == "COMPLETE" else state.get("report", {}).get("verdict", "bad_data")
    report: Update = {
        "verdict": "bad_data" if outcome == "FAILED" and verdict in ("success", "adjust") else verdict,
        "diagnosis": cause or "procedure complete",
        "reason": f"The procedure {done['title']!r} ended as {outcome}. {cause}".strip(),
        "proposal": [],
    }
    return {"frames": below, "report": report, "action": "", "cause": "", "phase": "decide"}


def _lab(state: CalibrationState) -> Laboratory:
    return laboratory(state["run_dir"], state["choices"])


_SETTLE: dict[str, Callable[[CalibrationState], Update]] = {
    "stage": _at_boundary,
    "recheck": _recheck,
    "check": _checked,
    "untranslated": _untranslated,
    "ended": _ended,
}
