"""From a message to actions: exact forms are parsed; other words are an agent's, or handed back without a model."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from labwright.agents.errors import AgentError, ModelUnavailable
from labwright.agents.front_desk.actions import Action, Start, System
from labwright.agents.front_desk.decide import DECIDE
from labwright.agents.typed_call import Question, Refusal
from labwright.graphs.front_desk import run_questions
from labwright.graphs.front_desk.catalogue import catalogue, offers, typed_line
from labwright.graphs.front_desk.command_grammar import read_command
from labwright.graphs.front_desk.consent_tightening import tightened
from labwright.graphs.front_desk.desk_context import Desk, desk
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.front_desk.reply_messages import said
from labwright.graphs.front_desk.run_requests import specification_of
from labwright.graphs.front_desk.state import DeskState
from labwright.graphs.front_desk.turn_start import frame_of
from labwright.tools.liquid_handler.spreadsheet_reader import is_spreadsheet
from labwright.tools.runs.listing import summarise
from labwright.tools.specifications import short_form_parser
from labwright.tools.specifications.patches import read_patches
from labwright.tools.specifications.yaml_files import is_document

Update = dict[str, Any]
NO_MODEL = "Without a model I take commands and the short form only, so nothing was started. `help` lists them."
NEAREST = "Nearest to your words; type one as it is, or changed:"
STILL = (
    "Without a model: show, why, status, compare, again with PATH = VALUE, stop."
    " `help` lists all; `/model NAME` takes another."
)
MODEL = "Your own words: /model openai:gpt-4.1-mini, or start with --model."


def read(state: DeskState) -> Update:
    """What is a command, a document or the short form as a whole; the rest goes to the agent."""
    here, message = desk(state), state["message"]
    terms = tightened(here.choices, state["stricter"])
    if state["orders"]:
        return {"actions": state["orders"], "typed": True, "phase": "act"}
    command = read_command(message)
    if command is not None:
        return _actions([command], typed=True)
    if is_document(message) or is_spreadsheet(message) or in_short_form(message, terms):
        system: System = "protocol_design" if is_spreadsheet(message) else "lab_calibration"
        written = Start(system=system, text=message, file="", inputs=[], uses=[], after=False)
        return _actions([written], typed=True)  # a document says itself which system runs it
    if read_patches(message) is not None and (change := _changed_again(state, here)):
        return said(state, change.format(message))
    if here.mind.reads_words:
        return {"phase": "decide"}
    return said(state, offered(message, terms))


def decide(state: DeskState, runtime: Runtime[Any]) -> Update:
    """One typed call: actions, a question back, or a refusal."""
    here = desk(state)
    terms = tightened(here.choices, state["stricter"])
    try:
        answer = here.ask(DECIDE, frame_of(state, here, terms, runtime.store))
    except ModelUnavailable as fault:
        return said(state, "\n".join([f"Your words were not read. {fault}", *_answers(state, here), STILL]))
    except AgentError as fault:  # the person is there and can choose another model, a larger budget, or other words
        return said(state, f"I could not make sense of that. {fault}")
    if isinstance(answer, Question):
        return said(state, " ".join([answer.text, *(f"({option})" for option in answer.options)]))
    if isinstance(answer, Refusal):
        return said(state, answer.reason)
    return _actions(list(answer.actions), typed=False)


def _changed_again(state: DeskState, here: Desk) -> str:
    """How a change is put to the newest run once nothing asks for one; empty while something waits."""
    run_id = next(iter(state["runs"][::-1]), "")
    run = here.run_of(run_id)
    if run is None or run_questions.waiting(state, here) or not specification_of(run):
        return ""
    return (
        f"{run_id} is {summarise(run).status}: nothing asks for a change. Once more with it: again {run_id} with {{}}"
    )


def _answers(state: DeskState, here: Desk) -> list[str]:
    """What answers the open question without a model, in one line; none if nothing is open."""
    found = []
    for one in run_questions.waiting(state, here)[:1]:
        form = one["form"]
        change = ["PATH = VALUE"] if form["free"] and form["kind"] == "approve" else []
        takes = [*(each["value"] for each in form["options"]), *change] or ["any words"]
        found.append(f"{one['run_id']} still waits; this answers it: {', '.join(takes)}.")
    return found


def _actions(actions: list[Action], *, typed: bool) -> Update:
    return {"actions": [action.model_dump(mode="json") for action in actions], "typed": typed, "phase": "act"}


def in_short_form(message: str, terms: Terms) -> bool:
    """Whether a message is orders in the short form as a whole."""
    try:
        short_form_parser.read(message, catalogue(terms.lab))
    except short_form_parser.NotRead:
        return False
    return True


def offered(words: str, terms: Terms) -> str:
    """What is said to free words without a model: at most three lines that could be typed."""
    nearest = [typed_line(entry, words, terms.lab) for entry in offers(terms.lab).nearest(words)]
    lines = [NEAREST, *(f"  {line}" for line in nearest)] if nearest else []
    return "\n".join([NO_MODEL, *lines, MODEL])
