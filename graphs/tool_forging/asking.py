"""Questions to a person: how each is put, and what its answer changes. The node asks, pure functions apply."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from labwright.graphs.person_interrupt import wait
from labwright.graphs.questions import Answer, Option, Question
from labwright.graphs.tool_forging.run_context import smithy
from labwright.graphs.tool_forging.state import ForgeState
from labwright.graphs.tool_forging.tool_admission import refuse

Update = dict[str, Any]
Purpose = Literal["clarify", "admit"]
ADMIT, REJECT, ABORT = "admit", "reject", "abort"
ADMISSION = [
    Option(value=ADMIT, label="Put the tool into the toolset"),
    Option(value=REJECT, label="Leave it out; the analysis looks for another way"),
    Option(value=ABORT, label="Abort the run"),
]


class Open(TypedDict):
    """A question that waits, and where its answer leads."""

    purpose: Purpose
    form: dict[str, Any]
    then: str  # the phase that goes on with the answer


def clarify(state: ForgeState, text: str, options: list[str], then: str) -> Update:
    """Ask what the task leaves open; the answer is written below the task, where every agent reads it."""
    title, _, body = text.partition("\n\n")
    question = Question(
        id=f"clarify {len(state['answers']) + 1}",
        kind="clarify",
        title=title,
        body_markdown=body,
        options=[Option(value=option, label=option) for option in options],
    )
    return {"question": Open(purpose="clarify", form=question.model_dump(), then=then), "phase": "ask"}


def admission(name: str, number: int, body: str) -> Update:
    """Ask before a tool that has passed its gate and its review enters the toolset."""
    question = Question(
        id=f"admit {number} {name}",
        kind="approve",
        title=f"Put the tool {name!r} into the toolset?",
        body_markdown=body,
        options=ADMISSION,
    )
    return {"question": Open(purpose="admit", form=question.model_dump(), then="admit"), "phase": "ask"}


def ask(state: ForgeState) -> Update:
    """Wait for the person (or take the default) and apply the answer. Nothing is written before the answer is here."""
    waiting = state["question"]
    assert waiting is not None
    question = Question.model_validate(waiting["form"])
    assumed: list[str] = []
    room = smithy(state)
    if state["choices"]["answers"] == "defaults" and question.default is not None:
        answer = Answer(id=question.id, decision=question.default, note="default")
        assumed = [f"{question.title} Assumed: {question.default}. {question.consequence}".strip()]
    else:
        room.emit({"kind": "question", "question": question.model_dump()}, once=f"question {question.id}")
        answer = wait(question)
    room.emit(answer.event(), once=f"answer {question.id}")
    if waiting["purpose"] == "clarify":
        room.clarify(question.title, answer.decision)
    return {
        "question": None,
        "answers": {**state["answers"], question.id: answer.model_dump()},
        "assumptions": assumed,
        **_applied(state, waiting, answer),
    }


def _applied(state: ForgeState, waiting: dict[str, Any], answer: Answer) -> Update:
    if answer.decision == ABORT and waiting["purpose"] == "admit":
        return {"phase": "report", "status": "stopped", "cause": answer.note or "A person aborted the run."}
    if answer.decision == REJECT and waiting["purpose"] == "admit":
        return refuse(state, [f"A person left it out. {answer.note}".strip()])
    if waiting["purpose"] == "admit":
        return {"approved": [*state["approved"], answer.id], "phase": "admit"}
    return {"phase": waiting["then"]}
