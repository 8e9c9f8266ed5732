"""Questions to a person: how each is put, and what its answer changes. The node asks, pure functions apply."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from labwright.agents.protocol_design.answers import settles_nothing
from labwright.graphs.protocol_design.state import DesignState
from labwright.graphs.protocol_design.workroom import workroom
from labwright.graphs.questions import Answer, Option, Question
from labwright.graphs.waiting import wait

Purpose = Literal["clarify", "approve", "sign"]
WRITE, EDIT, ABORT = "write", "edit", "abort"
DEFAULT = "default"  # the note of an answer that nobody gave
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
    unattended = state["choices"]["answers"] == "defaults" and question.default is not None
    said = _default(question) if unattended else _heard(question)
    workroom(state).emit(said.event(), once=f"answer {question.id}")
    left_open = _says_nothing(question, said)
    answer = _default(question) if left_open and question.default is not None else said
    known: dict[str, Any] = {
        "question": None,
        "answers": {**state.get("answers", {}), question.id: answer.model_dump()},
        "assumptions": _assumed(question, answer, said) if answer.note == DEFAULT else [],
    }
    if left_open and question.default is None:
        cause = f"{question.title} The answer {said.decision!r} leaves it open, and no default is safe."
        return {**known, "phase": "report", "status": "refused", "cause": cause}
    return {**known, **_applied(state, waiting["purpose"], waiting["about"], question, answer)}


def _heard(question: Question) -> Answer:
    """The person's answer. One that says nothing where no default is safe is asked for once more, with the reason."""
    answer = wait(question)
    if question.default is not None or not _says_nothing(question, answer):
        return answer
    why = f"The answer {answer.decision!r} leaves it open, and no default is safe. Without an answer the run ends."
    return wait(question.model_copy(update={"body_markdown": f"{why}\n\n{question.body_markdown}".strip()}))


def _says_nothing(question: Question, answer: Answer) -> bool:
    offered = [option.value for option in question.options]
    return question.kind == "clarify" and answer.decision not in offered and settles_nothing(answer.decision)


def _default(question: Question) -> Answer:
    assert question.default is not None
    return Answer(id=question.id, decision=question.default, note=DEFAULT)


def _assumed(question: Question, answer: Answer, said: Answer) -> list[str]:
    """The default as an assumption, with what follows from it and, where a person left it open, their words."""
    left = f" A person left it open: {said.decision!r}." if said.note != DEFAULT else ""
    return [f"{question.title} Assumed: {answer.decision}. {question.consequence}".strip() + left]


def _applied(state: DesignState, purpose: Purpose, about: str, question: Question, answer: Answer) -> dict[str, Any]:
    if purpose == "clarify":
        by = "default" if answer.note == DEFAULT else "person"
        latest = {"id": about, "text": question.title, "answer": answer.decision, "by": by}
        if (
            state["reading"] is None and state["design"] is not None
        ):  # a design in YAML: there are no words to read again
            return {"settled": [*state["settled"], latest], "phase": "calculate"}
        return {"latest": latest, "phase": "understand"}
    if purpose == "sign" and answer.decision != ABORT:  # whether somebody signed is looked up, not said
        return {"phase": "hand_in" if state.get("draft") else "tagged"}
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
