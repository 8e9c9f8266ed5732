"""What people say when they want an experiment or a procedure: data beside the experiments, read once."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("wording.toml")
DESCRIPTIONS = Path(__file__).with_name("descriptions.toml")


@dataclass(frozen=True, slots=True)
class Wording:
    """Ways of asking for one thing.

    Attributes:
        asked: each one is a handful of words that, said together, ask for it.
        not_for: words that, said together, ask for something else, unless all others speak of this.
        never: the same, whatever else is said.
    """

    asked: tuple[str, ...] = ()
    not_for: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


def wording(name: str) -> Wording:
    """The ways of asking for the experiment `name`, or for ``procedure:<slug>``; none for what is not shipped."""
    return _all().get(name, Wording())


def descriptions(name: str) -> tuple[str, ...]:
    """Sentences that tell what is varied, watched and wanted in `name`, without naming it; none if not shipped."""
    return tuple(_described().get(name, ()))


def every_wording() -> tuple[Wording, ...]:
    """That of every shipped experiment and procedure."""
    return tuple(_all().values())


def names() -> tuple[str, ...]:
    """The shipped experiments and procedures."""
    return tuple(_all())


def every_word() -> str:
    """All words of the file, each of which is spelled right."""
    return FILE.read_text(encoding="utf-8")


def parameter_words(experiment: str, parameter: str) -> tuple[str, ...]:
    """Words beside a number that tell that it sets `parameter`; those of the experiment itself and the general."""
    general = _read()["parameters"]
    own = _read().get(experiment, {}).get("parameters", {}).get(parameter, "")
    found = general.get(parameter) or " ".join(general.get(part, "") for part in parameter.split("_"))
    return tuple(f"{own} {found}".split())


def choice_words(experiment: str, choice: str) -> tuple[str, ...]:
    """Other ways to say `choice`, one of the few words that a parameter of `experiment` takes."""
    return tuple(_read().get(experiment, {}).get("choices", {}).get(choice, ()))


@cache
def _all() -> dict[str, Wording]:
    entries = {name: entry for name, entry in _read().items() if "asked" in entry}
    return {
        name: Wording(tuple(entry["asked"]), tuple(entry.get("not_for", ())), tuple(entry.get("never", ())))
        for name, entry in entries.items()
    }


@cache
def _described() -> dict[str, list[str]]:
    return tomllib.loads(DESCRIPTIONS.read_text(encoding="utf-8"))


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))
