"""Suite `desk`: messages of strangers, through the desk as it is.

Each message begins a conversation of its own. Runs are made and not begun, so that what a message starts is seen
without doing it. Beside it stands one plain prompt with the same message and the same systems. Whole dialogues are
spoken live in the chat, and played again by tests/apps/chat/test_live_dialogues.py.

A person grades: ``graded.yaml`` in the folder of the cases says of each case how it was, ``{desk: {p1 01: right},
one_prompt: {...}}``, with ``started`` for what started something that was not asked for, and anything else for wrong.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.errors import AgentGaveUp
from labwright.agents.front_desk.conversation_view import KnownRun, Said
from labwright.agents.typed_call import AgentCall, without_words
from labwright.evaluation.runner import Context, Options, Row, Suite, spent
from labwright.graphs.front_desk.catalogue import systems_in_lines
from labwright.graphs.front_desk.conversation import Conversation, open_conversation
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.front_desk.workers import WORKERS
from labwright.tools.plain_yaml import read_yaml
from labwright.tools.runs.listing import summarise

CASES = Path(__file__).parent / "cases" / "desk"
RIGHT, UNGRADED = "right", "not graded"


@dataclass(frozen=True, slots=True)
class Case:
    """One message, and what it means."""

    name: str
    say: str
    means: str
    seed: int = 0


def _folder(options: Options) -> Path:
    return Path(options["source"]) if options["source"] else CASES


def messages(options: Options) -> list[Case]:
    """The messages in the folders below ``source``; ``tasks`` names some."""
    found = [
        Case(f"{path.parent.name} {number:02d}", one["say"], one["means"])
        for path in sorted(_folder(options).glob("*/messages.yaml"))
        for number, one in enumerate(read_yaml(path.read_text(encoding="utf-8")), 1)
    ]
    return [case for case in found if not options["tasks"] or case.name in options["tasks"]]


def grades(options: Options, of: str) -> dict[str, Any]:
    """What a person said of the cases."""
    path = _folder(options) / "graded.yaml"
    return dict(read_yaml(path.read_text(encoding="utf-8")).get(of, {})) if path.is_file() else {}


@contextmanager
def in_conversation(context: Context, **terms: Any) -> Iterator[Conversation]:
    """A conversation whose runs and notes lie in the case's own folder."""
    before = os.environ.get("LABWRIGHT_RUNS")
    os.environ["LABWRIGHT_RUNS"] = str(context.folder / "runs")
    try:
        chosen = Terms.model_validate({"mind": context.options["mind"], **terms})
        with open_conversation(chosen, state=context.folder / "state") as opened:
            yield opened
    finally:
        os.environ.pop("LABWRIGHT_RUNS")
        if before is not None:
            os.environ["LABWRIGHT_RUNS"] = before


def one_message(case: Case, context: Context) -> Row:
    """What the desk does with a message."""
    with in_conversation(context) as talk, WORKERS.held():
        turn = talk.say(case.say)
        replies = [reply["text"] for reply in turn.replies if reply["kind"] != "ended"]  # a held run is not begun
        did = _done(talk)
        usage = spent(talk.desk.meter.state())
        started = [_made(talk, name) for name in talk.runs]
    grade = grades(context.options, "desk").get(case.name, UNGRADED)
    return {**_row(case, grade), "did": did, "replies": replies, "runs": started, **usage}


def one_prompt(case: Case, context: Context) -> Row:
    """The control: one plain prompt."""
    terms = Terms(mind=context.options["mind"])
    given = ControlIn(message=case.say, talk=[], runs=[], systems=systems_in_lines(terms))
    try:
        answer: Any = context.mind.answer(CONTROL, given)
    except AgentGaveUp as fault:
        answer = fault
    grade = grades(context.options, "one_prompt").get(case.name, UNGRADED)
    said = answer.model_dump() if isinstance(answer, BaseModel) else {"text": str(answer)}
    return {**_row(case, grade), "did": [said]}


def _done(talk: Conversation) -> list[dict[str, Any]]:
    """The actions of the newest turn, without what is empty."""
    actions = talk.values().get("actions", [])
    return [{name: value for name, value in action.items() if value not in ("", [], False, 0)} for action in actions]


def _made(talk: Conversation, name: str) -> dict[str, str]:
    run = talk.desk.run_of(name)
    if run is None:
        return {"run_id": name}
    state = summarise(run)
    return {"run_id": name, "system": run.record.system, "asked": run.record.asked, "status": state.status}


def _row(case: Case, grade: str) -> Row:
    faults = "" if grade == RIGHT else grade
    return {"say": case.say, "means": case.means, "verdict": grade, "passed": grade == RIGHT, "faults": faults}


def summarise_messages(rows: list[Row], context: Context) -> dict[str, Any]:
    """How many were right, and how many started what was not asked for; the control beside it."""
    beside = context.beside.get("one_prompt", [])
    return {"verdicts": _counted(rows), "one_prompt": _counted(beside)}


def _counted(rows: list[Row]) -> dict[str, int]:
    found = [str(row["verdict"]) for row in rows]
    return {verdict: found.count(verdict) for verdict in dict.fromkeys(found)}


class ControlIn(BaseModel):
    """What of a frame a first message has."""

    message: str
    talk: list[Said]
    runs: list[KnownRun]
    systems: list[str]


class ControlOut(BaseModel):
    """The control's answer."""

    model_config = ConfigDict(extra="forbid")
    system: Literal["lab_calibration", "feature_map_search", "tool_forging", "protocol_design", "none"]
    request: str = Field(description="The request for it; for none, what is to be replied or done instead.")


CONTROL = AgentCall(
    "evaluation.one_desk", "evaluation/one_desk.md", ControlIn, ControlOut, without_words, tier="general"
)

MESSAGES = Suite(
    name="desk",
    doc="Messages of strangers to the front desk, graded by a person; one plain prompt beside",
    cases=messages,
    run=one_message,
    options={"mind": "rules", "source": "", "tasks": ()},
    beside=lambda options: {} if options["mind"] == "rules" else {"one_prompt": one_prompt},
    summarise=summarise_messages,
    columns=("say", "verdict", "faults"),
    chooses=("tasks",),
    workers=8,
)
