"""Questions to a person: how each is put, and what its answer changes. The node asks, pure functions apply."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from labwright.graphs.lab_calibration.procedure_stack import current, path_of, top, with_stage
from labwright.graphs.lab_calibration.run_context import Laboratory, laboratory
from labwright.graphs.lab_calibration.state import CalibrationState, HistoryEntry
from labwright.graphs.person_interrupt import wait
from labwright.graphs.questions import Answer, Option, Question, in_units
from labwright.tools.experiments.call import ExperimentCall, render_call
from labwright.tools.limits.measurement_grants import EVERY, grant
from labwright.tools.runs.action_journal import action_key

Purpose = Literal["stage", "approve", "unknown"]
RUN, EDIT, SKIP, ABORT, AGAIN, FAIL = "run", "edit", "skip", "abort", "again", "fail"
RUN_ALL = f"{RUN} all"
SKIPPED = "skipped"  # the verdict of a stage that a person skipped
UNCHANGED = "not measured again: neither parameters nor settings have changed"
KINDS = {"bool": "boolean", "int": "integer", "float": "number"}
STAGE_OPTIONS = [
    Option(value=RUN, label="Run this stage"),
    Option(value=EDIT, label="Edit its parameters first"),
    Option(value=SKIP, label="Skip it"),
    Option(value=ABORT, label="Abort the run"),
]
_ALL = Option(value=RUN_ALL, label="Run it and all that follows, up to the cautious amplitude")
APPROVE_OPTIONS = [STAGE_OPTIONS[0], _ALL, *STAGE_OPTIONS[1:]]


class Open(TypedDict):
    """A question that waits."""

    purpose: Purpose
    form: dict[str, Any]


def _open(purpose: Purpose, question: Question) -> dict[str, Any]:
    return {"question": Open(purpose=purpose, form=question.model_dump())}


def _run(state: CalibrationState) -> int:
    """Number of the stage run that comes next. A stage's own count begins anew after a step back, this one never."""
    return len(state.get("history", [])) + 1


def paused_at(state: CalibrationState) -> str:
    """Id of the question that a pause before the next stage puts."""
    return f"stage {path_of(state)} run {_run(state)}"


def stage_boundary(state: CalibrationState, why: str) -> dict[str, Any]:
    """Offer to run, edit, skip or abort the next stage; `why` it is asked."""
    stage = current(state)
    form = _form(state)
    question = Question(
        id=paused_at(state),
        kind="choose",
        title=f"{stage['label']}: {stage['instruction']}",
        body_markdown="\n\n".join(filter(None, [why, form["description"]])),
        options=STAGE_OPTIONS,
        default=RUN,
        form_schema=form,
    )
    return _open("stage", question)


def approve(state: CalibrationState, call: str, why: str) -> dict[str, Any]:
    """Ask before a measurement is played."""
    stage, form = current(state), _form(state)
    lab = laboratory(state["run_dir"], state["choices"])
    any_call = lab.needs_approval(ExperimentCall(**stage["call"]), 0.0) if stage["call"] else ""
    question = Question(
        id=f"approve {path_of(state)} run {_run(state)} {call}",
        kind="approve",
        title=f"Measure {call}?",
        body_markdown=f"{stage['label']}: {stage['instruction']}\n\n{why} {form['description']}".rstrip(),
        options=APPROVE_OPTIONS if any_call else STAGE_OPTIONS,
        form_schema=form,
    )
    return _open("approve", question)


def unknown_outcome(state: CalibrationState, action: str) -> dict[str, Any]:
    """Ask what to do about a measurement that began before a crash and whose end the device cannot tell."""
    question = Question(
        id=f"unknown {action}",
        kind="approve",
        title="A measurement was interrupted and the device cannot tell whether it was played.",
        body_markdown=f"Stage: {current(state)['instruction']}\n\nAction {action[:12]}",
        options=[
            Option(value=AGAIN, label="Measure it (again)"),
            Option(value=FAIL, label="Count it as failed"),
            Option(value=ABORT, label="Abort the run"),
        ],
    )
    return _open("unknown", question)


def _form(state: CalibrationState) -> dict[str, Any]:
    """JSON schema of an edit: every parameter of the call as it stands, with unit and limits, and the device time."""
    lab, call = laboratory(state["run_dir"], state["choices"]), current(state)["call"]
    assert call is not None
    fields = {}
    for each in lab.card(call["experiment"]).parameters:
        field = {"type": KINDS.get(each.type, "string"), "default": call["arguments"].get(each.name, each.default)}
        limits = {"unit": each.unit or None, "minimum": each.minimum, "maximum": each.maximum}
        field |= {name: value for name, value in limits.items() if value is not None}
        fields[each.name] = field | {"description": each.description}
    return {"type": "object", "description": _device_time(lab, call), "properties": fields}


def _device_time(lab: Laboratory, call: dict[str, Any]) -> str:
    """How long the device is busy with the call, in a sentence; empty if nobody can tell."""
    known = call["experiment"] in lab.experiments
    seconds = lab.estimated(ExperimentCall(call["experiment"], call["arguments"])) if known else None
    return "" if seconds is None else f"Estimated device time: {seconds:.3g} s."


def ask(state: CalibrationState) -> dict[str, Any]:
    """Wait for the person (or take the default) and apply the answer. Before it is here, only the log knows of it."""
    waiting = state["question"]
    assert waiting is not None
    question = Question.model_validate(waiting["form"])
    assumed: list[str] = []
    lab = laboratory(state["run_dir"], state["choices"])
    if state["choices"]["answers"] == "defaults" and question.default is not None:
        answer = Answer(id=question.id, decision=question.default, note="default")
        assumed = [f"{question.title} Assumed: {question.default}. {question.consequence}".strip()]
    else:
        lab.emit({"kind": "question", "question": waiting["form"]}, once=f"question {question.id}")
        answer = wait(question)
    lab.emit(answer.event(), once=f"answer {question.id}")
    return {
        "question": None,
        "answers": {**state.get("answers", {}), question.id: answer.model_dump()},
        "assumptions": assumed,
        **_applied(state, waiting["purpose"], answer),
    }


def _applied(state: CalibrationState, purpose: Purpose, answer: Answer) -> dict[str, Any]:
    said = answer.decision
    if said == ABORT:
        return {"phase": "report", "status": "stopped", "cause": answer.note or "A person aborted the run."}
    if purpose == "unknown":
        return {"phase": "measure", "approved": AGAIN} if said == AGAIN else _failed("the outcome stayed unknown")
    return _stage_answer(state, purpose, answer)


def _failed(why: str) -> dict[str, Any]:
    return {"phase": "decide", "action": "", "report": _report("bad_data", why, why)}


def skip(note: str = "") -> dict[str, Any]:
    """Go on behind the current stage, which a person has skipped."""
    return {"phase": "decide", "report": _report(SKIPPED, "skipped by a person", note), "action": ""}


def not_measured(last: HistoryEntry, why: str = UNCHANGED) -> dict[str, Any]:
    """The current stage fails as in its `last` run, without a measurement; `why` it is not measured."""
    report = _report(last["verdict"], f"{last['diagnosis']} ({why})", last["found"])
    return {"phase": "decide", "action": "", "report": {**report, "cause": last["cause"], "hopeless": True}}


def _report(verdict: str, diagnosis: str, reason: str) -> dict[str, Any]:
    """The verdict of a stage run without a measurement."""
    said = {"verdict": verdict, "cause": "", "diagnosis": diagnosis, "reason": reason}
    return {**said, "proposal": [], "estimates": {}}


def _stage_answer(state: CalibrationState, purpose: Purpose, answer: Answer) -> dict[str, Any]:
    stage = current(state)
    if answer.decision == SKIP:
        return {**skip(answer.note), "skipped": [*state.get("skipped", []), path_of(state)]}
    if answer.decision == EDIT:
        return _edited(state, answer)
    _grant(state, stage["call"], answer)
    if answer.decision == RUN_ALL:
        folder = laboratory(state["run_dir"], state["choices"]).run.folder
        grant(folder, EVERY, "every measurement that follows", str(answer.event()["by"]))
    if purpose == "approve":
        return {"approved": answer.id, "phase": "measure"}
    return {"approved": _words(stage["call"]), "phase": "recheck"}


def action_of(state: CalibrationState, call: dict[str, Any]) -> str:
    """The key of the measurement `call` in this place of the run."""
    run, n = laboratory(state["run_dir"], state["choices"]).run.run_id, len(state.get("history", []))
    return action_key(run, state.get("branch", ""), path_of(state), top(state)["at"], n, call)


def _grant(state: CalibrationState, call: dict[str, Any] | None, answer: Answer) -> None:
    """The guard of the device plays what needs approval only with this note, which holds for this call alone."""
    if call is not None and answer.note != "default":
        run = laboratory(state["run_dir"], state["choices"]).run
        grant(run.folder, action_of(state, call), _words(call), str(answer.event()["by"]))


def _edited(state: CalibrationState, answer: Answer) -> dict[str, Any]:
    """Take over the person's parameters; the call is checked again, numbers included."""
    stage = current(state)
    assert stage["call"] is not None
    value = in_units(_form(state), answer.value)
    call = {**stage["call"], "arguments": {**stage["call"]["arguments"], **value}}
    changed = {**stage["changed"], **value}
    _grant(state, call, answer)
    return {"frames": with_stage(state, call=call, changed=changed), "phase": "recheck", "approved": _words(call)}


def _words(call: dict[str, Any] | None) -> str:
    """What a person has seen and approved: this call and no other."""
    assert call is not None
    return render_call(ExperimentCall(call["experiment"], call["arguments"]))
