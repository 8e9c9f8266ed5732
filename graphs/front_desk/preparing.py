"""From a wish to a run: the request made whole, then started once, whatever kills the process in between."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime
from pydantic import TypeAdapter

from labwright.agents.front_desk.wishes import WorkWish
from labwright.graphs.front_desk.desk import Desk, desk
from labwright.graphs.front_desk.handing_on import SIMULATED, copy_device, handed_on
from labwright.graphs.front_desk.listening import notes
from labwright.graphs.front_desk.orders import Order, order_of
from labwright.graphs.front_desk.saying import reply, said
from labwright.graphs.front_desk.state import DeskState
from labwright.graphs.registry import SYSTEMS, driver
from labwright.tools.errors import InputError
from labwright.tools.runs.actions import action_key
from labwright.tools.runs.files import read_json
from labwright.tools.runs.listing import summarise
from labwright.tools.runs.run import Run

Update = dict[str, Any]
WISH: TypeAdapter[WorkWish] = TypeAdapter(WorkWish)
HANDED_ON = "handed_on"
DEVICE = ("device", "device_options", "seed")  # the same in two runs: the same simulated device
MADE = Path("device") / "device.json"  # in the folder of a run that has opened its own
ORDER = "order.json"  # in the run's folder
INPUTS = "workspace/inputs"  # where tool forging looks for the files of a task


def prepare(state: DeskState, runtime: Runtime[Any]) -> Update:
    """The system's own request, with what it takes over from earlier runs; or why there is none."""
    here, wish = desk(state), WISH.validate_python(state["wish"])
    sources = {use.run_id: run for use in wish.uses if (run := here.run_of(use.run_id)) is not None}
    try:
        order = order_of(wish, here.choices, notes(runtime.store, state))
        order = handed_on(order, wish, sources, here.run.folder / HANDED_ON)
        order.typed_choices()
    except InputError as refused:
        return said(state, f"That cannot be started. {refused}")
    return {"order": order.as_dict(), "phase": "start"}


def start(state: DeskState) -> Update:
    """Make the run and hand it to a worker. A second passage after a crash finds the run that the first one made."""
    here = desk(state)
    order = Order(**(state["order"] or {}))
    key = action_key(here.run.run_id, here.run.run_id, "start", state["turn"], len(state["settled"]), order.as_dict())
    try:
        done = here.run.action(key).perform(
            lambda: _made(here, order, key, state["runs"]), lambda run: {"run_id": run.run_id}, ask=lambda: "absent"
        )
    except (InputError, OSError) as refused:
        return said(state, f"That cannot be started. {refused}")
    run = here.run_of(done["run_id"])
    if run is None:
        return said(state, f"The folder of run {done['run_id']} is gone.")
    if summarise(run).status == "dead":  # not begun, or begun and killed: on a second passage it may have ended
        here.workers.drive(run)
    told = read_json(run.folder / ORDER, "Start it anew.")["said"]
    words = " ".join([f"Started the {SYSTEMS[order.system].noun} {run.run_id}.", *told])
    here.emit({"kind": "started", "run_id": run.run_id}, once=f"started {run.run_id}")
    return {
        "replies": [*state["replies"], reply(words, "started", run.run_id, "running")],
        "runs": list(dict.fromkeys([*state["runs"], run.run_id])),
        "phase": "relay",
    }


def _made(here: Desk, order: Order, key: str, runs: list[str]) -> Run:
    """A run's folder, with the files that are handed in and the record of where they came from."""
    contents = {name: Path(path).read_bytes() for name, path in order.files.items()}  # before there is a folder
    choices = order.typed_choices()
    files = {f"{INPUTS}/{name}": content for name, content in contents.items()}
    run = driver(order.system).prepare(order.text, choices, here.root, seed=order.choices["seed"], files=files)
    if not order.device_from and (earlier := _same_device(here, runs, run)):
        words = f"It goes on with the device as {earlier} left it."
        order = replace(order, device_from=earlier, said=[*order.said, words])
    if order.device_from:
        source = here.run_of(order.device_from)
        if source is None:
            raise InputError(f"The folder of run {order.device_from} is gone.")
        copy_device(source, run)
    run.save_json(ORDER, {"conversation": here.run.run_id, "order": key, **order.as_dict()})
    return run


def _same_device(here: Desk, runs: list[str], run: Run) -> str:
    """The newest run of the conversation that left the simulated device that `run` is for; empty if none did."""
    wanted = [run.record.choices.get(name) for name in DEVICE]
    for name in reversed(runs) if wanted[0] == SIMULATED and not run.record.choices.get("device_folder") else ():
        found = here.run_of(name)
        same = found and [found.record.choices.get(each) for each in DEVICE] == wanted
        if found and same and (found.folder / MADE).is_file() and summarise(found).status != "running":
            return name
    return ""
