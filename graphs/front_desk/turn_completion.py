"""After the actions of a turn: starts that waited, runs that ended, the open question; then the reply."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from labwright.graphs.front_desk import run_questions, starting, status_replies
from labwright.graphs.front_desk.action_execution import ACTION
from labwright.graphs.front_desk.desk_context import Desk, desk
from labwright.graphs.front_desk.reply_messages import reply
from labwright.graphs.front_desk.state import DeskState, Later, Open, Reply
from labwright.tools.errors import InputError, RecordError
from labwright.tools.runs.listing import FINAL, summarise

Update = dict[str, Any]


def attend(state: DeskState, runtime: Runtime[Any]) -> Update:
    """Report what ended, start or explain what waited for it, and find the question that is open."""
    here = desk(state)
    news = status_replies.look(state, runtime)
    begun = _due({**state, **news}, here, runtime)  # type: ignore[typeddict-item]
    replies = [*news["replies"], *begun.pop("replies", [])]
    due = begun.pop("due")
    update = {**news, **begun, "replies": replies}
    if due:
        runs = dict.fromkeys([*due["action"]["runs"], *due["waits_for"]])
        return {**update, "asked_about": list(runs), "asked": due["question"], "phase": "explain"}
    waiting = run_questions.waiting({**state, **update}, here)  # type: ignore[typeddict-item]
    if not waiting:
        return {**update, "question": None, "phase": "answer"}
    new = [one for one in waiting[1:] if one["form"]["id"] not in state["named"]]
    replies = [*replies, *map(_also, new)]
    named = [*state["named"], *(one["form"]["id"] for one in new)]
    return {
        **update,
        **_said(state, replies),
        "replies": replies,
        "named": named,
        "question": waiting[0],
        "phase": "ask",
    }


def _also(waiting: Open) -> Reply:
    """What a run asks beside the open question, in full: the person may answer either one."""
    form, run_id = waiting["form"], waiting["run_id"]
    options = ", ".join(each["value"] for each in form["options"]) or "an answer in words"
    body = "\n".join(filter(None, [form["title"], form["body_markdown"], f"({options})"]))
    return reply(f"{run_id} asks, too; `resume {run_id}` puts it first:\n{body}", "waits", run_id, "interrupted")


def _due(state: DeskState, here: Desk, runtime: Runtime[Any]) -> Update:
    """Starts whose runs are complete; one of whose runs ended otherwise is given up, with what stands behind it.

    `due` of the update is the first question whose runs have all ended, or None; the others wait for the next look.
    """
    replies: list[Reply] = []
    kept: list[Later] = []
    runs, begun, given_up = list(state["runs"]), dict[str, str](), set[str]()
    due: Later | None = None
    for queued in state["later"]:
        name, behind = queued.get("name", ""), queued.get("behind", "")  # an earlier version's have neither
        if behind and behind in given_up:
            given_up.add(name)
            continue
        each = queued
        if behind and behind in begun:
            each = {**queued, "waits_for": [*queued["waits_for"], begun[behind]], "behind": ""}
        states = {one: summarise(run).status if (run := here.run_of(one)) else "gone" for one in each["waits_for"]}
        if each.get("question"):
            if due is None and not each.get("behind", "") and set(states.values()) <= {*FINAL, "gone"}:
                due = each
            else:
                kept.append(each)
            continue
        ended = [one for one, status in states.items() if status in ("failed", "refused", "gone")]
        if ended:
            given_up.add(name)
            replies.append(reply(f"{ended[0]} is {states[ended[0]]}, so what was to follow it is not started."))
        elif set(states.values()) == {"complete"} and not each.get("behind", ""):
            try:
                above = {**state, "runs": runs, "begun": each["waits_for"]}
                done = starting.start(above, here, ACTION.validate_python(each["action"]), runtime.store)  # type: ignore[arg-type]
                runs, begun[name] = done["runs"], done["begun"][-1]
                replies += done["replies"]
            except (InputError, RecordError, OSError) as refused:
                given_up.add(name)
                replies.append(reply(f"That cannot be started. {refused}"))
        else:
            kept.append(each)
    return {"later": kept, "replies": replies, "runs": runs, "due": due}


def answer(state: DeskState) -> Update:
    """The turn's replies become a message of the conversation."""
    return {**_said(state, state["replies"]), "phase": "answer"}


def _said(state: DeskState, replies: list[Reply]) -> Update:
    """What was not yet said as a message."""
    lines = [one["text"] + "".join(f"\n{path}" for path in one["figures"]) for one in replies[state["written"] :]]
    return {"messages": [AIMessage("\n".join(lines))] if lines else [], "written": len(replies)}
