"""Questions to the person: the desk's own, and those of runs. The only node that waits."""

from __future__ import annotations

from typing import Any

from labwright.agents.call import Question as AgentQuestion
from labwright.graphs.front_desk.desk import Desk, desk
from labwright.graphs.front_desk.person import hear, relayed
from labwright.graphs.front_desk.saying import reply
from labwright.graphs.front_desk.state import DeskState, Open
from labwright.graphs.questions import Option, Question
from labwright.graphs.waiting import wait
from labwright.tools.runs.listing import read_result, summarise
from labwright.tools.runs.run import Run

Update = dict[str, Any]


def clarify(state: DeskState, asked: AgentQuestion) -> Update:
    """Ask the person what a message means."""
    question = Question(
        id=f"desk {state['turn']}.{len(state['settled']) + 1}",
        kind="clarify",
        title=asked.text,
        options=[Option(value=text, label=text) for text in asked.options],
    )
    return {"question": Open(form=question.model_dump(), run_id="", asked=""), "phase": "ask"}


def relay(state: DeskState, here: Desk) -> Open | None:
    """The question of the oldest run of the conversation that waits for an answer."""
    for run_id in state["runs"]:
        run = here.run_of(run_id)
        if run is None or run_id in state["later"] or summarise(run).status != "interrupted":
            continue
        for question in open_questions(run):
            form = relayed(run_id, question, str(run.folder))
            return Open(form=form.model_dump(), run_id=run_id, asked=question.id)
    return None


def open_questions(run: Run) -> list[Question]:
    """What the run waits to be told."""
    waiting = (read_result(run) or {}).get("questions", [])
    return [Question.model_validate(plain) for plain in waiting]


def ask(state: DeskState) -> Update:
    """Wait for the person. An answer for a run goes to it from here and nowhere else."""
    waiting = state["question"]
    assert waiting is not None
    question = Question.model_validate(waiting["form"])
    here = desk(state)
    if not waiting["run_id"]:
        answer = wait(question)
        settled = {"question": question.title, "answer": answer.decision}
        here.emit(answer.event(), once=f"answer {question.id}")
        return {"question": None, "settled": [*state["settled"], settled], "phase": "route"}
    heard = hear(question, waiting["run_id"], waiting["asked"])
    run = here.run_of(heard.run_id)
    if run is None:
        return {"question": None, "phase": "relay"}
    here.emit({"kind": "handed_over", "run_id": run.run_id, **heard.answer.model_dump()})
    here.workers.answer(run, heard)
    words = f"{run.run_id} goes on."
    return {
        "question": None,
        "later": [*state["later"], run.run_id],  # its next question comes with a later look
        "replies": [*state["replies"], reply(words, "told", run.run_id, "running")],
        "phase": "relay",
    }
