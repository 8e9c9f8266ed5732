"""From an action to a run: the request made whole, then started once, whatever kills the process in between."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from langgraph.store.base import BaseStore

from labwright.agents.errors import AgentError
from labwright.agents.front_desk.actions import Action, Again, RunFile, Start, System
from labwright.agents.front_desk.decide import ABOVE, RUN
from labwright.agents.typed_call import Question, Refusal
from labwright.agents.understand.repair import REPAIR, RepairIn
from labwright.graphs.front_desk import memory
from labwright.graphs.front_desk.consent_tightening import tightened
from labwright.graphs.front_desk.desk_context import Desk
from labwright.graphs.front_desk.earlier_run_inputs import SIMULATED, copy_device, handed_on
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.front_desk.reply_messages import reply
from labwright.graphs.front_desk.run_requests import (
    HANDED_ON,
    Order,
    Ordered,
    asked_in_all,
    order_again,
    order_anew,
    order_of_document,
    order_of_file,
    order_of_words,
    specification_of,
    unread_words,
)
from labwright.graphs.front_desk.state import DeskState
from labwright.graphs.registry import SYSTEMS, driver
from labwright.graphs.specification_runs import INPUTS
from labwright.tools.errors import InputError
from labwright.tools.runs.action_journal import action_key
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.runs.listing import summarise
from labwright.tools.runs.run import Run
from labwright.tools.specifications.examples import example
from labwright.tools.specifications.kinds import SHORT
from labwright.tools.specifications.yaml_files import is_document, to_yaml

Update = dict[str, Any]
DEVICE = ("device", "device_options", "seed")  # the same in two runs: the same simulated device
MADE = Path("device") / "device.json"  # in the folder of a run that has opened its own
ORDER = "order.json"  # in the run's folder


def start(state: DeskState, here: Desk, action: Action | Ordered, store: BaseStore | None) -> Update:
    """Make the run and hand it to a worker. A second passage after a crash finds the run that the first one made.

    Raises:
        InputError: it cannot be started.
    """
    place = (state["turn"], state["done"], len(state["runs"]))
    key = action_key(here.run.run_id, here.run.run_id, "start", place[0], place[1], {"after": place[2]})
    done = here.run.action(key).perform(
        lambda: _made(state, here, action, store, key), lambda run: {"run_id": run.run_id}, ask=lambda: "absent"
    )
    run = here.run_of(done["run_id"])
    if run is None:
        raise InputError(f"The folder of run {done['run_id']} is gone.")
    if summarise(run).status == "dead":  # not begun, or begun and killed: on a second passage it may have ended
        here.workers.drive(run)
    said = read_json(run.folder / ORDER, "Start it anew.")["said"]
    words = " ".join([f"Started the {SYSTEMS[run.record.system].noun} {run.run_id}.", *said])
    here.emit({"kind": "started", "run_id": run.run_id}, once=f"started {run.run_id}")
    return {
        "replies": [reply(words, "started", run.run_id, "running")],
        "runs": list(dict.fromkeys([*state["runs"], run.run_id])),
        "begun": [*state["begun"], run.run_id],
    }


def _made(state: DeskState, here: Desk, action: Action | Ordered, store: BaseStore | None, key: str) -> Run:
    """A run's folder, with the files that are handed in and the record of where they came from."""
    order = _ordered(state, here, action, store)
    if isinstance(action, Start | Again) and action.plan_first:
        order = replace(order, choices={**order.choices, "plan_first": True})
    contents = {name: Path(path).read_bytes() for name, path in order.files.items()}  # before there is a folder
    choices = order.typed_choices()
    files = {f"{INPUTS}/{name}": content for name, content in contents.items()}
    run = driver(order.system).prepare(order.text, choices, here.root, seed=order.choices["seed"], files=files)
    if not order.device_from and (earlier := _same_device(here, state["runs"], run)):
        words = f"It goes on with the device as {earlier} left it."
        order = replace(order, device_from=earlier, said=[*order.said, words])
    budget = getattr(choices, "budget_of_evaluations", None)
    if budget is not None and not getattr(choices, "words", ""):  # words may set it: they are read after the start
        words = f"At most {budget} kernel evaluations, and as many for each baseline; `evaluations` sets how many."
        order = replace(order, said=[*order.said, words])
    if order.device_from:
        source = here.run_of(order.device_from)
        if source is None:
            raise InputError(f"The folder of run {order.device_from} is gone.")
        copy_device(source, run)
    run.save_json(ORDER, {"conversation": here.run.run_id, "order": key, **order.as_dict()})
    return run


def _ordered(state: DeskState, here: Desk, action: Action | Ordered, store: BaseStore | None) -> Order:
    terms, said = _remembered(here, state, store)
    if isinstance(action, Ordered):
        return replace(action.under(terms), said=said)
    folder, root = here.run.folder / HANDED_ON, here.root
    if isinstance(action, Again):
        try:
            return _again(state, here, here.named(action.run or "latest", state["runs"]), action, terms)
        except AgentError as fault:
            raise InputError(str(fault)) from fault
    assert isinstance(action, Start | RunFile)
    if isinstance(action, RunFile):
        order = order_of_file(action.file, action.changes, terms, root, folder)
    elif is_document(action.text):
        order = order_of_document(action.text, "", Path.cwd(), [], terms, folder)
    else:
        order = order_of_words(action, terms)
    uses = [_meant(state, here, use) for use in action.uses]
    sources = {
        name: here.named(name, state["runs"]) for name in (use.removeprefix(RUN).partition("#")[0] for use in uses)
    }
    order = handed_on(order, uses, sources, folder, root)
    return replace(order, said=[*said, *order.said])


def _meant(state: DeskState, here: Desk, use: str) -> str:
    """A reference with the whole id of its run."""
    name, hash_mark, path = use.removeprefix(RUN).partition("#")
    if not name and path.partition("#")[0].isdigit():  # run:#2, the second run of the conversation
        number, hash_mark, path = path.partition("#")
        name = f"#{number}"
    if use.startswith(ABOVE) and state["begun"]:
        name = state["begun"][-1]
    return f"{RUN}{here.named(name, state['runs']).run_id}{hash_mark}{path}"


def _again(state: DeskState, here: Desk, source: Run, action: Again, terms: Terms) -> Order:
    """The earlier specification with the changes. What no patch of it says is a request of its own, in all the words.

    A command says its changes exactly, so what does not fit is an error there.

    Raises:
        InputError: a change does not fit, and the earlier request was no words.
        AgentError: the agent that repairs specifications fails.
    """
    folder, said = here.run.folder / HANDED_ON, "\n".join([*action.changes, action.words]).strip()
    if unread_words(source) and said and not state["typed"]:
        return order_again(source, [], terms, here.root, folder, said)
    try:
        if action.words and not specification_of(source):
            raise InputError(f"Run {source.run_id} left no specification in which something could be changed.")
        more = _changes(here, source, action.words) if action.words else []
        return order_again(source, [*action.changes, *more], terms, here.root, folder)
    except AskedBack:
        raise
    except InputError as unfit:
        own_words = not is_document(source.record.asked) and source.record.system in get_args(System)
        if state["typed"] or not said or not own_words:
            raise
        order = order_anew(source, f"{asked_in_all(source)}\n\n{said}", terms)
        return replace(order, said=[f"It is read anew, in all the words. {unfit}"])


class AskedBack(InputError):
    """What only the person knows before an earlier run can be changed; nothing was started."""


def _changes(here: Desk, source: Run, words: str) -> list[str]:
    """The person's words about an earlier specification as changes of it, by the agent that repairs specifications.

    Raises:
        AskedBack: the agent asks something, such as about a wish that no field can hold.
        InputError: no patch says them.
        AgentError: the agent fails.
    """
    given = RepairIn(
        words=f"{asked_in_all(source)}\n\n{words}",
        specification=to_yaml(specification_of(source)),
        problems=[],
        uncovered=[f"The person wants this run again, with: {words}"],
        example=example(SHORT[source.record.system]),
    )
    answer = here.ask(REPAIR, given)
    if isinstance(answer, Question):
        offered = f" ({'; '.join(answer.options)})" if answer.options else ""
        raise AskedBack(f"{answer.text}{offered} Nothing was started; say the whole change again with it.")
    if isinstance(answer, Refusal):
        raise InputError(answer.reason)
    if not answer.patches:
        raise InputError(f"Nothing changes: {answer.reason}")
    return [f"{patch.path} = {patch.value}" for patch in answer.patches]


def _remembered(here: Desk, state: DeskState, store: BaseStore | None) -> tuple[Terms, list[str]]:
    """The terms with the device and the toolset that notes name, where none was granted; what is said of it."""
    terms = tightened(here.choices, state["stricter"])
    notes = memory.notes_of(store, terms.person) if store is not None else []
    update: dict[str, str] = {}
    if terms.device == SIMULATED and not terms.device_options and (device := memory.value_of(notes, "device")):
        update["device"] = device
    if not terms.toolset and (toolset := memory.value_of(notes, "toolset")):
        update["toolset"] = toolset
    said = [f"The {name} is {value}, as you asked me to remember." for name, value in update.items()]
    return terms.model_copy(update=update), said


def _same_device(here: Desk, runs: list[str], run: Run) -> str:
    """The newest run of the conversation that left the simulated device that `run` is for; empty if none did."""
    wanted = [run.record.choices.get(name) for name in DEVICE]
    for name in reversed(runs) if wanted[0] == SIMULATED and not run.record.choices.get("device_folder") else ():
        found = here.run_of(name)
        same = found and [found.record.choices.get(each) for each in DEVICE] == wanted
        if found and same and (found.folder / MADE).is_file() and summarise(found).status != "running":
            return name
    return ""
