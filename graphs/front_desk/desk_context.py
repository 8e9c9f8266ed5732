"""What the nodes of a conversation work with: its folder, a mind, a meter, a log, and the runs beside it."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from labwright.agents.backend_selection import make_mind
from labwright.agents.errors import ModelUnavailable
from labwright.agents.meter import Budget, Meter
from labwright.agents.settings import Settings
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.front_desk.state import DeskState
from labwright.graphs.front_desk.workers import WORKERS, Workers
from labwright.graphs.run_context import OpenRuns, Surroundings
from labwright.tools.errors import InputError, RecordError
from labwright.tools.runs.run import Run, load_run, open_run, run_ids, runs_root
from labwright.tools.runs.spending import usage_of

SYSTEM = "front_desk"
FOLDER = "conversations"  # below the folder of stores and caches: a conversation is no run
RECENT = 30  # runs that a message may refer to without more words


class Desk(Surroundings[Terms]):
    """One conversation's surroundings."""

    @property
    def workers(self) -> Workers:
        """What drives the runs of this process."""
        return WORKERS

    @cached_property
    def meter(self) -> Meter:
        """What the conversation itself has spent; the person's budget is each run's, this one the settings'."""
        meter = Meter(Budget.parse(Settings().budget))
        if usage := usage_of(self.run.folder):
            meter.restore(usage)
        return meter

    @property
    def root(self) -> Path:
        """Folder of the runs that this conversation starts."""
        return runs_root().absolute()

    def run_of(self, run_id: str) -> Run | None:
        """The run, or None if its folder is gone or damaged, or the name is no run's."""
        if not run_id or Path(run_id).name != run_id:
            return None  # a name may come from a model
        try:
            return load_run(self.root / run_id)
        except RecordError:
            return None

    def named(self, name: str, own: list[str]) -> Run:
        """The run that is meant by an id, a unique beginning of one, ``latest``, or ``#2`` of the conversation's `own`.

        Raises:
            RecordError: there is none.
            InputError: the conversation has not so many.
        """
        if name.startswith("#"):
            number = int(name[1:]) if name[1:].isdigit() else 0
            if not 0 < number <= len(own):
                raise InputError(f"This conversation has {len(own)} runs, so there is no {name}.")
            return open_run(self.root, own[number - 1])
        return open_run(self.root, own[-1] if name == "latest" and own else name)

    def recent(self) -> list[str]:
        """Ids of the newest runs, oldest first."""
        return run_ids(self.root)[-RECENT:]


def _open(run_dir: str, choices: dict[str, Any] | None) -> Desk:
    run = load_run(Path(run_dir))
    return Desk(run, Terms.model_validate(choices or run.record.choices))


DESKS = OpenRuns(_open)


def desk(state: DeskState) -> Desk:
    """The open desk of the state's conversation; the person's terms are those of the state."""
    found = DESKS.get(state["run_dir"], state["choices"])
    wanted = Terms.model_validate(state["choices"])
    if wanted != found.choices:
        found.choices = wanted
        found.__dict__.pop("mind", None)  # another mind may have been chosen
    return found


def check_mind(spec: str) -> None:
    """Make sure that there is such a mind, before a run is started with it.

    Raises:
        InputError: its name cannot be read, or a package or key is missing.
    """
    try:
        make_mind(spec)
    except ModelUnavailable as fault:
        raise InputError(str(fault)) from fault
