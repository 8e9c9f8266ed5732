"""What a plan may name: experiments and procedures by their cards, and what people call them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labwright.tools.experiments.call import PROCEDURE, ExperimentCard, ParameterCard
from labwright.tools.specifications.procedures import Procedure, load_procedures, slug_of

if TYPE_CHECKING:
    from labwright.tools.specifications.similar_cards import Similar

MOST_ALIASES = 6  # of one card
PAIR, GROUP = "partner", "qubits"  # the other qubit of a pair; several names with commas between
ROLES = ("qubit", "dut", PAIR)


@dataclass(frozen=True)
class Catalogue:
    """Cards by name; a procedure's name is ``procedure:<slug>``."""

    cards: Mapping[str, ExperimentCard]
    procedures: Mapping[str, Procedure]

    @cached_property
    def names(self) -> dict[str, str]:
        """What a card may be called, in lower case -> its name. What two cards are called is left out."""
        found: dict[str, str] = {}
        doubled: set[str] = set()
        for name, card in self.cards.items():
            for alias in (alias.lower() for alias in aliases(card)):
                if found.setdefault(alias, name) != name:
                    doubled.add(alias)
        own = {spoken(name) for name in self.cards} | set(self.cards)
        return {alias: name for alias, name in found.items() if alias not in doubled or alias in own}

    @cached_property
    def similar(self) -> Similar:
        """The cards by similarity to free words."""
        from labwright.tools.specifications.similar_cards import Similar

        return Similar(self.cards)

    @cached_property
    def pattern(self) -> str:
        """Regular expression of every alias, the longest first."""
        return "|".join(
            re.escape(alias).replace(r"\ ", r"[ \t]+").replace("/", r"\/")
            for alias in sorted(self.names, key=len, reverse=True)
        )

    def named(self, words: str) -> str:
        """The card that `words` name; empty if none."""
        return self.names.get(" ".join(words.lower().split()), "")

    def card(self, experiment: str, procedure: str) -> ExperimentCard | None:
        """The card of a step."""
        return self.cards.get(experiment if experiment else f"{PROCEDURE}:{slug_of(procedure)}")

    def nearest(self, name: str) -> str:
        """The known name that is spelled most like `name`; empty if none is."""
        found = difflib.get_close_matches(name.lower(), self.names, 1, 0.7)
        return self.names[found[0]] if found else ""

    def with_procedures(self, more: Mapping[str, Procedure]) -> Catalogue:
        """Also with `more`, which go before those of the same slug."""
        cards = {f"{PROCEDURE}:{slug}": procedure_card(each) for slug, each in more.items()}
        return Catalogue({**self.cards, **cards}, {**self.procedures, **more})


def catalogue_of(cards: Mapping[str, ExperimentCard], procedures: Mapping[str, Procedure]) -> Catalogue:
    """The catalogue of experiments and procedures."""
    return Catalogue(dict(cards), {}).with_procedures(procedures)


def library(lab: Path | None = None) -> Catalogue:
    """The catalogue of what is shipped, and of the lab folder `lab`."""
    from labwright.tools.experiments import registry

    cards = {name: registry.card(kind) for name, kind in registry.experiments(lab).items()}
    return catalogue_of(cards, load_procedures([lab] if lab else []))


def procedure_card(procedure: Procedure) -> ExperimentCard:
    """A procedure as a card, so that its calls are read and checked like any other."""
    parameters = tuple(
        ParameterCard(name, "str", True, None, "", None, None, "Quoted in the title.") for name in procedure.parameters
    )
    text = f"{procedure.title}\n\n{procedure.background}".strip()
    done = ", ".join(dict.fromkeys(_task(step) for step in procedure.steps))
    summary = f"{spoken(procedure.slug).capitalize()}: {done}"
    return ExperimentCard(f"{PROCEDURE}:{procedure.slug}", summary, text, parameters)


def _task(step: str | dict[str, Any]) -> str:
    """What a step is called: its words before the qubits."""
    if isinstance(step, dict):
        return str(step.get("experiment") or step.get("procedure", ""))
    return step.partition("'")[0].partition(",")[0].strip().lower()


def spoken(name: str) -> str:
    """``spin echo`` for ``spin_echo``, ``bring up`` for ``procedure:bring-up``."""
    return name.removeprefix(f"{PROCEDURE}:").replace("_", " ").replace("-", " ").lower()


def aliases(card: ExperimentCard) -> list[str]:
    """What a card may be called: its name, and at most six phrases of its ``Asked for as:`` paragraph."""
    plain = [] if card.name.startswith(f"{PROCEDURE}:") else [card.name]
    return list(dict.fromkeys([*plain, spoken(card.name), *phrases(card)[:MOST_ALIASES]]))


def phrases(card: ExperimentCard) -> list[str]:
    """The phrases of its ``Asked for as:`` paragraph."""
    asked = re.search(r"^Asked for as:(.*?)(?:\n\s*\n|\Z)", card.docstring, re.DOTALL | re.MULTILINE)
    found = [" ".join(each.split()).rstrip(".") for each in asked[1].split(",")] if asked else []
    return [phrase for phrase in found if phrase]


def places(card: ExperimentCard) -> int | None:
    """How many qubits a call has room for; None if for any number."""
    names = [parameter.name for parameter in card.parameters]
    if card.name.startswith(f"{PROCEDURE}:"):
        return len(names)
    return None if GROUP in names else len({*names} & {*ROLES})


def updates(card: ExperimentCard, arguments: Mapping[str, Any]) -> bool:
    """Whether a call with these arguments may write its settings."""
    default = next((each.default for each in card.parameters if each.name == "update"), True)
    return bool(card.writes) and bool(arguments.get("update", default))


def roles(card: ExperimentCard) -> list[str]:
    """The parameters that qubits stand in, in order."""
    names = [parameter.name for parameter in card.parameters]
    return names if card.name.startswith(f"{PROCEDURE}:") else [name for name in names if name in (*ROLES, GROUP)]


def listed(names: Iterable[str]) -> str:
    """``a, b, c``, for messages."""
    return ", ".join(names) or "none"
