"""Words that were not read: what the lexer is sure of in them, and the nearest lines that could be run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from labwright.tools.specifications.calibration import Step
from labwright.tools.specifications.catalogue import Catalogue, places, roles
from labwright.tools.specifications.plan_completion import line_of_step
from labwright.tools.units import UNITS, canonical_unit

SETTING = re.compile(r"\b([A-Za-z_]\w*)\s*=\s*(-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?\s*(?:[a-zA-Zµμ%]+)?)")
FILE = re.compile(r"(?<!\S)(?:[\w./-]+\.(?:md|ya?ml|csv))(?!\S)")
TOKEN = re.compile(r"[A-Za-z]+[0-9]+")
MOST_LINES = 3


@dataclass(frozen=True, slots=True)
class Nearest:
    """What is offered for words that were not read.

    Attributes:
        unread: the part that was not read.
        lines: short form lines, nearest first; none where nothing is near.
        files: names of files in the words.
        example: a whole specification, for a system that has no short form.
    """

    unread: str
    lines: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    example: str = ""


def nearest(words: str, unread: str, catalogue: Catalogue, qubits: Sequence[str]) -> Nearest:
    """The three cards nearest to `words`, filled with what is exact in them: qubits, ``stop = 900 us``, files.

    Args:
        words: of the person.
        unread: the part where the grammar stopped.
        catalogue: what could be run.
        qubits: of the device.
    """
    named, settings = exact_in(words, qubits)
    free = SETTING.sub(" ", FILE.sub(" ", words))
    lines = [line_of_card(name, catalogue, named, settings) for name in catalogue.similar.nearest(free, MOST_LINES)]
    return Nearest(unread, tuple(dict.fromkeys(lines)), tuple(FILE.findall(words)))


def exact_in(words: str, qubits: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """What is exact in free words: names of qubits, and ``stop = 900 us``."""
    named = [name for name in dict.fromkeys(TOKEN.findall(words)) if name in qubits]
    return named, {name.lower(): value.strip() for name, value in SETTING.findall(words)}


def line_of_card(name: str, catalogue: Catalogue, qubits: Sequence[str], settings: dict[str, str]) -> str:
    """One card as a line; qubits and settings as far as they fit."""
    card = catalogue.cards[name]
    own = {parameter.name for parameter in card.parameters} - set(roles(card))
    fitting = {key: value for key, value in settings.items() if key in own and _reads(value)}
    room = places(card)
    task = {"procedure": name.partition(":")[2]} if ":" in name else {"experiment": name}
    step = Step.model_validate(
        {**task, "qubits": list(qubits if room is None else qubits[:room]), "parameters": fitting}
    )
    return line_of_step(step)


def _reads(value: str) -> bool:
    unit = value.lstrip("-0123456789.eE ")
    return not unit or canonical_unit(unit) in UNITS
