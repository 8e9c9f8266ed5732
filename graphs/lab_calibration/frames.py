"""Frames and stages as plain values: make, read, change. No graph, no device."""

from __future__ import annotations

import re
from typing import Any, cast

from labwright.agents.lab_calibration.language import is_flow
from labwright.agents.lab_calibration.numbers import NUMBER
from labwright.agents.lab_calibration.qubit_names import qubits_in
from labwright.graphs.lab_calibration.state import CalibrationState, Frame, Stage
from labwright.tools.knowledge.procedures import parse_procedure

STATED = re.compile(rf"([a-z][\w ]*?)\s*(?:=|of|to|:)?\s*({NUMBER.pattern})\s*([A-Za-z%]*)", re.IGNORECASE)


def frame_of(
    title: str, text: str, variables: dict[str, Any], *, slug: str = "", background: str = "", wanted: str = ""
) -> Frame:
    """A procedure that is about to be decomposed."""
    return {
        "title": title,
        "slug": slug,
        "text": text,
        "background": background,
        "wanted": wanted,
        "stages": [],
        "at": 0,
        "variables": variables,
    }


def document_frame(text: str, qubits: list[str]) -> Frame:
    """The frame of a procedure document with one parameter, filled with each of `qubits` in turn."""
    procedure = parse_procedure(text, "the request")
    name = procedure.parameters[0]
    filled = [procedure.filled({name: qubit}) for qubit in qubits]
    steps = "\n".join(
        f"- {step if len(qubits) == 1 else _on(qubit, step, qubits)}"
        for qubit, each in zip(qubits, filled, strict=True)
        for step in each.steps
    )
    first = filled[0]
    return frame_of(first.title, steps, {name: qubits[0]}, background=first.background, wanted=first.results)


def _on(qubit: str, step: str, qubits: list[str]) -> str:
    """A step that names no qubit would be taken for the one named before it: that of another round."""
    return step if qubits_in(step, qubits) or is_flow(step) else f"For qubit {qubit}: {step}"


def stages_of(instructions: list[str]) -> list[Stage]:
    """Stages without rules yet, labelled from 1."""
    return [
        {
            "label": f"Stage {number}",
            "instruction": instruction,
            "rule": "",
            "numbers": stated_numbers(instruction),
            "call": None,
            "executed": 0,
            "failed": 0,
            "succeeded": 0,
            "stepped_back": 0,
        }
        for number, instruction in enumerate(instructions, 1)
    ]


def stated_numbers(instruction: str) -> dict[str, float]:
    """The numbers that an instruction states, by the words before them: {"offset (MHz)": 3.0}."""
    found = {}
    for name, number, unit in STATED.findall(instruction):
        words = " ".join(name.split()[-2:])
        found[f"{words} ({unit})" if unit else words] = float(number.replace(",", ""))
    return found


def top(state: CalibrationState) -> Frame:
    """The procedure under way."""
    return state["frames"][-1]


def current(state: CalibrationState) -> Stage:
    """The stage under way."""
    frame = top(state)
    return frame["stages"][frame["at"]]


def with_stage(state: CalibrationState, **changes: Any) -> list[Frame]:
    """The frames with the current stage changed; nothing is changed in place."""
    frame = top(state)
    stages = list(frame["stages"])
    stages[frame["at"]] = cast(Stage, {**stages[frame["at"]], **changes})
    return with_top(state, stages=stages)


def with_top(state: CalibrationState, **changes: Any) -> list[Frame]:
    """The frames with the top one changed; nothing is changed in place."""
    return [*state["frames"][:-1], cast(Frame, {**top(state), **changes})]


def variable_table(state: CalibrationState, qubits: tuple[str, ...]) -> dict[str, Any]:
    """What the current instruction may refer to: the procedure's parameters, and what was measured on its qubit."""
    variables = top(state)["variables"]
    named = qubits_in(current(state)["instruction"], list(qubits))
    qubit = named[0] if named else str(variables.get("dut", ""))
    return {**state.get("measured", {}).get(qubit, {}), **variables}


def path_of(state: CalibrationState) -> str:
    """Where the run is, such as ``calibrate-single-qubit@2/3``: unique among the frames of one request."""
    steps = []
    for frame in state["frames"]:
        name = frame["slug"] or "request"
        steps.append(f"{name}@{frame['at'] + 1}")
    return "/".join(steps)


def depth_problem(state: CalibrationState, slug: str, limit: int) -> str:
    """Why a procedure may not be entered here; empty if it may."""
    chain = [frame["slug"] for frame in state["frames"] if frame["slug"]]
    if slug in chain:
        return f"Procedure {slug!r} calls itself: {' -> '.join([*chain, slug])}. Break the circle in its Steps."
    if len(state["frames"]) >= limit:
        return f"Procedures are nested more than {limit} deep: {' -> '.join([*chain, slug])}."
    return ""
