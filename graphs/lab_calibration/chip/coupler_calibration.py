"""Chosen couplers, behind the qubits: their two-qubit gates, those side by side that do not disturb each other."""

from __future__ import annotations

from typing import Any

from labwright.graphs.lab_calibration.chip.state import ChipState, Lane, waiting_lane
from labwright.graphs.lab_calibration.run_context import Laboratory
from labwright.tools.qpu.qubit_schedule import pair_conflicts, rounds

# What a pair gets whose qubits are calibrated; see the procedure find-sizzle-gate-parameters.
STEPS = (
    "sizzle_search {first}, {second}. If failed, go to FAILED",
    "stark_echo_tuneup {first}, {second}. Repeat at most 2 times. If exhausted, go to FAILED",
    "interleaved_rb_cz {first}, {second}. Repeat at most 2 times. If exhausted, go to FAILED",
)


def untouched(state: ChipState) -> list[str]:
    """The chosen couplers that have no lane yet."""
    return [name for name in state["plan"]["chosen"] if name not in state["lanes"]]


def begin_couplers(lab: Laboratory, state: ChipState) -> dict[str, Any]:
    """Lanes and rounds of the chosen couplers; one whose qubits did not both pass gets a reason and no round."""
    made = state["plan"]
    lanes = {name: _lane(lab, state, name) for name in untouched(state)}
    going = [name for name, lane in lanes.items() if lane["status"] == "waiting"]
    settings = {qubit: lab.device.settings.current(qubit) for qubit in lab.device.qubits}
    couplers = [(a, b) for a, b in made["couplers"]]
    apart = pair_conflicts([qubits_of(name) for name in going], settings, couplers)
    more = rounds(going, apart)
    for name, lane in lanes.items():
        if lane["cause"]:
            told = {"kind": "run_finished", "status": lane["status"], "reason": lane["cause"], "lane": name}
            lab.emit(told, once=f"coupler {name}")
    reasons = [{"first": one.first, "second": one.second, "reason": one.reason} for one in apart]
    following = {**made, "rounds": [*made["rounds"], *more], "reasons": [*made["reasons"], *reasons]}
    if not more:
        return {"lanes": lanes, "plan": following, "phase": "chip_report"}
    return {"lanes": lanes, "plan": {**following, "at": made["at"] + 1}, "phase": "round"}


def qubits_of(coupler: str) -> tuple[str, str]:
    """The two qubits of a coupler that is called as in ``Q1-Q2``."""
    first, _, second = coupler.partition("-")
    return first, second


def _lane(lab: Laboratory, state: ChipState, name: str) -> Lane:
    """A coupler's lane, waiting; refused if one of its qubits did not pass."""
    first, second = qubits_of(name)
    missing = [qubit for qubit in (first, second) if not _passed(state, qubit)]
    request = f"Bring up the coupler {name}"
    steps = [step.format(first=first, second=second) for step in STEPS]
    plan = {"system": "lab_calibration", "title": request, "steps": steps}
    if missing:
        refused = waiting_lane(name, name, "couple", request, plan, "")
        return {**refused, "status": "refused", "cause": f"{' and '.join(missing)} did not pass"}
    choices = {**lab.choices.model_dump(mode="json"), "qubits": [first, second]}
    return waiting_lane(name, name, "couple", request, plan, lab.open_lane(name, request, choices))


def _passed(state: ChipState, qubit: str) -> bool:
    """Whether the qubit was calibrated, at the first or at the second time."""
    own = [lane for lane in state["lanes"].values() if lane["qubit"] == qubit and lane["kind"] == "calibrate"]
    return any(lane["status"] == "complete" for lane in own)
