"""Questions of runs to the person, one at a time, with the run's name. The only node that waits."""

from __future__ import annotations

from typing import Any

from labwright.graphs.front_desk.desk_context import Desk, desk
from labwright.graphs.front_desk.facts import short
from labwright.graphs.front_desk.person_channel import Heard, hear, relayed
from labwright.graphs.front_desk.reply_messages import reply
from labwright.graphs.front_desk.state import DeskState, Open
from labwright.graphs.questions import Question
from labwright.tools.runs.listing import read_result, summarise
from labwright.tools.runs.run import Run

Update = dict[str, Any]


def relay(state: DeskState, here: Desk) -> Open | None:
    """The question that is open: of the run that the person turned to, else of the oldest that waits."""
    return next(iter(waiting(state, here)), None)


def waiting(state: DeskState, here: Desk) -> list[Open]:
    """A question of each run of the conversation that waits for an answer and was not put off, the open one first."""
    found = []
    for run_id in sorted(state["runs"], key=lambda name: name != state.get("turned_to")):
        run = here.run_of(run_id)
        if run is None or run_id in (*state["answered"], *state["put_off"]) or summarise(run).status != "interrupted":
            continue
        for question in open_questions(run)[:1]:
            form = relayed(run_id, question, str(run.folder))
            found.append(Open(form=form.model_dump(), run_id=run_id, asked=question.id))
    return found


def open_questions(run: Run) -> list[Question]:
    """What the run waits to be told."""
    return [Question.model_validate(plain) for plain in (read_result(run) or {}).get("questions", [])]


def ask(state: DeskState) -> Update:
    """Wait for the person. An answer for a run goes to it from here."""
    waiting = state["question"]
    assert waiting is not None
    here = desk(state)
    heard = hear(Question.model_validate(waiting["form"]), waiting["run_id"], waiting["asked"])
    if here.run_of(heard.run_id) is None:
        return {"question": None, "phase": "attend"}
    done = handed_over(state, here, heard)
    return {**done, "question": None, "replies": [*state["replies"], *done["replies"]], "phase": "attend"}


def handed_over(state: DeskState, here: Desk, heard: Heard) -> Update:
    """Give a run what the person said."""
    run = here.run_of(heard.run_id)
    assert run is not None
    here.emit({"kind": "handed_over", "run_id": run.run_id, **heard.answer.model_dump()})
    here.workers.answer(run, heard)
    words = f"{run.run_id} has your answer: {short(heard.answer.decision, 60)}"  # it may as well end with it
    # Its next question comes with a later look: a thread is at work on this answer.
    return {"answered": [*state["answered"], run.run_id], "replies": [reply(words, "told", run.run_id, "running")]}
