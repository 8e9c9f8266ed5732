"""Approval of the robot's file: what is shown, and what an answer changes. Words and patches go back to the reading."""

from __future__ import annotations

from typing import Any

from labwright.graphs.person_interrupt import wait
from labwright.graphs.protocol_design.computed_design import Planned, way_lines
from labwright.graphs.protocol_design.correction_changes import changes
from labwright.graphs.protocol_design.files import save_proposal
from labwright.graphs.protocol_design.run_context import Workroom, workroom
from labwright.graphs.protocol_design.signing import ACCEPT, MOST_TRIES, UNSIGNED, findings_to_sign, sign_question
from labwright.graphs.protocol_design.state import DesignState
from labwright.graphs.questions import Answer, Option, Question
from labwright.graphs.understand.reading_questions import NO_MODEL, with_words
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.patches import patched, read_patches
from labwright.tools.specifications.protocol import ProtocolSpec
from labwright.tools.specifications.quotations import quoted
from labwright.tools.specifications.yaml_files import to_yaml, validated

Update = dict[str, Any]
WRITE, EDIT, UNDO, ABORT = "write", "edit", "undo", "abort"


def approve(state: DesignState) -> Update:
    """Ask before the file is written, where the policy wants it. Nothing is written before the answer is here."""
    room, planned = workroom(state), planned_of(state)
    if (unsigned := findings_to_sign(room, planned)) is not None:
        return {"unsigned": unsigned, "phase": "sign"}
    if state["refused"] == UNSIGNED:  # somebody has signed now
        state = {**state, "refused": ""}
    if state["choices"]["approval"] == "auto":
        return {"phase": "write"}
    save_proposal(room.run, planned)
    question = question_of(state, planned)
    room.emit({"kind": "question", "question": question.model_dump()}, once=f"question {question.id}")
    answer = wait(question)
    room.emit(answer.event(), once=f"answer {question.id}")
    return {"approvals": state["approvals"] + 1, "refused": "", **applied(room, state, answer)}


def sign(state: DesignState) -> Update:
    """Ask a named person. That somebody signed is looked up by `approve`, never taken from the answer.

    A node of its own: it waits with the same question however often it runs, also when the sign-off is there already.
    """
    room, findings = workroom(state), state["unsigned"]
    if state["signings"] >= MOST_TRIES:
        cause = f"Nobody signed the findings in {MOST_TRIES} answers: {findings[0]}"
        return {"phase": "report", "status": "stopped", "cause": cause}
    question = sign_question(room.run, findings, state["signings"], state["refused"])
    room.emit({"kind": "question", "question": question.model_dump()}, once=f"question {question.id}")
    answer = wait(question)
    room.emit(answer.event(), once=f"answer {question.id}")
    accepts = {"phase": "approve", "refused": UNSIGNED}
    changed = accepts if answer.decision == ACCEPT else applied(room, state, answer)
    return {"signings": state["signings"] + 1, "refused": "", **changed}


def planned_of(state: DesignState) -> Planned:
    """The protocol that the state's specification gives."""
    return Planned.of(ExperimentDesign.model_validate(state["design"]), state["tags"])


def question_of(state: DesignState, planned: Planned) -> Question:
    """The protocol in plain sentences, what changed since it was shown last, and the specification."""
    before = state["proposed"]
    changed = before and before != state["draft"]
    options = [Option(value=WRITE, label="Write the robot's file")]
    options += [Option(value=UNDO, label="Undo the change")] if changed else []
    options += [Option(value=EDIT, label="Change how a step is dispensed"), Option(value=ABORT, label="Abort the run")]
    fields = {f"step_{step}": {"type": "string", "default": " ".join(way)} for step, way in state["tags"].items()}
    return Question(
        id=f"approve {state['approvals'] + 1}",
        kind="approve",
        title="Write the robot's file?",
        body_markdown="\n\n".join(_body(state, planned, _before(before) if changed else None)),
        options=options,
        form_schema={"type": "object", "properties": fields},
        free=True,
    )


def _before(spec: dict[str, Any]) -> tuple[dict[str, Any], Planned]:
    return spec, Planned.of(validated(ProtocolSpec, spec).design, {})


def _body(state: DesignState, planned: Planned, before: tuple[dict[str, Any], Planned] | None) -> list[str]:
    parts = [state["refused"]] if state["refused"] else []
    if before:
        parts.append(_listed("Changed", changes(*before, state["draft"], planned)))
    parts += ["\n".join(planned.sentences()), _listed("Put out and added", planned.preparation())]
    parts.append(_listed("Dispensed", way_lines(planned)))
    if state.get("origin") == "model":
        parts.append(_listed("Read from your words", quoted(state["draft"], state.get("sources", {}), state["words"])))
    for title, lines in (
        ("Warnings", state["warnings"]),
        ("Assumptions", assumptions(state)),
        ("Settled by the planner", planned.decisions()),
        ("Left out of your words", state.get("left_out", [])),
    ):
        parts.append(_listed(title, lines))
    say = "Say a change as `PATH = VALUE`, such as `groups.0.replicates = 3`; with a model, also in words."
    return [part for part in (*parts, f"```yaml\n{to_yaml(state['draft'])}```", say) if part]


def assumptions(state: DesignState) -> list[str]:
    """What the reading settled although the words do not."""
    return list(dict.fromkeys(state.get("reading", [])))


def _listed(title: str, lines: list[str]) -> str:
    return f"{title}:\n\n" + "\n".join(f"- {line}" for line in lines) if lines else ""


def applied(room: Workroom, state: DesignState, answer: Answer) -> Update:
    """What the answer changes. One that changes nothing is asked for again, with the reason."""
    said = answer.decision.strip()
    if said == WRITE:  # the options of a sign-off have no such thing, but words are taken there, too
        return {"phase": "write" if findings_to_sign(room, planned_of(state)) is None else "approve"}
    if said == ABORT:
        return {"phase": "report", "status": "stopped", "cause": answer.note or "A person aborted the run."}
    if said == EDIT:
        return _dispensed(state, answer)
    again: Update = {"proposed": state["draft"], "proposed_words": state["words"], "phase": "understand"}
    if said == UNDO and state["proposed"]:
        back = {"draft": state["proposed"], "words": state["proposed_words"]}
        return {**back, "origin": "person", "correction": "", "tags": {}, **again}
    if patches := read_patches(said):
        try:
            draft = patched(state["draft"], patches, grows=True)
            validated(ProtocolSpec, draft)
        except SpecificationError as wrong:
            return {"phase": "approve", "refused": f"Nothing is changed. {wrong}"}
        words = with_words(state["words"], said)
        return {"draft": draft, "words": words, "origin": "person", "correction": "", "tags": {}, **again}
    if not room.mind.reads_words:
        return {"phase": "approve", "refused": f"Not read: «{said}». Write PATH = VALUE. {NO_MODEL}"}
    return {"correction": said, "tags": {}, **again}


def _dispensed(state: DesignState, answer: Answer) -> Update:
    """Other ways of dispensing, if the checks take them."""
    chosen = {name.removeprefix("step_"): str(value).split() for name, value in answer.value.items()}
    tags = {**state["tags"], **chosen}
    errors = Planned.of(ExperimentDesign.model_validate(state["design"]), tags).errors()
    if errors:
        why = " ".join(f"{one.message} {one.mend}".strip() for one in errors)
        return {"phase": "approve", "refused": f"Nothing is changed. {why}"}
    return {"tags": tags, "phase": "plan"}
