"""The second failure on a qubit: look for its causes, put right what settings can, or end the run with their names."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from labwright.graphs.lab_calibration import asking, past_diagnoses
from labwright.graphs.lab_calibration.procedure_stack import current
from labwright.graphs.lab_calibration.run_context import Laboratory, laboratory
from labwright.graphs.lab_calibration.state import CalibrationState
from labwright.tools.errors import InputError, UnknownOutcomeError
from labwright.tools.experiments.base import Bench
from labwright.tools.experiments.duration_estimate import SIMULATED
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.specifications.catalogue import updates
from labwright.tools.upkeep.causes import table
from labwright.tools.upkeep.diagnosing import Diagnosis, still_open
from labwright.tools.upkeep.diagnosing import diagnose as looked

FAILURES = ("bad_data", "wrong_setup")
LONGEST = 400.0  # s of device time from which on a diagnosis within a run begins no look

Update = dict[str, Any]


def due(lab: Laboratory, state: CalibrationState, verdict: str) -> bool:
    """Whether the current stage is the second that failed on its qubit, and looks may be taken and settings written.

    That a person wants to approve measurements or settings forbids it, and so does a run that writes none. A lane of
    a chip, which shares its device, does without.
    """
    call = current(state)["call"] or {"experiment": "", "arguments": {}}
    qubit = call["arguments"].get("qubit")
    if qubit is None or verdict not in FAILURES or qubit in state.get("diagnoses", {}) or lab.is_lane:
        return False
    if not lab.choices.diagnose or lab.choices.approval == "always" or lab.plan.approval != "as the run says":
        return False
    own = [row for row in state.get("history", []) if row["action"] and row["arguments"].get("qubit") == qubit]
    calls = [*((row["experiment"], row["arguments"]) for row in own), (call["experiment"], call["arguments"])]
    writes = any(updates(lab.card(experiment), arguments) for experiment, arguments in calls)
    return writes and any(row["verdict"] in FAILURES for row in own)


def diagnose(state: CalibrationState) -> Update:
    """Take the looks, once; write what puts the qubit right, remember the case, and add both to what is known."""
    lab, call, report = laboratory(state["run_dir"], state["choices"]), current(state)["call"], state["report"]
    assert call is not None
    qubit = str(call["arguments"]["qubit"])
    alike = {"device": _identity(lab), "experiment": call["experiment"], "cause": report["cause"]}
    asked = {"experiment": "diagnosis", "arguments": {"qubit": qubit}}
    key = asking.action_of(state, asked)
    action = lab.run.action(key)
    claim = action.folder / "claim.json"  # a run that is resumed takes the looks that it had begun to take
    if action.state == "absent":
        known = past_diagnoses.alike(alike) if alike["device"] else []
    else:
        known = read_json(claim, "Start the run anew.")["cases"]
    try:
        result = action.perform(
            lambda: _taken(lab, qubit, key, [case["causes"] for case in known]),
            lambda made: {**_plain(made), "qubit": qubit, "cases": known, "clock": lab.device.clock,
                          "settings_version": lab.device.settings.version},
            ask=lambda: lab.device.status(f"{key}.0"),
            note={"call": asked, "alike": alike, "cases": known},
        )  # fmt: skip
    except (InputError, UnknownOutcomeError) as refused:
        result = {**_plain(None), "qubit": qubit, "cases": [], "said": f"No diagnosis: {refused}"}
    if result["causes"] and result["sure"] and alike["device"]:
        past_diagnoses.keep(
            lab.run.run_id, key, {**alike, "qubit": qubit, **{k: result[k] for k in past_diagnoses.KEPT}}
        )
    lab.emit({"kind": "diagnosed", **result}, once=f"diagnosed {key}")
    changed = (
        {"diagnosis": result["said"]} if result["ends"] else {"reason": f"{report['reason']} {result['said']}".strip()}
    )
    return {
        "report": {**report, **changed, "hopeless": result["ends"]},
        "diagnoses": {**state.get("diagnoses", {}), qubit: {**result, "action": key, "after": state["action"]}},
        "phase": "decide",
    }


def of_this_stage(state: CalibrationState) -> dict[str, Any] | None:
    """The diagnosis that followed the last measurement, if one did."""
    made = state.get("diagnoses", {}).values()
    return next((each for each in made if each["after"] == state.get("action")), None)


def left_open(state: CalibrationState) -> list[str]:
    """For each diagnosis so far: what it came to, and the causes that are not ruled out."""
    made = [each for each in state.get("diagnoses", {}).values() if each["looks"]]
    return [f"{each['qubit']}: {each['said']} {still_open(each['singly'])}" for each in made]


def _identity(lab: Laboratory) -> str:
    """The device that cases are about; empty for a simulated one that this run has made for itself."""
    device, folder, options = lab.choices.device, lab.choices.device_folder, lab.choices.device_options
    return "" if device == SIMULATED and not folder else " ".join([device, folder, *map(str, sorted(options.items()))])


def _taken(lab: Laboratory, qubit: str, key: str, known: list[list[str]]) -> Diagnosis:
    made = looked(Bench(lab.device, key), qubit, known, most_seconds=LONGEST)
    if made.sure and made.updates:
        said = f"diagnosis: {', '.join(sorted(made.causes))}"
        lab.device.settings.update(qubit, made.updates, key=f"{key}.update", reason=said)
    return made


def _plain(made: Diagnosis | None) -> dict[str, Any]:
    """What the run keeps of a diagnosis; of none, that there was none."""
    if made is None:
        return {"causes": [], "sure": False, "ends": False, "updates": {}, "looks": [], "acquisitions": 0}
    known = table()[0]
    causes = sorted(made.causes)
    looks = [{**asdict(each), "best": sorted(each.best)} for each in made.taken]
    return {
        "causes": causes, "probability": made.probability, "sure": made.sure, "singly": made.singly,
        "ends": made.sure and any(known[name].ends for name in causes),
        "updates": made.updates if made.sure else {}, "looks": looks,
        "acquisitions": made.acquisitions, "seconds": made.seconds,
        "said": f"Diagnosis ({100 * made.probability:.0f} %): "
        + (" ".join(known[name].says for name in causes) or "none of the known causes."),
    }  # fmt: skip


def section(made: dict[str, Any]) -> str:
    """A diagnosis as a part of the report."""
    lines = [f"## Diagnosis of {made['qubit']}", "", made["said"]]
    if made["updates"]:
        lines.append(
            "Put right: " + ", ".join(f"{name} = {value:.6g}" for name, value in made["updates"].items()) + "."
        )
    lines += [f"As in run {c['run']} of {c['date']}: {', '.join(c['causes'])}." for c in made["cases"]]
    if made["looks"]:
        lines += ["", "| look | found | most probable then | probability |", "|---|---|---|---:|"]
    for look in made["looks"]:
        found = ", ".join(f"{name} {value:.3g} ± {error:.2g}" for name, (value, error) in look["measured"].items())
        named = ", ".join(look["best"]) or "none known"
        lines.append(f"| {look['look']} | {found or 'nothing seen'} | {named} | {100 * look['probability']:.0f} % |")
    return "\n".join(lines)
