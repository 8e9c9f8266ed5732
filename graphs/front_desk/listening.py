"""The first nodes of a turn: the conversation opened, the person's words taken up, and what they may refer to."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from labwright.agents.settings import Settings
from labwright.graphs.front_desk import memory
from labwright.graphs.front_desk.desk import FOLDER, SYSTEM, Desk, desk
from labwright.graphs.front_desk.facts import known
from labwright.graphs.front_desk.state import DeskState
from labwright.graphs.front_desk.terms import Terms
from labwright.graphs.opening import opened
from labwright.tools.errors import CorruptRecordError
from labwright.tools.runs.run import create_run

Update = dict[str, Any]
NEW = "new"
LONGEST = 20_000  # characters of one message


def listen(state: DeskState) -> Update:
    """Open the conversation and take up the newest message, if the person has written one since the last turn."""
    begun = _opened(state)
    last = _last_words(state)
    new = last is not None and last.id != state.get("heard", "")
    message = str(last.text).strip()[:LONGEST] if new and last is not None else ""
    fresh: Update = {
        "message": message,
        "settled": [],
        "later": [],
        "wish": None,
        "order": None,
        "question": None,
        "replies": [],
        "written": 0,
        "turn": state.get("turn", 0) + 1,
        "heard": last.id if last is not None and last.id else state.get("heard", ""),
        "runs": state.get("runs", []),
        "told": state.get("told", {}),
    }
    if message:
        desk({**state, **begun}).emit({"kind": "heard", "turn": fresh["turn"], "text": message})  # type: ignore[typeddict-item]
    return {**begun, **fresh, "phase": "recall" if message else "relay"}


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


def recall(state: DeskState, runtime: Runtime[Any]) -> Update:
    """Notes of earlier conversations, and the runs that the words may refer to."""
    here, person = desk(state), state["choices"]["person"]
    ids = dict.fromkeys([*here.recent(), *state["runs"]])
    remembered: list[str] = []
    if runtime.store is not None:
        remembered = [f"{note.about}: {note.text}" for note in memory.notes_of(runtime.store, person)]
        ids |= dict.fromkeys(memory.runs_like(runtime.store, person, state["message"]))
    listed = [plain for run_id in ids if (plain := _known(here, run_id)) is not None]
    ordered = sorted(listed, key=lambda one: (one["started"], one["run_id"]))
    return {"remembered": remembered, "known": ordered, "phase": "route"}


def _known(here: Desk, run_id: str) -> dict[str, Any] | None:
    """One run as it is listed; a damaged one is left out."""
    run = here.run_of(run_id)
    try:
        return known(run).model_dump() if run is not None else None
    except CorruptRecordError:
        return None


def notes(store: BaseStore | None, state: DeskState) -> list[Any]:
    """The person's notes; none where nothing is remembered."""
    return memory.notes_of(store, state["choices"]["person"]) if store is not None else []
