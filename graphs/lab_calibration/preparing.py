"""The first nodes: choices made whole and a run folder; then, with a plan that is understood, the first frame."""

from __future__ import annotations

from typing import Any

from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.procedure_stack import first_frame, planned
from labwright.graphs.lab_calibration.request_reading import SYSTEM
from labwright.graphs.lab_calibration.run_context import Laboratory, laboratory
from labwright.graphs.lab_calibration.state import CalibrationState
from labwright.graphs.run_creation import opened
from labwright.tools.errors import InputError
from labwright.tools.specifications.plan_completion import side_by_side

LONGEST_REQUEST = 50_000  # characters; the longest shipped procedure has 3 000
Update = dict[str, Any]


def prepare(state: CalibrationState) -> Update:
    """Open the run and hand the words, or the written plan, to the reading; or refuse them."""
    begun = opened(state, SYSTEM, Choices)
    lab = laboratory(begun["run_dir"], begun["choices"])
    lab.emit({"kind": "run_started", "run_id": lab.run.run_id, "request": state["request"]}, once="run_started")
    empty: Update = {"frames": [], "history": [], "results": {}, "measured": {}, "answers": {}, "assumptions": []}
    quiet: Update = {"cause": "", "question": None, "approved": "", "status": "running"}
    try:
        started = _started(lab, state)
    except InputError as refused:
        started = {"phase": "report", "status": "refused", "cause": str(refused)}
    return {**begun, **empty, **quiet, **started}


def _started(lab: Laboratory, state: CalibrationState) -> Update:
    """What is to be understood.

    Raises:
        InputError: nothing to do, too much, or a chosen qubit that the device does not have.
    """
    text, known = state["request"].strip(), tuple(lab.device.qubits)
    if not text and not state.get("plan"):
        raise InputError("The request is empty. Say what to calibrate, such as: Calibrate qubit Q1.")
    if len(text) > LONGEST_REQUEST:
        raise InputError(f"The request must have at most {LONGEST_REQUEST} characters, but has {len(text)}. Split it.")
    if wrong := [name for name in lab.choices.qubits if name not in known]:
        raise InputError(f"The device has no qubit {wrong[0]!r}. It has: {', '.join(known)}.")
    return {"words": text, "draft": state.get("plan") or {}, "origin": "", "phase": "understand"}


def begin(state: CalibrationState) -> Update:
    """After the reading: the first frame, the whole chip, or the end."""
    if state["standing"] in ("refused", "stopped"):
        return {"phase": "report", "status": state["standing"], "cause": state["why"], "draft": {}}
    lab = laboratory(state["run_dir"], state["choices"])
    plan = lab.plan
    told: Update = {"assumptions": list(state.get("reading", [])), "draft": {}, "sources": {}, "problems": []}
    if not lab.is_lane and (plan.mode == "maintain" or side_by_side(plan, lab.pairs)):
        return {**told, "phase": "chip"}
    frame = first_frame(plan, lab)
    if lab.is_lane:  # what a lane does is filed under its name
        frame["slug"] = lab.run.folder.name
    planned(lab, frame, "request@1")
    return {**told, "frames": [frame], "phase": "stage"}
