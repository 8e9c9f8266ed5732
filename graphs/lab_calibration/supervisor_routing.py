"""The supervisor: looks where the run is and sends it to an agent, the device or the person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labwright.graphs.lab_calibration import asking
from labwright.graphs.lab_calibration.experiment_call_check import to_check
from labwright.graphs.lab_calibration.failed_stage_options import hopeless
from labwright.graphs.lab_calibration.names_in_scope import names_of
from labwright.graphs.lab_calibration.procedure_stack import (
    current,
    frame_of,
    is_procedure,
    path_of,
    planned,
    step_of,
    with_stage,
)
from labwright.graphs.lab_calibration.run_context import Laboratory, laboratory
from labwright.graphs.lab_calibration.state import MAX_STEPS, CalibrationState
from labwright.tools.errors import InputError
from labwright.tools.experiments.call import PROCEDURE, ExperimentCall, render_call
from labwright.tools.experiments.perform import peak_amplitude, rehearse
from labwright.tools.runs.pause_request import clear_pause, pause_requested
from labwright.tools.specifications.calibration import Step
from labwright.tools.specifications.plan_completion import arguments_of, slug_of_step
from labwright.tools.specifications.values import evaluated, in_unit

Update = dict[str, Any]


def supervise(state: CalibrationState) -> Update:
    """Settle everything that needs no agent, until the next node's turn; `phase` names it."""
    if state.get("question"):
        return {"phase": "ask"}
    settle = _SETTLE.get(state["phase"])
    return settle(state) if settle else {}


def _at_boundary(state: CalibrationState) -> Update:
    """Before a stage: the place where a person can pause, edit, skip or abort."""
    lab, stage = _lab(state), current(state)
    if path_of(state) in state.get("skipped", []):
        return asking.skip()
    if len(state.get("history", [])) >= MAX_STEPS:
        return {"phase": "report", "status": "failed", "cause": f"{MAX_STEPS} stage runs did not finish the request."}
    try:
        call = ready_call(lab, state)
    except InputError as wrong:
        return _unusable({**state, "cause": f"{stage['instruction']}: {wrong}"})
    state = {**state, "frames": with_stage(state, call=call)}
    # a run that is replayed from its journal finds what a person said when it was paused here
    if pause_requested(lab.run) or lab.has_said(f"answer {asking.paused_at(state)}"):
        clear_pause(lab.run)
        question = asking.stage_boundary(state, "The run was asked to pause here.")
        return {"frames": state["frames"], **question, "phase": "ask"}
    if (last := hopeless(lab, state, call)) is not None:
        return {"frames": state["frames"], **asking.not_measured(last)}
    lab.emit(
        {
            "kind": "stage_started",
            "stage": stage["label"],
            "instruction": stage["instruction"],
            "path": path_of(state),
            "depth": len(state["frames"]),
            "attempt": stage["fresh"] + 1,
        },
        once=f"stage {path_of(state)} {len(state.get('history', []))}",
    )
    return {**_recheck(state), "approved": ""}  # an approval that was never used was for another measurement


def ready_call(lab: Laboratory, state: CalibrationState) -> dict[str, Any]:
    """The call of the current stage with the values of this moment, as {experiment, arguments}.

    Raises:
        InputError: a value refers to something that was not measured, or has the wrong unit.
    """
    stage = current(state)
    step = step_of(stage)
    if slug := slug_of_step(step):
        parameters = lab.plan.procedures[slug].parameters
        return {"experiment": f"{PROCEDURE}:{slug}", "arguments": dict(zip(parameters, step.qubits, strict=True))}
    card = lab.card(step.experiment)
    arguments, late = arguments_of(step, card, lab.plan.defaults.get(step.experiment, {}))
    if late:
        names = names_of(lab, state)
        units = {each.name: (each.unit, each.type) for each in card.parameters}
        for name, text in late.items():
            value = in_unit(evaluated(text, names), units[name][0], text)
            arguments[name] = round(value) if units[name][1] == "int" else float(f"{value:.6g}")
    order = [each.name for each in card.parameters]
    arguments |= stage["changed"]
    return {"experiment": step.experiment, "arguments": {name: arguments[name] for name in order if name in arguments}}


def _recheck(state: CalibrationState) -> Update:
    """The call goes to the self-check; a procedure is entered."""
    call = current(state)["call"]
    assert call is not None
    if is_procedure(current(state)):
        return _enter(state, call)
    return {"frames": state["frames"], **to_check(state, call)}


def _checked(state: CalibrationState) -> Update:
    """After the self-check: ask for approval, or measure."""
    lab = _lab(state)
    if state["check_status"] != "clean":
        last = state["history"][-1] if state.get("history") else None
        if last and last["path"] == path_of(state) and last["action"]:  # what it found is more than what it proposed
            why = f"the next run cannot be measured: {_cause(state).rstrip('.')}"
            return {"frames": state["frames"], **asking.not_measured(last, why)}
        return _unusable({**state, "cause": _cause(state)})
    plain = state["artifact"]
    call = ExperimentCall(plain["experiment"], plain["arguments"])
    lab.emit(
        {"kind": "translated", "call": render_call(call), "stage": current(state)["label"]},
        once=f"translated {len(state.get('history', []))} {render_call(call)}",
    )
    frames = with_stage(state, call=plain)
    why = _needs_approval(state, lab, call)
    if why and state.get("approved") != render_call(call):
        known = (
            [] if state.get("history") else state.get("assumptions", [])
        )  # before the first: what is old, or assumed
        question = asking.approve({**state, "frames": frames}, render_call(call), " ".join([why, *known]))
        return {"frames": frames, **question, "phase": "ask"}
    return {"frames": frames, "phase": "measure"}


def _needs_approval(state: CalibrationState, lab: Laboratory, call: ExperimentCall) -> str:
    """Why a person has to approve `call`; empty if nobody has to."""
    asks = state["choices"]["approval"] != "auto"
    program = rehearse(lab.experiments[call.experiment], call, lab.device) if asks else None
    return lab.needs_approval(call, 0.0 if program is None else peak_amplitude(program))


def _enter(state: CalibrationState, call: dict[str, Any]) -> Update:
    """Put a procedure's frame on top."""
    lab, slug = _lab(state), call["experiment"].removeprefix(f"{PROCEDURE}:")
    shown = render_call(ExperimentCall(call["experiment"], call["arguments"]))
    lab.emit(
        {"kind": "translated", "call": shown, "stage": current(state)["label"]},
        once=f"translated {len(state.get('history', []))} {path_of(state)} {shown}",
    )
    procedure = lab.plan.procedures[slug]
    qubits = {name: str(value) for name, value in call["arguments"].items()}
    if wrong := [name for name in qubits.values() if name not in lab.device.qubits]:
        return _unusable({**state, "cause": f"The device has no qubit {wrong[0]!r}."})
    steps = [step for step in procedure.steps if isinstance(step, Step)]
    title = procedure.title
    for name, qubit in qubits.items():
        title = title.replace(f"'{name}'", qubit)
    frame = frame_of(title, steps, qubits, slug=slug, wanted=procedure.results)
    frames = [*state["frames"], frame]
    planned(lab, frame, path_of({**state, "frames": frames}))
    return {"frames": frames, "phase": "stage"}


def _unusable(state: CalibrationState) -> Update:
    """Nothing can be measured: refuse a request that has not begun, fail a procedure that has."""
    cause = state["cause"]
    if not state.get("history") and len(state["frames"]) == 1:
        return {"phase": "report", "status": "refused", "cause": cause}
    return _left(state, "FAILED", cause)


def _cause(state: CalibrationState) -> str:
    return " ".join(f"{finding['message']} {finding['mend']}".strip() for finding in state["findings"])


def _ended(state: CalibrationState) -> Update:
    """The top procedure reached COMPLETE or FAILED (`cause` says why); what no later stage needed may have failed."""
    if (failed := state["frames"][-1].get("failed")) and not state.get("cause"):
        return _left(state, "FAILED", " ".join(failed))
    return _left(state, "FAILED" if state.get("cause") else "COMPLETE", state.get("cause", ""))


def _left(state: CalibrationState, outcome: str, cause: str) -> Update:
    """Leave the top frame: end the request, or report to the stage that called the procedure."""
    if len(state["frames"]) == 1:
        return {"phase": "report", "status": outcome.lower(), "cause": cause}
    done, below = state["frames"][-1], state["frames"][:-1]
    verdict = "success" if outcome == "COMPLETE" else state.get("report", {}).get("verdict", "bad_data")
    report: Update = {
        "verdict": "bad_data" if outcome == "FAILED" and verdict in ("success", "adjust", asking.SKIPPED) else verdict,
        "cause": "" if outcome == "COMPLETE" else state.get("report", {}).get("cause", ""),
        "diagnosis": cause or "procedure complete",
        "reason": f"The procedure {done['title']!r} ended as {outcome}. {cause}".strip(),
        "proposal": [],
        "estimates": {},
    }
    return {"frames": below, "report": report, "action": "", "cause": "", "phase": "decide"}


def _lab(state: CalibrationState) -> Laboratory:
    return laboratory(state["run_dir"], state["choices"])


_SETTLE: dict[str, Callable[[CalibrationState], Update]] = {
    "stage": _at_boundary,
    "recheck": _recheck,
    "check": _checked,
    "unusable": _unusable,
    "ended": _ended,
}
