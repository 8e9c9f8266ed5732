"""The four systems behind the desk, opened late: a conversation that needs one imports one."""

from __future__ import annotations

import importlib
from typing import cast, get_args

from pydantic import BaseModel

from labwright.agents.front_desk.wishes import System as Name
from labwright.graphs.running import System
from labwright.tools.errors import InputError
from labwright.tools.runs.run import Run

_DRIVERS: dict[str, str] = {
    "lab_calibration": "CALIBRATION",
    "feature_map_search": "SEARCH",
    "tool_forging": "FORGE",
    "protocol_design": "DESIGN",
}
NAMES: tuple[Name, ...] = get_args(Name)
# Systems that are no target of the desk: their runs are resumed like all others.
_OTHERS = {
    "sequence": ("labwright.graphs.sequence.running", "SEQUENCE"),
    "plan_reading": ("labwright.graphs.lab_calibration.compiling", "COMPILING"),
}


def driver(name: str) -> System:
    """What drives the runs of the system `name`.

    Raises:
        InputError: there is no such system.
    """
    if name in _OTHERS:
        place, driven = _OTHERS[name]
        return cast(System, getattr(importlib.import_module(place), driven))
    if name not in _DRIVERS:
        raise InputError(f"There is no system {name!r}. There are: {', '.join(NAMES)}.")
    module = importlib.import_module(f"labwright.graphs.{name}.running")
    return cast(System, getattr(module, _DRIVERS[name]))


def choices_type(name: str) -> type[BaseModel]:
    """The type of that system's choices."""
    module = importlib.import_module(f"labwright.graphs.{name}.choices")
    return cast("type[BaseModel]", module.Choices)


def check_choices(name: Name, choices: BaseModel) -> None:
    """What that system looks at before it makes a run.

    Raises:
        InputError: the choices cannot be used.
    """
    check = driver(name).check
    if check is not None:
        check(choices)


def driver_of(run: Run) -> System:
    """What drives `run`.

    Raises:
        InputError: its system is none of this version's.
    """
    name = run.record.system
    if name not in _DRIVERS and name not in _OTHERS:
        raise InputError(f"Run {run.run_id} belongs to the system {name!r}, which this version does not have.")
    return driver(name)
