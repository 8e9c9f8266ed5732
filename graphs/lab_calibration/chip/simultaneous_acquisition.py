"""The conductor: plays what the lanes wait for, all of it at the same time and exactly once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from labwright.graphs.lab_calibration.chip.maintaining import maintained
from labwright.graphs.lab_calibration.chip.qubit_workers import measure_or_wait
from labwright.graphs.lab_calibration.chip.state import ChipState, Lane, LaneState
from labwright.graphs.lab_calibration.run_context import Laboratory, laboratory
from labwright.graphs.person_interrupt import wait
from labwright.graphs.questions import Option, Question
from labwright.tools.errors import UnknownOutcomeError
from labwright.tools.qpu.joint_program import AnyProgram
from labwright.tools.qpu.program import Acquired
from labwright.tools.runs.action_journal import action_key
from labwright.tools.runs.pause_request import clear_pause, pause_requested

AGAIN, ABORT, GO = "again", "abort", "go"


def play(state: ChipState) -> dict[str, Any]:
    """Play the next acquisition of every lane that waits for one, or end the round if none does."""
    here = _here(state)
    waiting = {name: lane for name, lane in here.items() if lane["awaits"]}
    if not waiting:  # a lane that runs and does not wait has finished a calibration and goes on with the next
        return {"phase": "work" if any(lane["status"] == "running" for lane in here.values()) else "round_over"}
    lab = laboratory(state["run_dir"], state["choices"])
    if pause_requested(lab.run):
        return _paused(lab, state)
    keys = sorted(lane["awaits"] for lane in waiting.values())
    step = action_key(
        lab.run.run_id, state.get("branch", ""), "chip", state["plan"]["at"], state["step"], {"keys": keys}
    )
    try:
        result = lab.run.action(step).perform(
            lambda: lab.side_by_side.play(_programs(lab, waiting)),
            partial(_kept, lab, waiting),
            ask=lambda: lab.device.status(keys[0]),
            note={"call": {"experiment": "side by side", "arguments": {"lanes": sorted(waiting)}}},
            repeat=state["repeat"] == step,
        )
    except UnknownOutcomeError:
        return _unknown(lab, state, step)
    lab.emit({"kind": "played", "lanes": sorted(waiting), **result}, once=f"played {step}")
    spent = state["spent"]
    return {
        "phase": "work",
        "step": state["step"] + 1,
        "spent": {
            "together": spent["together"] + result["together"],
            "one_by_one": spent["one_by_one"] + result["one_by_one"],
            "acquisitions": spent["acquisitions"] + len(keys),
        },
    }


def _here(state: ChipState) -> dict[str, Lane]:
    """The lanes of the round under way."""
    return {name: state["lanes"][name] for name in state["plan"]["rounds"][state["plan"]["at"]]}


def _programs(lab: Laboratory, waiting: Mapping[str, Lane]) -> dict[str, AnyProgram]:
    """What the lanes wait for. A process that did not hear them say so lets them say it again."""
    found = {}
    for lane in waiting.values():
        key = lane["awaits"]
        if lab.side_by_side.waiting(key) is None:
            repeat_request(lane)
        program = lab.side_by_side.waiting(key)
        assert program is not None, f"Lane {lane['name']} no longer asks for acquisition {key}."
        found[key] = program
    return found


def repeat_request(lane: Lane) -> None:
    """Let a lane come to the acquisition that it waits for once more; it plays nothing."""
    state = lane["state"]
    if lane["kind"] != "maintain" or state["inner"]:
        measure_or_wait(cast(LaneState, state.get("inner") or state))
    else:
        maintained(lane, _nothing)


def _nothing(_part: str, _plan: dict[str, Any], _state: dict[str, Any]) -> dict[str, Any]:
    raise AssertionError("A lane that waits for a check does not calibrate.")


def _kept(lab: Laboratory, waiting: Mapping[str, Lane], got: dict[str, Acquired]) -> dict[str, Any]:
    """Store the data; tell the time that was taken, and that it would have been in turn."""
    lab.side_by_side.keep(got)
    first = min(acquired.clock for acquired in got.values())
    last = max(acquired.clock + acquired.seconds for acquired in got.values())
    return {
        "together": last - first,
        "one_by_one": sum(acquired.seconds for acquired in got.values()),
        "seconds": {lane["name"]: got[lane["awaits"]].seconds for lane in waiting.values()},
    }


def _paused(lab: Laboratory, state: ChipState) -> dict[str, Any]:
    question = Question(
        id=f"pause chip {state['step']}",
        kind="choose",
        title="The run was asked to pause here.",
        body_markdown=f"Round {state['plan']['at'] + 1} of {len(state['plan']['rounds'])} is under way.",
        options=[Option(value=GO, label="Go on"), Option(value=ABORT, label="Abort the run")],
        default=GO,
    )
    answer = wait(question)
    clear_pause(lab.run)
    lab.emit(answer.event(), once=f"answer {question.id}")
    return _aborted(answer.note) if answer.decision == ABORT else {"phase": "play"}


def _unknown(lab: Laboratory, state: ChipState, step: str) -> dict[str, Any]:
    question = Question(
        id=f"unknown {step}",
        kind="approve",
        title="A measurement of several qubits was interrupted and the device cannot tell whether it was played.",
        options=[Option(value=AGAIN, label="Measure it (again)"), Option(value=ABORT, label="Abort the run")],
    )
    answer = wait(question)
    lab.emit(answer.event(), once=f"answer {question.id}")
    return _aborted(answer.note) if answer.decision == ABORT else {"phase": "play", "repeat": step}


def _aborted(note: str) -> dict[str, Any]:
    return {"phase": "chip_report", "status": "stopped", "cause": note or "A person aborted the run."}
