"""A lane of upkeep: walks its qubit's graph of calibrations, checks what is not trusted, calibrates what is off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from labwright.graphs.lab_calibration.chip.state import Lane
from labwright.graphs.lab_calibration.run_context import Laboratory, laboratory
from labwright.graphs.result_document import write_end
from labwright.tools.experiments.base import Bench
from labwright.tools.qpu.device_sharing import AwaitsDevice
from labwright.tools.runs.action_journal import action_key
from labwright.tools.upkeep.calibration_graph import ONE_QUBIT, WHOLE
from labwright.tools.upkeep.checks import CHECKS, Checked
from labwright.tools.upkeep.graph_walk import Outcome, Step, next_step

Advance = Callable[[str, dict[str, Any], dict[str, Any]], dict[str, Any]]  # (part, plan, state) -> state


def maintained(lane: Lane, advance: Advance) -> Lane:
    """The lane as far as it comes without the device, or to the end of one calibration.

    Its state is {begun, log, inner}: device time of the beginning, the outcome of every step so far, and the
    calibration under way. The walk itself is not stored: it follows from these.
    """
    lab = laboratory(lane["run_dir"])
    state = lane["state"] or {"begun": lab.device.clock, "log": [], "inner": {}}
    while True:
        step = _next(lab, lane, state)
        if step is None:
            return _finished(lane, state)
        try:
            if step.act == "check":
                state = _logged(state, step, _check(lab, lane, step, state))
                continue
        except AwaitsDevice as waiting:
            return {**lane, "status": "running", "awaits": waiting.key, "state": state}
        part, plan = _part(lab, lane, step, state)
        after = advance(part, plan, state["inner"])
        if after.get("awaits"):
            return {**lane, "status": "running", "awaits": after["awaits"], "state": {**state, "inner": after}}
        state = {**_logged(state, step, _calibrated(lab, lane, step, state, part, after)), "inner": {}}
        # one calibration a turn: LangGraph tells the subgraphs of one node apart by their order alone
        return {**lane, "status": "running", "awaits": "", "state": state}


def _next(lab: Laboratory, lane: Lane, state: dict[str, Any]) -> Step | None:
    known = lab.upkeep.knowledge(lane["qubit"], ONE_QUBIT, lab.device.settings, before=state["begun"])
    outcomes = [Outcome(entry["found"], entry["clock"]) for entry in state["log"]]
    return next_step(ONE_QUBIT, known, state["begun"], outcomes)[0]


def _logged(state: dict[str, Any], step: Step, result: dict[str, Any]) -> dict[str, Any]:
    return {**state, "log": [*state["log"], {**asdict(step), **result}]}


def _check(lab: Laboratory, lane: Lane, step: Step, state: dict[str, Any]) -> dict[str, Any]:
    """Look at data, once; what came of it is remembered with the device."""
    number = len(state["log"])
    call = {"experiment": f"check {step.node}", "arguments": {"qubit": lane["qubit"]}}
    key = action_key(lab.run.run_id, lab.run.run_id, "upkeep", number, 0, call)
    reference = lab.upkeep.numbers(lane["qubit"], step.node, before=state["begun"])

    def kept(checked: Checked) -> dict[str, Any]:
        return {**asdict(checked), "clock": lab.device.clock}

    result = lab.run.action(key).perform(
        lambda: CHECKS[step.node](Bench(lab.device, key), lane["qubit"], reference),
        kept,
        ask=lambda: lab.device.status(f"{key}.0"),
        note={"call": call},
    )
    lab.upkeep.add(key, lane["qubit"], step.node, result["found"], result["clock"], result["numbers"])
    lab.emit({"kind": "checked", "node": step.node, "why": step.why, **result}, once=f"checked {key}")
    return dict(result)


def _part(lab: Laboratory, lane: Lane, step: Step, state: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Folder and plan of a calibration within the upkeep."""
    host = laboratory(str(lab.run.folder.parents[1]))
    plan = (WHOLE if step.node == WHOLE.name else ONE_QUBIT[step.node]).plan(lane["qubit"])
    name = f"{lane['qubit']}-{len(state['log']):02d}-{step.node}"
    lab.emit({"kind": "checked", "node": step.node, "found": "calibrating"}, once=f"calibrating {name}")
    return host.open_lane(name, str(plan["title"]), lab.run.record.choices), plan


def _calibrated(
    lab: Laboratory, lane: Lane, step: Step, state: dict[str, Any], part: str, after: dict[str, Any]
) -> dict[str, Any]:
    """The end of a calibration, remembered with the device."""
    inner = laboratory(part)
    write_end(inner, after["status"], after.get("cause", ""), [], 0.0)
    found = "calibrated" if after["status"] == "complete" else "failed"
    rb = after.get("results", {}).get(lane["qubit"], {}).get("single_qubit_rb.error_per_gate")
    numbers = {"error_per_gate": float(rb["value"])} if rb else {}
    clock = lab.device.clock
    lab.upkeep.add(
        inner.run.run_id, lane["qubit"], step.node, "calibrated" if found == "calibrated" else "failed", clock, numbers
    )
    stopped = after["status"] == "stopped"
    detail = after.get("cause", "") if found == "failed" else f"{len(after.get('history', []))} stage runs"
    return {
        "found": found,
        "clock": clock,
        "detail": detail,
        "numbers": numbers,
        "part": inner.run.folder.name,
        "stopped": stopped,
    }


def _finished(lane: Lane, state: dict[str, Any]) -> Lane:
    """The lane at its end: what failed last decides, if nothing was calibrated behind it."""
    kept = {"log": state["log"], "begun": state["begun"]}
    last = state["log"][-1] if state["log"] else {}
    if last.get("found") != "failed":
        return {**ended(lane, "complete", ""), "state": kept}
    status = "stopped" if last.get("stopped") else "failed"
    return {**ended(lane, status, f"{last['node']}: {last['detail']}"), "state": kept}


def ended(lane: Lane, status: Any, cause: str) -> Lane:
    """The lane at its end, which its folder records as a run's."""
    write_end(laboratory(lane["run_dir"]), status, cause, [], 0.0)
    return {**lane, "status": status, "cause": cause, "awaits": "", "state": {}}
