"""The first nodes: a workspace with the task, the toolset put into it, and folders that grew too large regrouped."""

from __future__ import annotations

from typing import Any

from labwright.agents.tool_forging.group_tools import GROUP, MOST, GroupIn, ToolSummary
from labwright.agents.typed_call import Question, Refusal
from labwright.graphs.run_creation import opened
from labwright.graphs.tool_forging.choices import Choices
from labwright.graphs.tool_forging.run_context import SYSTEM, Smithy, smithy
from labwright.graphs.tool_forging.state import ForgeState
from labwright.tools.errors import InputError
from labwright.tools.specifications.task import read_card

Update = dict[str, Any]
MOST_WORDS = 200_000  # characters of a task


def prepare(state: ForgeState) -> Update:
    """Open the run and lay out its workspace, or refuse what is no task."""
    begun = opened(state, SYSTEM, Choices)
    room = smithy({**state, **begun})
    room.emit({"kind": "run_started", "run_id": room.run.run_id, "request": state["request"]}, once="run_started")
    quiet: Update = {
        "iteration": 1,
        "plan": "",
        "analysis": None,
        "rejected": [],
        "rejections": 0,
        "assumptions": [],
        "seconds": {},
        "approved": [],
    }
    tools: Update = {"queue": [], "work": None, "after": "execute", "made": 0, "made_tools": {}}
    names: Update = {"forged": [], "edited": [], "refused_tools": []}
    judged: Update = {"executed": None, "evaluation": None, "evaluations": [], "seen": "", "unchanged": False}
    person: Update = {"question": None, "answers": {}, "status": "running", "cause": ""}
    words: Update = {
        "words": state["request"],
        "draft": {},
        "origin": "",
        "demands": [],
        "computed": [],
        "carded": False,
    }
    begun = {**begun, **words, **quiet, **tools, **names, **judged, **person}
    try:
        room.lay_out(_task(state["request"]))
        direct = begun["choices"]["mode"] == "direct"
        read = room.mind.reads_words and not room.card and not direct
        phase = "understand" if read else "analyse" if direct else "optimise"
    except InputError as refused:
        return {**begun, "phase": "report", "status": "refused", "cause": str(refused)}
    return {**begun, "toolset": str(room.toolset.folder), "phase": phase}


def _task(request: str) -> str:
    if not request.strip():
        raise InputError("The task is empty. Write into question.md what is to be computed.")
    if len(request) > MOST_WORDS:
        raise InputError(f"The task has {len(request)} characters; at most {MOST_WORDS} are read. Shorten it.")
    read_card(request)  # a mistake in it is said before anything begins
    return request


def optimise(state: ForgeState) -> Update:
    """Report broken tools; regroup every folder of the toolset that holds too many to look through."""
    room = smithy(state)
    for broken in room.toolset.broken():
        room.warn(f"Tool {broken.name} is left out: {broken.reason}")
    tools = room.toolset.own()
    if len(tools) > MOST:  # fewer crowd no folder
        from labwright.tools.forge.toolset.folder_regrouping import crowded

        for folder in crowded(tools):
            _regroup(room, folder)
    room.materialise()
    return {"phase": "analyse"}


def _regroup(room: Smithy, folder: str) -> None:
    from labwright.tools.forge.toolset.folder_regrouping import regroup

    here = [tool for tool in room.toolset.own() if tool.folder == folder]
    tools = [ToolSummary(name=t.name, purpose=t.contract.purpose, package=t.contract.package) for t in here]
    answer = room.ask(GROUP, GroupIn(folder=folder, tools=tools))
    if isinstance(answer, Question | Refusal):  # a crowded folder is a nuisance, not a fault
        return
    above = f"{folder}/" if folder else ""
    groups = {f"{above}{one.folder}": one.tools for one in answer.groups}
    about = {f"{above}{one.folder}": one.purpose for one in answer.groups}
    moved = regroup(room.toolset, groups, about)
    room.emit({"kind": "regrouped", "folder": folder, "moved": len(moved)})
