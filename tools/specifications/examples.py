"""Filled, commented examples: what `labwright new` prints, and what repairing agents are shown."""

from __future__ import annotations

import tomllib
from pathlib import Path

from labwright.tools.errors import InputError

FOLDER = Path(__file__).parent / "templates"
# system -> the kinds of examples there are; the first is meant where none is named
KINDS = {
    "calibration": ("calibration", "chip", "maintain", "procedure"),
    "search": ("search",),
    "task": (
        "dynamics",
        "circuit",
        "chain",
        "control",
        "excitons",
        "vqe",
        "ground_state_chain",
        "thermal_chain",
        "driven_chain",
        "chemistry",
        "free",
    ),
    "protocol": ("calibration", "screen", "timecourse", "kinetics"),
    "sequence": ("sequence",),
}


def example(system: str, kind: str = "") -> str:
    """The example of that system and kind, as text.

    Raises:
        InputError: there is none.
    """
    if system not in KINDS:
        raise InputError(f"There is no example {system!r}. There are: {', '.join(KINDS)}.")
    if kind and kind not in KINDS[system]:
        raise InputError(f"There is no example {kind!r} of {system}. There are: {', '.join(KINDS[system])}.")
    return path_of(system, kind or KINDS[system][0]).read_text(encoding="utf-8")


def conventions(kind: str) -> list[str]:
    """How that is meant which a card of a kind could say in two ways, a sentence or a few each."""
    found: dict[str, list[str]] = tomllib.loads((FOLDER.parent / "conventions.toml").read_text(encoding="utf-8"))
    return found.get(kind, [])


def path_of(system: str, kind: str) -> Path:
    """The file of an example."""
    name = system if kind == system or len(KINDS[system]) == 1 else f"{system}-{kind}"
    return FOLDER / f"{name}.{'md' if kind == 'procedure' else 'yaml'}"


def names() -> list[str]:
    """What each example is called where one word names it: ``search``, ``task-chain``."""
    return [path_of(system, kind).stem for system, kinds in KINDS.items() for kind in kinds]


def named(name: str) -> Path | None:
    """The file of the example that `name` calls; None if none is called so."""
    return next(
        (
            path_of(system, kind)
            for system, kinds in KINDS.items()
            for kind in kinds
            if name == path_of(system, kind).stem
        ),
        None,
    )
