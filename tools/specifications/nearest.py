"""Words that were not read: what the lexer is sure of in them, and the nearest lines that could be run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from labwright.tools.specifications.calibration import Step
from labwright.tools.specifications.catalogue import Catalogue, aliases, places, roles, spoken
from labwright.tools.specifications.plans import line_of_step
from labwright.tools.units import UNITS

SETTING = re.compile(r"\b([A-Za-z_]\w*)\s*=\s*(-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?\s*(?:[a-zA-Zµμ%]+)?)")
FILE = re.compile(r"(?<!\S)(?:[\w./-]+\.(?:md|ya?ml|csv))(?!\S)")
MOST_LINES = 3
LEAST = 0.5  # of the score of the best line that another one needs


@dataclass(frozen=True, slots=True)
class Nearest:
    """What is offered for words that were not read.

    Attributes:
        unread: the part that was not read.
        lines: short form lines, nearest first; none where nothing is near.
        files: names of files in the words.
    """

    unread: str
    lines: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def nearest(
    words: str,
    unread: str,
    catalogue: Catalogue,
    qubits: Sequence[str],
    rank: Callable[[str, int], Sequence[tuple[str, float]]],
) -> Nearest:
    """The three cards nearest to `words`, filled with what is exact in them: qubits, ``stop = 900 us``, files.

    Args:
        words: of the person.
        unread: the part where the grammar stopped.
        catalogue: what could be run.
        qubits: of the device.
        rank: card names by similarity to a text, the nearest first.
    """
    named = [name for name in _tokens(words) if name in qubits]
    settings = {name.lower(): value.strip() for name, value in SETTING.findall(words)}
    scores = _scores(words, catalogue, rank)
    best = max(scores.values(), default=0.0)
    chosen = [name for name, score in sorted(scores.items(), key=lambda item: -item[1]) if score >= LEAST * best][
        :MOST_LINES
    ]
    lines = [_line(name, catalogue, named, settings) for name in chosen]
    return Nearest(unread, tuple(dict.fromkeys(lines)), tuple(FILE.findall(words)))


def _tokens(words: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r"[A-Za-z]+\d+", words)))


def _scores(
    words: str, catalogue: Catalogue, rank: Callable[[str, int], Sequence[tuple[str, float]]]
) -> dict[str, float]:
    """Cards that the words are near to: by a name that stands in them, weighed by its length, and by similarity."""
    low = f" {' '.join(re.findall(r'[a-z0-9*]+', words.lower()))} "
    found: dict[str, float] = {}
    for name, card in catalogue.cards.items():
        said = [alias for alias in {*aliases(card), spoken(name)} if f" {_plain(alias)} " in low]
        if said:
            found[name] = max(len(_plain(alias)) for alias in said) / 10 + 0.5
    for place, (name, score) in enumerate(rank(words, MOST_LINES)):
        if found or score > SIMILAR:
            found[name] = found.get(name, 0.0) + max(0.0, score) * (1 - place / 10)
    return found


SIMILAR = 0.35  # similarity below which a card is not near, where none is named


def _plain(alias: str) -> str:
    return " ".join(re.findall(r"[a-z0-9*]+", alias.lower()))


def _line(name: str, catalogue: Catalogue, qubits: Sequence[str], settings: dict[str, str]) -> str:
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
    return not unit or unit in UNITS or unit in ("µs", "μs")
