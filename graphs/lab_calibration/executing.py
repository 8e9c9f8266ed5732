"""Nodes around the device: measure once, inspect, decide."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from labwright.agents.call_events import named
from labwright.agents.lab_calibration.decide import DECIDE, DecideIn, DecideOut, StageCard
from labwright.agents.lab_calibration.grounding import Measurement, Named, Parameter
from labwright.agents.lab_calibration.inspect_result import (
    LOOK,
    SUMMARISE,
    CheckLine,
    FigureIn,
    FigureOut,
    SummariseIn,
    SummariseOut,
    in_doubt,
    summarise_by_rules,
)
from labwright.agents.lab_calibration.sizzle import Agents
from labwright.graphs.lab_calibration import asking
from labwright.graphs.lab_calibration.diagnosing import due, left_open, of_this_stage
from labwright.graphs.lab_calibration.failed_stage_options import needed_later
from labwright.graphs.lab_calibration.names_in_scope import names_of
from labwright.graphs.lab_calibration.procedure_stack import (
    current,
    is_procedure,
    path_of,
    step_of,
    top,
    with_stage,
    with_top,
)
from labwright.graphs.lab_calibration.run_context import Laboratory, laboratory
from labwright.graphs.lab_calibration.sizzle_advice_cache import Remembered
from labwright.graphs.lab_calibration.state import PROCEDURE_RUNS, CalibrationState
from labwright.tools.errors import SafetyStop, UnknownOutcomeError
from labwright.tools.experiments import registry
from labwright.tools.experiments.array_labels import labelled, settings_of
from labwright.tools.experiments.base import Experiment
from labwright.tools.experiments.call import ExperimentCall, ExperimentCard
from labwright.tools.experiments.perform import Performed, perform, plain_report, visual_prompts
from labwright.tools.specifications.calibration import COMPLETE, FAILED
from labwright.tools.specifications.catalogue import updates
from labwright.tools.specifications.transition_conditions import Situation
from labwright.tools.specifications.transitions import Move, Outcome, following, move
from labwright.tools.specifications.values import Quantity, ValueProblem, evaluated, in_unit
from labwright.tools.upkeep.upkeep_journal import Told

Update = dict[str, Any]
REFERENCE = re.compile(r"Image\(\"([^\"]+)\"\)")
CONTRADICTION = "figure_contradicts"  # the cause of a result whose figure and numbers disagree
DRAWING = threading.Lock()  # lanes of a chip work side by side, and matplotlib is not made for that


def measure(state: CalibrationState) -> Update:
    """Run the current call on the device, exactly once."""
    lab, stage = _lab(state), current(state)
    plain = stage["call"]
    assert plain is not None
    call = ExperimentCall(plain["experiment"], plain["arguments"])
    key = asking.action_of(state, plain)
    kind = lab.experiments[call.experiment]
    again = state.get("approved") == asking.AGAIN
    play = partial(perform, kind, call, lab.device, key, Agents(Remembered(lab, key).ask))
    try:
        result = lab.run.action(key).perform(
            partial(named, call.experiment, lab.tags, call.arguments, play),
            partial(_store, lab, f"{len(state.get('history', [])) + 1:02d}_{call.experiment}"),
            ask=lambda: lab.device.status(f"{key}.0"),
            note={"call": plain, "stage": stage["label"], "path": path_of(state)},
            repeat=again,
        )
    except UnknownOutcomeError:
        return asking.unknown_outcome(state, key)
    except SafetyStop as spent:
        raise SafetyStop(" ".join([str(spent), *left_open(state)])) from spent
    figures = result["figures"]
    lab.emit(
        {
            "kind": "measured",
            "experiment": call.experiment,
            "arguments": call.arguments,
            "device_seconds": result["seconds"],
            "figure": figures[0]["path"] if figures else "",
        },
        once=f"measured {key}",
    )
    return {"action": key, "approved": "", "phase": "inspect"}


def _store(lab: Laboratory, name: str, done: Performed) -> dict[str, Any]:
    """Arrays, figures and report into the run's folder; what goes into the action's record."""
    figures = []
    for method, draw in done.figures.items() if lab.choices.figures else ():
        with DRAWING:
            figure = lab.run.save_figure(f"{name}_{method}" if len(done.figures) > 1 else name, draw())
        figures.append({"path": figure.path, "sha256": figure.sha256, "method": method})
    data = lab.run.save_arrays(name, done.experiment.data)
    return {
        "experiment": done.experiment.name,
        "qubit": done.experiment.qubit,
        "report": plain_report(done.report),
        "figures": figures,
        "data": data.as_dict(),
        "arrays": labelled(done.experiment),
        "settings": settings_of(done.experiment),
        "seconds": done.seconds,
        "acquisitions": done.acquisitions,
        "settings_version": lab.device.settings.version,
        "clock": lab.device.clock,
    }


def _facts(state: CalibrationState, result: dict[str, Any]) -> Update:
    """Variables for later stages, and results for the end; of a result that nothing contradicts."""
    report, qubit = result["report"], result["qubit"]
    measured = state.get("measured", {})
    found = {name: float(f"{value:.6g}") for name, value in report["variables"].items()}
    update: Update = {"measured": {**measured, qubit: {**measured.get(qubit, {}), **found}}}
    if report["verdict"] == "success":
        results = state.get("results", {})
        # What was written to the settings or the variable table is a result; the rest says how good the data were.
        kept = {*report["updates"].values(), *report["variables"].values()}
        own = {
            f"{result['experiment']}.{name}": {**estimate, "main": estimate["value"] in kept}
            for name, estimate in report["estimates"].items()
        }
        earlier = {name: each for name, each in results.get(qubit, {}).items() if name not in own}
        update["results"] = {**results, qubit: earlier | own}
    return update


def inspect(state: CalibrationState) -> Update:
    """One verdict on the last measurement: the numbers, and the figure if the mind can see."""
    lab = _lab(state)
    result = lab.run.action(state["action"]).result()
    looked = _look(lab, result)
    kind, parameters = lab.experiments[result["experiment"]], _parameters(lab, current(state)["call"])
    given = summary_input(kind, result["qubit"], result["report"], parameters, looked)
    # Without a report on a figure the numbers have said everything, and nobody is asked.
    answer: object = lab.ask(SUMMARISE, given) if looked else None
    if not isinstance(answer, SummariseOut):
        # A question or a refusal is no verdict, and a cached question would come back at every resume. The numbers
        # and the figure reports have one of their own.
        answer = summarise_by_rules(given)
    if not answer.consistent:
        _revert(lab, state["action"])
    elif updates(lab.card(result["experiment"]), (current(state)["call"] or {}).get("arguments", {})):
        _remember(lab, state["action"], result, answer.verdict)
    lab.emit(
        {
            "kind": "inspected",
            "verdict": answer.verdict,
            "diagnosis": answer.diagnosis,
            "cause": result["report"]["cause"],
            "reason": answer.reason,
            "estimates": result["report"]["estimates"],
            "looked": len(looked),
        },
        once=f"inspected {state['action']}",
    )
    own = result["report"]
    report = {
        "verdict": answer.verdict,
        "cause": own["cause"] if answer.consistent else CONTRADICTION,
        "diagnosis": answer.diagnosis,
        "reason": answer.reason,
        "proposal": [item.model_dump() for item in answer.proposal],
        "estimates": own["estimates"],
    }
    facts = _facts(state, result) if answer.consistent else {}
    phase = "diagnose" if due(lab, state, report["verdict"]) else "decide"
    return {"report": report, "figures": [figure["path"] for figure in result["figures"]], "phase": phase, **facts}


def _look(lab: Laboratory, result: dict[str, Any]) -> list[FigureOut]:
    """Reports on the figures; none if the mind has no eyes, or where the numbers leave no doubt and that is enough."""
    if not lab.mind.sees_images or (lab.choices.look == "doubt" and not in_doubt(result["report"])):
        return []
    prompts = visual_prompts(lab.experiments[result["experiment"]])
    reports = []
    for figure in result["figures"]:
        text, images = with_references(prompts[figure["method"]], lab.lab_folder)
        given = FigureIn(experiment=result["experiment"], criteria=text)
        seen = lab.ask(LOOK, given, (*images, lab.run.folder / figure["path"]))
        if isinstance(seen, FigureOut):
            reports.append(seen)
    return reports


def with_references(prompt: str, lab_folder: Path | None = None) -> tuple[str, tuple[Path, ...]]:
    """The prompt with every ``Image("name")`` replaced by a number, and the pictures in that order."""
    images: list[Path] = []

    def number(match: re.Match[str]) -> str:
        images.append(registry.reference_image(match[1], lab_folder))
        return f"(picture {len(images)})"

    return REFERENCE.sub(number, prompt), tuple(images)


def summary_input(
    kind: type[Experiment], qubit: str, report: dict[str, Any], parameters: list[Parameter], looked: list[FigureOut]
) -> SummariseIn:
    """What the summarising agent gets of a report in plain values and of what was seen."""
    return SummariseIn(
        experiment=kind.name,
        qubit=qubit,
        instructions=kind.summary_instructions,
        verdict=report["verdict"],
        diagnosis=report["diagnosis"],
        analysis=report["analysis"],
        checks=[CheckLine.model_validate(check) for check in report["checks"]],
        estimates=[Measurement(name=name, **value) for name, value in report["estimates"].items()],
        proposal=[Named(name=name, value=value) for name, value in report["proposal"].items()],
        parameters=parameters,
        figures=looked,
    )


def _parameters(lab: Laboratory, call: dict[str, Any] | None) -> list[Parameter]:
    """The numeric parameters of a call with the values it ran with, defaults included."""
    if call is None or call["experiment"] not in lab.experiments:
        return []
    return numeric(lab.card(call["experiment"]), call["arguments"])


def numeric(card: ExperimentCard, arguments: Mapping[str, Any]) -> list[Parameter]:
    """The numeric parameters of `card` with their values."""
    values = {p.name: arguments.get(p.name, p.default) for p in card.parameters}
    return [
        Parameter(name=p.name, value=float(values[p.name]), unit=p.unit, minimum=p.minimum, maximum=p.maximum)
        for p in card.parameters
        if isinstance(values[p.name], (int, float)) and not isinstance(values[p.name], bool)
    ]


def _revert(lab: Laboratory, key: str) -> None:
    """Take back what an invalid result wrote to the settings."""
    settings = lab.device.settings
    for entry in settings.history():
        if entry.key == f"{key}.update":
            settings.revert(entry.version, key=f"{key}.revert", reason="figure and numbers contradict each other")


def _remember(lab: Laboratory, key: str, result: dict[str, Any], verdict: str) -> None:
    """What a run that may write settings says of them: how well they are known, or that its run was not accepted."""
    report, kind = result["report"], lab.experiments[result["experiment"]]
    if verdict != "success" and not report["updates"]:
        return
    names = {setting: kind.errors.get(setting, setting) for setting in kind.writes}
    errors = {each: report["estimates"][name]["error"] for each, name in names.items() if name in report["estimates"]}
    found: Told = "measured" if verdict == "success" else "unconfirmed"
    lab.upkeep.add(f"{key} result", result["qubit"], kind.name, found, result["clock"], errors)


def decide(state: CalibrationState) -> Update:
    """Where to go next: by the step's transitions; a rule in free words is a model's."""
    lab, stage, report = _lab(state), current(state), state["report"]
    good, skipped = report["verdict"] == "success", report["verdict"] == asking.SKIPPED
    counted = {
        "executed": stage["executed"] + (not skipped and not report.get("hopeless")),
        "failed": stage["failed"] + (not good and not skipped),
        "succeeded": stage["succeeded"] + good,
        "fresh": stage["fresh"] + 1,
    }
    made = of_this_stage(state)
    if made and made["updates"] and not made["ends"]:  # put right: the stage begins anew, with all its repetitions
        state, counted = {**state, "frames": with_stage(state, changed={})}, {**counted, "fresh": 0}
        chosen = Move(stage["label"], made["said"])
    elif made and made["ends"]:
        chosen = Move(FAILED, made["said"])
    else:
        chosen = _chosen(lab, state, counted)
    if chosen.gave_up and top(state)["at"] + 1 < len(top(state)["stages"]) and not needed_later(lab, state):
        state = {**state, "frames": with_top(state, failed=[*top(state).get("failed", []), _why(state)])}
        chosen = Move(top(state)["stages"][top(state)["at"] + 1]["label"], "no later stage needs it")
    change = _changes(lab, state, chosen)
    row = {
        "path": path_of(state),
        "stage": stage["label"],
        "instruction": stage["instruction"],
        "experiment": (stage["call"] or stage["step"]).get("experiment", ""),
        "arguments": (stage["call"] or {}).get("arguments", {}),
        "attempt": counted["fresh"],
        "verdict": report["verdict"],
        "cause": report["cause"],
        "diagnosis": report["diagnosis"],
        "next": chosen.next,
        "estimates": report["estimates"],
        "found": report["reason"],
        "action": state.get("action", ""),
    }
    reason = f"{chosen.why}: {report['diagnosis'] or report['verdict']} (run {counted['fresh']} of this stage)."
    said = {"next": chosen.next, "reason": reason, "changes": change, "verdict": report["verdict"]}
    lab.emit({"kind": "decided", "stage": stage["label"], **said}, once=f"decided {len(state.get('history', []))}")
    return {"history": [row], "device_at": _device_at(lab, state), **_moved(state, chosen.next, change, counted)}


def _chosen(lab: Laboratory, state: CalibrationState, counted: dict[str, int]) -> Move:
    """The move that the transitions give; where a rule in free words comes first, a model is asked."""
    stage, frame, report = current(state), top(state), state["report"]
    step = step_of(stage)
    runs = PROCEDURE_RUNS if is_procedure(stage) else lab.choices.max_retries + 1
    prefix = path_of(state).rpartition("@")[0]
    outcome = Outcome(
        labels=[each["label"] for each in frame["stages"]],
        skipped=frozenset(n for n in range(frame["at"]) if f"{prefix}@{n + 1}" in state.get("skipped", [])),
        hopeless=bool(report.get("hopeless")),
        at=frame["at"],
        situation=Situation(
            verdict=report["verdict"],
            cause=report["cause"],
            went_back=stage["stepped_back"],
            names=names_of(lab, state, report["estimates"]),
            executed=counted["executed"],
            failed=counted["failed"],
            succeeded=counted["succeeded"],
        ),
        runs=counted["fresh"],
        limit=runs if step.repeats is None else min(runs, step.repeats + 1),
        proposal={item["name"]: item["value"] for item in report["proposal"]},
    )
    if report["verdict"] == asking.SKIPPED:
        return Move(following(outcome), "A person skipped it")
    on = list(step.on)
    while (found := move(on, outcome)).rule:
        decided = lab.ask(DECIDE, _decision_input(lab, state, outcome, found.rule))
        if isinstance(decided, DecideOut) and decided.applies:
            return Move(decided.next, decided.analysis, {item.name: item.value for item in decided.changes})
        on = on[next(n for n, each in enumerate(on) if each.rule == found.rule) + 1 :]
    return found


def _changes(lab: Laboratory, state: CalibrationState, chosen: Move) -> dict[str, Any]:
    """The changed parameters in the card's units; a value that cannot be had now is left out, and logged."""
    call = current(state)["call"]
    if not chosen.change or call is None or call["experiment"] not in lab.experiments:
        return {}
    parameters = {each.name: each for each in lab.card(call["experiment"]).parameters}
    names = names_of(lab, state, state["report"]["estimates"])
    names |= {each.name: Quantity(each.value, each.unit) for each in _parameters(lab, call)}
    found: dict[str, Any] = {}
    for name, value in chosen.change.items():
        if parameters[name].type in ("bool", "str") or not isinstance(value, str):
            found[name] = value
            continue
        try:
            number = in_unit(evaluated(value, names), parameters[name].unit, value)
        except ValueProblem as unknown:
            told = {"kind": "not_changed", "stage": current(state)["label"], "name": name, "reason": str(unknown)}
            lab.emit(told, once=f"not changed {len(state.get('history', []))} {name}")
            continue
        found[name] = round(number) if parameters[name].type == "int" else float(f"{number:.6g}")
    return found


def _device_at(lab: Laboratory, state: CalibrationState) -> dict[str, Any]:
    """Clock and settings version behind this stage run. A run that is replayed finds its device at the very end."""
    key = state.get("action", "")
    if not key:  # a procedure, or a stage that was skipped: the device stands where the last measurement left it
        return state.get("device_at", {"clock": 0.0, "settings_version": 0})
    made = of_this_stage(state)
    key = made["action"] if made and made["looks"] else key  # a diagnosis came after the measurement
    result = lab.run.action(key).result()
    own = [entry.version for entry in lab.device.settings.history() if entry.key.partition(".")[0] == key]
    return {"clock": result["clock"], "settings_version": max([result["settings_version"], *own])}


def _decision_input(lab: Laboratory, state: CalibrationState, outcome: Outcome, rule: str) -> DecideIn:
    stage, frame, report, now = current(state), top(state), state["report"], outcome.situation
    return DecideIn(
        current=stage["label"],
        rule=rule,
        stages=[StageCard(label=each["label"], instruction=each["instruction"]) for each in frame["stages"]],
        executed=outcome.runs,
        failed=now.failed,
        most_runs=outcome.limit,
        went_back=now.went_back,
        verdict=report["verdict"],
        cause=report["cause"],
        reason=report["reason"],
        estimates=[Measurement(name=name, **value) for name, value in report["estimates"].items()],
        proposal=[Named.model_validate(item) for item in report["proposal"]],
        parameters=_parameters(lab, stage["call"]),
    )


def _moved(state: CalibrationState, target: str, changes: Mapping[str, Any], counted: dict[str, int]) -> Update:
    """The frames after a transition."""
    stage, frame = current(state), top(state)
    if target in (COMPLETE, FAILED):
        cause = "" if target == COMPLETE else _why(state)
        return {"frames": with_stage(state, **counted), "cause": cause, "phase": "ended"}
    labels = [each["label"] for each in frame["stages"]]
    place = labels.index(target)
    update: dict[str, Any] = {**counted, "stepped_back": stage["stepped_back"] + (place < frame["at"])}
    if changes:
        update["changed"] = {**stage["changed"], **_typed(stage, changes)}
    moved: CalibrationState = {**state, "frames": with_stage(state, **update)}
    moved = {**moved, "frames": with_top(moved, at=place)}
    if place == frame["at"]:
        return {"frames": moved["frames"], "phase": "stage"}
    # a stage that is reached, for the first time or again, begins with all its repetitions and its own parameters
    return {"frames": with_stage(moved, fresh=0, call=None, changed={}), "phase": "stage"}


def _why(state: CalibrationState) -> str:
    """Why the current stage failed, with the numbers; those of a procedure stand in its diagnosis."""
    stage, report = current(state), state["report"]
    numbers = "" if is_procedure(stage) else report["reason"]
    return f"{stage['instruction']}: {'. '.join(filter(None, [report['diagnosis'], numbers]))}"


def _typed(stage: Any, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Whole numbers stay whole where the call had them so; switches and words stay what they are."""
    old = stage["call"]["arguments"]
    return {
        name: int(value)
        if isinstance(value, float) and value.is_integer() and not isinstance(old.get(name), float)
        else value
        for name, value in changes.items()
    }


def _lab(state: CalibrationState) -> Laboratory:
    lab = laboratory(state["run_dir"], state["choices"])
    lab.stage = path_of(state)
    return lab
