"""What the actions of a message do, one after the other. Facts are looked up here; wording is never judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langgraph.runtime import Runtime
from pydantic import TypeAdapter

from labwright.agents.front_desk import actions
from labwright.graphs.front_desk import memory, run_questions, starting, status_replies
from labwright.graphs.front_desk.consent_tightening import tighten, tightened
from labwright.graphs.front_desk.desk_context import Desk, desk
from labwright.graphs.front_desk.person_channel import passed_on
from labwright.graphs.front_desk.reply_messages import reply
from labwright.graphs.front_desk.run_requests import Ordered
from labwright.graphs.front_desk.state import DeskState, Later
from labwright.graphs.questions import Question
from labwright.tools.errors import InputError, RecordError
from labwright.tools.runs.listing import FINAL, summarise

Update = dict[str, Any]
LATER = "I answer that once the run has ended."
ACTION: TypeAdapter[actions.Action | Ordered] = TypeAdapter(actions.Action | Ordered)


def act(state: DeskState, runtime: Runtime[Any]) -> Update:
    """Do the next action; what it cannot do is said, and the others are done."""
    here, at = desk(state), state["done"]
    action = ACTION.validate_python(state["actions"][at])
    try:
        update = _DOES[action.kind](state, here, action, runtime)
    except (InputError, RecordError, OSError) as refused:
        words = " ".join(str(refused).split("\n"))
        update = {"replies": [reply(f"That cannot be done. {words}")]}
    replies = [*state["replies"], *update.pop("replies", [])]
    left = at + 1 < len(state["actions"])
    return {"phase": "act" if left else "attend", **update, "done": at + 1, "replies": replies}


def _start(state: DeskState, here: Desk, action: Any, runtime: Runtime[Any]) -> Update:
    """Start it now, or once what this turn has started is complete."""
    before = _waiting_starts(state)
    if isinstance(action, actions.Start) and action.after and (state["begun"] or before):
        later: Later = {
            "action": action.model_dump(mode="json"),
            "waits_for": list(state["begun"]),
            "name": f"{state['turn']}.{state['done']}",
            "behind": before[-1] if before else "",
        }
        what = "the start before it" if before else ", ".join(state["begun"])
        return {"later": [*state["later"], later], "replies": [reply(f"After {what}: {action.text or action.file}")]}
    return starting.start(state, here, action, runtime.store)


def _waiting_starts(state: DeskState) -> list[str]:
    """Names of the starts of this turn that wait."""
    starts = [each["name"] for each in state["later"] if not each.get("question")]
    return [name for name in starts if name.startswith(f"{state['turn']}.")]


def _steer(state: DeskState, here: Desk, action: actions.Steer, runtime: Runtime[Any]) -> Update:
    waiting = run_questions.relay(state, here)
    if action.what == "later":
        if waiting is None:
            return {"replies": [reply("Nothing is open.")]}
        words = f"{waiting['run_id']} waits. `resume` asks again."
        return {"put_off": [*state["put_off"], waiting["run_id"]], "replies": [reply(words)]}
    runs = [here.named(name, state["runs"]) for name in action.runs]
    if action.what == "stop":
        return status_replies.stopped(state, here, runs)
    return status_replies.resumed(state, here, runs)


def _show(state: DeskState, here: Desk, action: actions.Show, runtime: Runtime[Any]) -> Update:
    runs = [here.named(name, state["runs"]) for name in action.runs]
    if action.what == "why" and here.mind.reads_words and not state["typed"]:
        named = [run.run_id for run in runs]
        if action.after and (later := _question_later(state, here, named)):
            return {"later": [*state["later"], later], "replies": [reply(LATER)]}
        asked = named or status_replies.newest(here, state["runs"])[:1]
        return {"asked_about": asked, "phase": "explain"} if asked else {"replies": [reply(status_replies.NONE)]}
    return {"replies": status_replies.shown(state, here, action, runs)}


def _question_later(state: DeskState, here: Desk, named: list[str]) -> Later | None:
    """The message as a question that waits for the runs it is about; None if they have all ended."""
    before = _waiting_starts(state)
    runs = list(dict.fromkeys([*named, *state["begun"], *state["answered"]]))
    if not runs and not before:
        runs = status_replies.newest(here, state["runs"])[:1]
    if not before and all((run := here.run_of(name)) and summarise(run).status in FINAL for name in runs):
        return None
    action = actions.Show(what="why", runs=named, stage=0)
    return {
        "action": action.model_dump(mode="json"),
        "waits_for": runs,
        "name": f"{state['turn']}.{state['done']}",
        "behind": before[-1] if before else "",
        "question": state["message"],
    }


def _answer(state: DeskState, here: Desk, action: actions.Reply, runtime: Runtime[Any]) -> Update:
    """Give a question the person's own words, or the option that they mean; an approval they type themselves."""
    found = [one for one in run_questions.waiting(state, here) if action.run in ("", one["run_id"])]
    if not found:
        raise InputError(f"{action.run} asks nothing." if action.run else "No question is open.")
    waiting = found[0]
    if waiting["form"]["id"] not in state["seen"]:
        raise InputError(f"{waiting['run_id']} asks something that was not open yet when you wrote; it follows here.")
    form = Question.model_validate(waiting["form"])
    try:
        heard = passed_on(form, waiting["run_id"], waiting["asked"], state["message"], action.option)
    except InputError as wrong:  # its question comes next, so that what is typed answers it and no other
        return {"turned_to": waiting["run_id"], "replies": [reply(str(wrong))]}
    return run_questions.handed_over(state, here, heard)


def _remember(state: DeskState, here: Desk, action: actions.Remember, runtime: Runtime[Any]) -> Update:
    if runtime.store is None:
        raise InputError("There is no memory here in which it could be kept.")
    if action.value and action.value not in state["message"]:
        raise InputError(f"{action.value!r} does not stand in your message. Type: /remember {action.about} VALUE")
    memory.keep_note(runtime.store, state["choices"]["person"], action)
    return {"replies": [reply(f"I keep in mind ({action.about}): {action.text}")]}


def _consent(state: DeskState, here: Desk, action: actions.Consent, runtime: Runtime[Any]) -> Update:
    stricter = tighten(here.choices, state["stricter"], action)
    terms = tightened(here.choices, stricter)
    changed = [f"approval {terms.approval}"] if action.approval else []
    changed += [f"budget of each run {terms.budget}"] if action.budget else []
    words = f"From now on in this conversation: {', '.join(changed) or 'as before'}."
    going = [run_id for run_id in state["runs"] if (run := here.run_of(run_id)) and summarise(run).status == "running"]
    words += f" {', '.join(going)} keeps what it was started with; `stop` stops it." if going else ""
    return {"stricter": stricter, "replies": [reply(words)]}


def _say(state: DeskState, here: Desk, action: actions.Say, runtime: Runtime[Any]) -> Update:
    return {"replies": [reply(action.text)]}


_DOES: dict[str, Callable[..., Update]] = {
    "start": _start,
    "run": _start,
    "ordered": _start,
    "again": _start,
    "steer": _steer,
    "show": _show,
    "answer": _answer,
    "remember": _remember,
    "consent": _consent,
    "say": _say,
}
