"""Nodes that say who is worked on when: the plan in rounds, and the beginning of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, cast

from langgraph.types import Send

from labwright.graphs.lab_calibration.chip.coupler_calibration import begin_couplers, untouched
from labwright.graphs.lab_calibration.chip.state import ChipState, Kind, Lane, Plan, waiting_lane
from labwright.graphs.lab_calibration.run_context import Laboratory, laboratory
from labwright.tools.errors import InputError
from labwright.tools.qpu.device import IdleDevice
from labwright.tools.qpu.qubit_schedule import conflicts, lattice, rounds
from labwright.tools.specifications.calibration import CalibrationPlan, Step
from labwright.tools.specifications.plan_completion import filled, line_of_step
from labwright.tools.upkeep.calibration_graph import ONE_QUBIT

BENCHMARK = Step(procedure="benchmark-single-qubit", qubits=["dut"])
AGAIN = "-again"  # behind a qubit's name: the lane that does it a second time
ALONE = "-alone"  # behind a qubit's name: the lane whose benchmark is repeated with nobody beside it


def plan(state: ChipState) -> dict[str, Any]:
    """Rounds in which nobody disturbs anybody, and a lane for every qubit."""
    lab = laboratory(state["run_dir"], state["choices"])
    _ = lab.catalogue, lab.plan, lab.mind, lab.meter  # made once, before lanes ask for them side by side
    _let_time_pass(lab)
    kind: Kind = "maintain" if lab.plan.mode == "maintain" else "calibrate"
    qubits = list(lab.plan.for_) if isinstance(lab.plan.for_, list) else list(lab.device.qubits)
    made = planned(lab, _known(lab, qubits) if kind == "maintain" else qubits)
    made["chosen"] = list(lab.plan.couplers)
    steps = lane_steps(lab.plan)
    lanes = {name: new_lane(lab, name, kind, steps) for each in made["rounds"] for name in each}
    told = "; ".join(line_of_step(step) for step in steps)
    lab.emit({"kind": "chip_planned", "scope": kind, "instruction": told, **made}, once="chip planned")
    spent = {"together": 0.0, "one_by_one": 0.0, "acquisitions": 0}
    return {"plan": made, "lanes": lanes, "step": 0, "spent": spent, "repeat": "", "phase": "round"}


def _known(lab: Laboratory, qubits: list[str]) -> list[str]:
    """Whom upkeep of the whole chip is for: the qubits that were ever calibrated, if there are any."""
    if len(qubits) < len(lab.device.qubits):  # chosen ones are meant, whatever is known of them
        return qubits
    settings = lab.device.settings
    return [name for name in qubits if lab.upkeep.knowledge(name, ONE_QUBIT, settings).seen] or qubits


def _let_time_pass(lab: Laboratory) -> None:
    """What a simulated device does only if it is told to."""
    hours = lab.choices.idle_hours
    if not hours:
        return
    if not isinstance(lab.device, IdleDevice):
        raise InputError(f"Time passes by itself for the device {lab.device.name!r}. Leave out the idle hours.")
    lab.device.wait(3600 * hours, f"{lab.run.run_id} idle")


def planned(lab: Laboratory, qubits: Sequence[str]) -> Plan:
    """The schedule by what the controller believes now."""
    settings = lab.device.settings
    believed = {name: settings.current(name) for name in lab.device.qubits}
    couplers = [pair for pair in settings.pairs if set(pair) <= set(believed)]
    apart = conflicts(qubits, believed, couplers)
    return {
        "rounds": rounds(qubits, apart),
        "at": 0,
        "reasons": [{"first": one.first, "second": one.second, "reason": one.reason} for one in apart],
        "places": {name: list(place) for name, place in lattice(lab.device.qubits, couplers).items()},
        "couplers": [list(pair) for pair in couplers],
        "chosen": [],
    }


def lane_steps(plan: CalibrationPlan) -> list[Step]:
    """What every qubit gets."""
    return [step for step in plan.steps if isinstance(step, Step)]


def new_lane(lab: Laboratory, name: str, kind: Kind, steps: Sequence[Step]) -> Lane:
    """A lane that waits for its round."""
    qubit = name.partition("-")[0]
    own = [filled(step, {"dut": qubit}) for step in steps]
    request = "; ".join(line_of_step(step) for step in own) or f"Maintain {qubit}"
    choices = {**lab.choices.model_dump(mode="json"), "qubits": [qubit]}
    own_plan = plan_of(own) if own else {}
    return waiting_lane(name, qubit, kind, request, own_plan, lab.open_lane(name, request, choices))


def plan_of(steps: Sequence[Step]) -> dict[str, Any]:
    """A lane's own plan as plain data."""
    plain = [step.model_dump(mode="json", by_alias=True, exclude_defaults=True) for step in steps]
    return {"system": "lab_calibration", "steps": plain}


def begin_round(state: ChipState) -> dict[str, Any]:
    """Set the lanes of the round going."""
    lab = laboratory(state["run_dir"], state["choices"])
    at = state["plan"]["at"]
    names = state["plan"]["rounds"][at]
    lab.emit({"kind": "round_started", "round": at + 1, "lanes": names}, once=f"round {at}")
    going = {name: cast(Lane, {**state["lanes"][name], "status": "running"}) for name in names}
    return {"lanes": going, "phase": "work"}


def to_lanes(state: ChipState) -> list[Send]:
    """Every lane of the round that has not ended, side by side."""
    names = state["plan"]["rounds"][state["plan"]["at"]]
    going = [state["lanes"][name] for name in names if state["lanes"][name]["status"] == "running"]
    return [Send("work", {"lane": lane}) for lane in going]


def end_round(state: ChipState) -> dict[str, Any]:
    """On to the next round; behind the last one, whatever has to be done once more."""
    made = state["plan"]
    if made["at"] + 1 < len(made["rounds"]):
        return {"plan": {**made, "at": made["at"] + 1}, "phase": "round"}
    lab = laboratory(state["run_dir"], state["choices"])
    names = once_more(lab, state)
    if not names:
        return begin_couplers(lab, state) if untouched(state) else {"phase": "chip_report"}
    lanes = {name: new_lane(lab, name, "calibrate", _steps(lab, name)) for name in names}
    qubits = {lane["qubit"]: name for name, lane in lanes.items()}
    alone = [[name] for name in names if name.endswith(ALONE)]
    settings = {qubit: lab.device.settings.current(qubit) for qubit in qubits}
    again = [qubit for qubit, name in qubits.items() if name.endswith(AGAIN)]
    pairs = [(a, b) for a, b in made["couplers"]]
    more = [[qubits[qubit] for qubit in each] for each in rounds(again, conflicts(again, settings, pairs))]
    return {
        "plan": {**made, "rounds": [*made["rounds"], *more, *alone], "at": made["at"] + 1},
        "lanes": lanes,
        "phase": "round",
    }


def _steps(lab: Laboratory, name: str) -> list[Step]:
    return [BENCHMARK] if name.endswith(ALONE) else lane_steps(lab.plan)


def once_more(lab: Laboratory, state: ChipState) -> list[str]:
    """Lanes for a second time: who failed, and who turned out to have been benchmarked too near to somebody."""
    if lab.plan.mode == "maintain":
        return []
    lanes = state["lanes"]
    failed = [f"{name}{AGAIN}" for name, lane in lanes.items() if _may_again(lane)]
    near = [f"{qubit}{ALONE}" for qubit in _too_near(lab, state)]
    return [name for name in (*failed, *near) if name not in lanes]


def _may_again(lane: Lane) -> bool:
    """Whether a lane is a qubit's first and has failed."""
    return lane["status"] == "failed" and lane["name"] == lane["qubit"] and lane["kind"] == "calibrate"


def _too_near(lab: Laboratory, state: ChipState) -> list[str]:
    """Qubits whose calibrated frequency came nearer to another one's of their round than the plan believed."""
    found: list[str] = []
    for names in state["plan"]["rounds"]:
        lanes = [state["lanes"][name] for name in names if state["lanes"][name]["kind"] == "calibrate"]
        now = {lane["qubit"]: lab.device.settings.current(lane["qubit"]) for lane in lanes}
        done = [lane["qubit"] for lane in lanes if lane["status"] == "complete"]
        for pair in conflicts(list(now), now):
            found += [name for name in (pair.first, pair.second) if name in done and name not in found]
    return found


def after_round(state: ChipState) -> Literal["begin_round", "chip_report"]:
    """Another round, or the end."""
    return "begin_round" if state["phase"] == "round" else "chip_report"
