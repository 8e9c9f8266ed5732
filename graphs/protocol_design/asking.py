"""Questions to a person: how each is put, and what its answer changes. The node asks, pure functions apply."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from labwright.graphs.protocol_design.state import DesignState
from labwright.graphs.protocol_design.workroom import workroom
from labwright.graphs.questions import Answer, Option, Question
from labwright.graphs.waiting import wait

Purpose = Literal["clarify", "approve"]
WRITE, EDIT, ABORT = "write", "edit", "abort"
APPROVAL = [
    Option(value=WRITE, label="Write the robot's file"),
    Option(value=EDIT, label="Change how a step is dispensed first"),
    Option(value=ABORT, label="Abort the run"),
]


class Open(TypedDict):
    """A question that waits, and what it is about."""

    purpose: Purpose
    form: dict[str, Any]
    about: str  # the doubt's id


def clarify(about: str, text: str, options: list[str], default: str | None, consequence: str) -> dict[str, Any]:
    """Ask about a doubt; `about` is its id."""
    question = Question(
        id=about,
        kind="clarify",
        title=text,
        body_markdown=f"Without an answer: {default}. {consequence}" if default else "",
        options=[Option(value=option, label=option) for option in options],
        default=default,
        consequence=consequence,
    )
    return {"question": Open(purpose="clarify", form=question.model_dump(), about=about), "phase": "ask"}


def approve(state: DesignState, body: str, tags: dict[str, list[str]]) -> dict[str, Any]:
    """Ask before the robot's file is written; an edit changes the dispense options of steps."""
    number = len([key for key in state["answers"] if key.startswith("approve")])
    fields = {f"step_{step}": {"type": "string", "default": " ".join(way)} for step, way in tags.items()}
    question = Question(
        id=f"approve {number + 1}",
        kind="approve",
        title="Write the robot's file?",
        body_markdown=body,
        options=APPROVAL,
        form_schema={"type": "object", "properties": fields},
    )
    return {"question": Open(purpose="approve", form=question.model_dump(), about=""), "phase": "ask"}


def ask(state: DesignState) -> dict[str, Any]:
    """Wait for the person (or take the default) and apply the answer. Nothing is written before the answer is here."""
    waiting = state["question"]
    assert waiting is not None
    question = Question.model_validate(waiting["form"])
    assumed: list[str] = []
    if state["choices"]["answers"] == "defaults" and question.default is not None:
        answer = Answer(id=question.id, decision=question.default, note="default")
        assumed = [f"{question.title} Assumed: {question.default}. {question.consequence}".strip()]
    else:
        answer = wait(question)
    workroom(state).emit({"kind": "answer", **answer.model_dump()}, once=f"answer {question.id}")
    return {
        "question": None,
        "answers": {**state.get("answers", {}), question.id: answer.model_dump()},
        "assumptions": assumed,
        **_applied(state, waiting["purpose"], waiting["about"], question, answer),
    }


def _applied(state: DesignState, purpose: Purpose, about: str, question: Question, answer: Answer) -> dict[str, Any]:
    if purpose == "clarify":
        by = "default" if answer.note == "default" else "person"
        latest = {"id": about, "text": question.title, "answer": answer.decision, "by": by}
        if (
            state["reading"] is None and state["design"] is not None
        ):  # a design in YAML: there are no words to read again
            return {"settled": [*state["settled"], latest], "phase": "calculate"}
        return {"latest": latest, "phase": "understand"}
    if answer.decision == ABORT:
        return {"phase": "report", "status": "stopped", "cause": answer.note or "A person aborted the run."}
    if answer.decision == EDIT:
        changed = {name.removeprefix("step_"): str(value).split() for name, value in answer.value.items()}
        return {
            "tags": {**state["tags"], **changed},
            "phase": "hand_in" if state.get("draft") else "finalise",
            "approved": "",
        }
    return {"approved": answer.id, "phase": "write"}
