"""The first node of a turn, and the frame in which a message is read."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage
from langgraph.store.base import BaseStore

from labwright.agents.front_desk.conversation_view import Asking, Frame, KnownRun, Said
from labwright.agents.settings import Settings
from labwright.graphs.front_desk import memory, run_questions
from labwright.graphs.front_desk.catalogue import systems_in_lines
from labwright.graphs.front_desk.desk_context import FOLDER, SYSTEM, Desk, desk
from labwright.graphs.front_desk.facts import asked_of, begun_with, findings, listed, paths_of, whole_lines
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.front_desk.reply_messages import reply
from labwright.graphs.front_desk.run_requests import HANDED_ON, kept_orders, specification_of
from labwright.graphs.front_desk.state import MOST_TALK, DeskState
from labwright.graphs.questions import Question
from labwright.graphs.run_creation import opened
from labwright.tools.errors import CorruptRecordError
from labwright.tools.runs.listing import summarise
from labwright.tools.runs.run import create_run
from labwright.tools.specifications.yaml_files import to_yaml

Update = dict[str, Any]
NEW = "new"
LONGEST = 20_000  # characters of one message
TOO_LONG = "Your message has {size} characters; at most {most} are read, so none was. Save it as a file and name that."
LISTED, DETAILED = 12, 4  # runs in a frame, and those of them with results by path and their specification
MOST_YAML, MOST_SAID, MOST_BODY = 2500, 1500, 2500  # characters


def listen(state: DeskState) -> Update:
    """Open the conversation and take up the newest message, if the person has written one since the last turn."""
    begun = _opened(state)
    last = _last_words(state)
    new = last is not None and last.id != state.get("heard", "")
    message = str(last.text).strip() if new and last is not None else ""
    refused = [reply(TOO_LONG.format(size=len(message), most=LONGEST))] if len(message) > LONGEST else []
    message = "" if refused else message
    waiting, folder = state.get("question"), Path(begun["run_dir"]) / HANDED_ON
    fresh: Update = {
        "message": message,
        "orders": kept_orders(last.additional_kwargs.get("orders"), folder) if message and last is not None else [],
        "actions": [],
        "done": 0,
        "begun": [],
        "asked_about": [],
        "answered": [],
        "question": None,
        "seen": [*([waiting["form"]["id"]] if waiting else []), *state.get("named", [])],
        "named": state.get("named", []),
        "turned_to": state.get("turned_to", ""),
        "replies": refused,
        "written": 0,
        "turn": state.get("turn", 0) + 1,
        "heard": last.id if last is not None and last.id else state.get("heard", ""),
        "runs": state.get("runs", []),
        "told": state.get("told", {}),
        "later": state.get("later", []),
        "put_off": state.get("put_off", []),
        "stricter": state.get("stricter", {}),
    }
    if message:
        desk({**state, **begun}).emit({"kind": "heard", "turn": fresh["turn"], "text": message})  # type: ignore[typeddict-item]
    return {**begun, **fresh, "phase": "read" if message else "attend"}


def _opened(state: DeskState) -> Update:
    """Folder and terms; a conversation from Studio brings no folder, and its terms may stand in the context."""
    given = {**state, "request": "", "run_dir": state.get("run_dir") or NEW}
    begun = opened(given, SYSTEM, Terms)
    if begun["run_dir"] == NEW:
        root = (Settings().state / FOLDER).absolute()
        run = create_run(root, SYSTEM, "conversation", begun["choices"], begun["choices"]["seed"])
        begun["run_dir"] = str(run.folder)
    return {name: begun[name] for name in ("run_dir", "choices")}


def _last_words(state: DeskState) -> BaseMessage | None:
    said = [message for message in state.get("messages", []) if isinstance(message, HumanMessage)]
    return said[-1] if said else None


def frame_of(state: DeskState, here: Desk, terms: Terms, store: BaseStore | None) -> Frame:
    """The message with all that it may refer to."""
    newest = sorted({*here.recent(), *state["runs"]})[-LISTED:]
    notes = memory.notes_of(store, terms.person) if store is not None else []
    alike = memory.runs_like(store, terms.person, state["message"]) if store is not None else []
    ids = sorted({*alike, *state["runs"], *newest})
    known = [_known(here, name, state["runs"], name in ids[-DETAILED:]) for name in ids]
    return Frame(
        message=state["message"],
        talk=_talk(state),
        runs=[run for run in known if run is not None],
        asking=[_asking(one) for one in run_questions.waiting(state, here)[:DETAILED]],
        remembered=[f"{note.about}: {note.text}" for note in notes],
        granted=f"approval {terms.approval}, budget of each run {terms.budget or 'unlimited'}, device {terms.device}",
        systems=systems_in_lines(terms),
        today=datetime.now().astimezone().date().isoformat(),
    )


def _known(here: Desk, run_id: str, own: list[str], detailed: bool) -> KnownRun | None:
    """One run as an agent sees it; a damaged one is left out."""
    run = here.run_of(run_id)
    try:
        if run is None:
            return None
        found, status = paths_of(run) if detailed else [], summarise(run).status
        specification = whole_lines(to_yaml(specification_of(run)), MOST_YAML) if detailed else ""
        return KnownRun(
            run_id=run_id,
            system=run.record.system,
            asked=asked_of(run, 300),
            status=status,
            started=run.record.created[:16].replace("T", " "),
            here=run_id in own,
            found=found or listed(findings(run)),
            specification="" if specification.strip() == "{}" else specification,
        )
    except CorruptRecordError:
        return None


def _asking(waiting: Any) -> Asking:
    form = waiting["form"]
    options = [
        each["value"] if each["value"] == each["label"] else f"{each['value']}: {each['label']}"
        for each in form["options"]
    ]
    return Asking(
        run_id=waiting["run_id"],
        kind=form["kind"],
        title=form["title"],
        body=whole_lines(form["body_markdown"], MOST_BODY),
        options=options,
        words=_words_of(Question.model_validate(form)),
    )


def _words_of(question: Question) -> str:
    """What an answer in the person's own words does."""
    if question.kind == "clarify":
        return "They are the answer."
    if question.kind == "approve" and question.free:
        return "A change of what is proposed: `answer` without an option. The changed proposal is asked about again."
    return "" if question.free else "Not taken. A change of the work is `steer` with stop, then `again`."


def _talk(state: DeskState) -> list[Said]:
    """The conversation before this message."""
    before = state.get("messages", [])[:-1][-MOST_TALK:]
    return [
        Said(
            by="person" if isinstance(message, HumanMessage) else "desk", text=begun_with(str(message.text), MOST_SAID)
        )
        for message in before
    ]
