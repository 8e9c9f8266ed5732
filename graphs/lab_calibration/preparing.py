"""The first node: choices made whole, a run folder, and a request that can be begun."""

from __future__ import annotations

import re
from typing import Any

from labwright.agents.lab_calibration.read_scope import may_be_for_the_chip
from labwright.graphs.lab_calibration import asking
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.frames import document_frame, frame_of
from labwright.graphs.lab_calibration.laboratory import Laboratory, laboratory
from labwright.graphs.lab_calibration.state import CalibrationState
from labwright.graphs.opening import opened
from labwright.tools.errors import InputError, ProcedureError
from labwright.tools.knowledge.procedures import parse_procedure

SYSTEM = "lab_calibration"
LONGEST_REQUEST = 50_000  # characters; the longest shipped procedure has 3 000
Update = dict[str, Any]


def prepare(state: CalibrationState) -> Update:
    """Open the run and turn the request into the first frame, or refuse it."""
    begun = opened(state, SYSTEM, Choices)
    lab = laboratory(begun["run_dir"], begun["choices"])
    lab.emit({"kind": "run_started", "run_id": lab.run.run_id, "request": state["request"]}, once="run_started")
    empty: Update = {"frames": [], "history": [], "results": {}, "measured": {}, "answers": {}, "assumptions": []}
    quiet: Update = {"cause": "", "question": None, "approved": "", "status": "running"}
    try:
        started = _begun(lab, state)
    except InputError as refused:
        started = {"phase": "report", "status": "refused", "cause": str(refused)}
    return {**begun, **empty, **quiet, **started}


def _begun(lab: Laboratory, state: CalibrationState) -> Update:
    """The first frame; asks for the qubit of a procedure document that leaves it open.

    Raises:
        InputError: nothing to do, a malformed procedure, or a qubit that the device does not have.
    """
    text, known = state["request"].strip(), tuple(lab.device.qubits)
    if not text:
        raise InputError("The request is empty. Say what to calibrate, such as: Calibrate qubit Q1.")
    if len(text) > LONGEST_REQUEST:
        raise InputError(f"The request must have at most {LONGEST_REQUEST} characters, but has {len(text)}. Split it.")
    qubits = list(lab.choices.qubits)
    if wrong := [*unknown_qubits(text, known), *(name for name in qubits if name not in known)]:
        raise InputError(f"The device has no qubit {wrong[0]!r}. It has: {', '.join(known)}.")
    variables: dict[str, Any] = {"dut": qubits[0]} if len(qubits) == 1 else {}
    if text.startswith("#") or re.search(r"^## ", text, re.MULTILINE):
        return _document(text, state, qubits or list(known), bool(qubits))
    if len(qubits) > 1 and not any(re.search(rf"\b{re.escape(name)}\b", text) for name in known):
        text = f"{text} on {' and '.join(qubits)}"
    many = len(known) > 1 and not variables and not lab.is_lane and may_be_for_the_chip(text, list(known))
    return {
        "frames": [frame_of(state["request"].strip(), text, variables)],
        "phase": "survey" if many else "extract",
    }


def _document(text: str, state: CalibrationState, qubits: list[str], chosen: bool) -> Update:
    """A procedure document as the request."""
    procedure = parse_procedure(text, "the request")
    if len(procedure.parameters) > 1:
        raise ProcedureError(
            f"The request's title has {len(procedure.parameters)} parameters; a procedure that is run directly has one."
        )
    if not procedure.parameters:
        steps = "\n".join(f"- {step}" for step in procedure.steps)
        frame = frame_of(procedure.title, steps, {}, background=procedure.background, wanted=procedure.results)
        return {"frames": [frame], "phase": "extract"}
    if len(qubits) == 1 or chosen:
        return {"frames": [document_frame(text, qubits)], "phase": "extract"}
    blank = frame_of(procedure.title, text, {}, wanted=procedure.results)
    return {"frames": [blank], **asking.which_qubit({**state, "frames": [blank]}, qubits), "phase": "ask"}


def unknown_qubits(text: str, known: tuple[str, ...]) -> list[str]:
    """Names in `text` that look like this device's qubits but are none: "Q9" on a device with Q1, Q2, Q8."""
    shapes = {re.sub(r"\d+", lambda _: r"\d+", re.escape(name)) for name in known}
    written = re.findall(rf"\b(?:{'|'.join(sorted(shapes))})\b", text)
    return [name for name in dict.fromkeys(written) if name not in known]
