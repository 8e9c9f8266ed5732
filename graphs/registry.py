"""The systems there are: one table that faces, queue, desk and sequences read. Each is imported when it is used."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from labwright.tools.errors import InputError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from labwright.graphs.running import System
    from labwright.tools.runs.run import Run


@dataclass(frozen=True, slots=True)
class Entry:
    """One system.

    Attributes:
        module: whose `driver` drives its runs.
        driver: name of the `System` in it.
        verb: of its command; empty for a system that is started otherwise.
        noun: what one of its runs is called.
        title: what it is called in lists.
        forks: whether its runs can be forked at a stage.
    """

    module: str
    driver: str
    verb: str
    noun: str
    title: str
    forks: bool = False


SYSTEMS: dict[str, Entry] = {
    "lab_calibration": Entry(
        "lab_calibration.running", "CALIBRATION", "calibrate", "calibration", "calibration", forks=True
    ),
    "feature_map_search": Entry(
        "feature_map_search.running", "SEARCH", "search", "search", "feature-map search", forks=True
    ),
    "tool_forging": Entry("tool_forging.running", "FORGE", "forge", "forging run", "tool forging"),
    "protocol_design": Entry("protocol_design.running", "DESIGN", "design", "design", "protocol design"),
    "sequence": Entry("sequence.running", "SEQUENCE", "", "sequence", "sequence"),
    "plan_reading": Entry("lab_calibration.plan_reading_graph", "COMPILING", "", "reading of a procedure", "reading"),
}
NAMES: tuple[str, ...] = tuple(name for name, entry in SYSTEMS.items() if entry.verb)  # those that words can start


def entry(name: str) -> Entry:
    """The system `name`.

    Raises:
        InputError: there is no such system.
    """
    if name not in SYSTEMS:
        raise InputError(f"There is no system {name!r}. There are: {', '.join(NAMES)}.")
    return SYSTEMS[name]


def driver(name: str) -> System:
    """What drives the runs of the system `name`.

    Raises:
        InputError: there is no such system.
    """
    found = entry(name)
    return cast("System", getattr(importlib.import_module(f"labwright.graphs.{found.module}"), found.driver))


def choices_type(name: str) -> type[BaseModel]:
    """The type of that system's choices."""
    module: Any = importlib.import_module(f"labwright.graphs.{name}.choices")
    return cast("type[BaseModel]", module.Choices)


def check_choices(name: str, choices: BaseModel) -> None:
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
    if name not in SYSTEMS:
        raise InputError(f"Run {run.run_id} belongs to the system {name!r}, which this version does not have.")
    return driver(name)
