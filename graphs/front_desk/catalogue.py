"""What can be started: the systems in a line each for an agent, and what is nearest to words that were not read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labwright.graphs.front_desk.terms import Terms
from labwright.tools.specifications.catalogue import Catalogue, library
from labwright.tools.specifications.examples import KINDS, path_of
from labwright.tools.specifications.kinds import SYSTEMS
from labwright.tools.specifications.nearest import exact_in, line_of_card
from labwright.tools.specifications.pages import FOLDER
from labwright.tools.specifications.search import SearchSpec
from labwright.tools.specifications.similar import by_words, cosines, letters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST = 3
PAGES = {"protocol_design": ("protocols",), "tool_forging": ("task-cards", "task-cards-dynamics")}
QUBITS = tuple(f"Q{number}" for number in range(100))
HIDDEN = ("spec", "system", "title", "prose_sha256", "read_by")


@cache
def catalogue(lab: str) -> Catalogue:
    """The experiments and procedures there are, with those of the lab folder."""
    return library(Path(lab).expanduser() if lab else None)


def systems_in_lines(terms: Terms) -> list[str]:
    """The four systems, a line each: what they take."""
    cards = ", ".join(name.partition(":")[2] or name for name in catalogue(terms.lab).cards)
    fields = [f"{name} ({field.description})" for name, field in SearchSpec.model_fields.items() if name not in HIDDEN]
    tasks = ", ".join(KINDS["task"])
    return [
        "lab_calibration: measure and calibrate superconducting qubits of one device."
        f" Experiments and procedures: {cards}."
        " Short form: `ramsey Q1, offset = 3 MHz, stop = 0.5 us`; `calibrate qubit Q1 and benchmark it`.",
        "feature_map_search: find a quantum feature map (kernel, encoding circuit) for a data set."
        f" Fields: {'; '.join(fields)}.",
        "tool_forging: compute, simulate or fit something, with tools that are made and tested for it."
        f" Kinds with a card of their own: {tasks}; anything else is a free task.",
        "protocol_design: a vial-by-vial protocol for a liquid-handling robot, from an experiment in words: substances,"
        " stocks, amounts, dilutions, mixing, heating.",
    ]


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that can be typed, with the text by which words are compared with it."""

    system: str
    line: str
    text: str


class Offers:
    """What could be typed, by similarity to free words: TF-IDF over words and spellings, of each entry and system."""

    def __init__(self, lab: str) -> None:
        self.entries = [*_experiments(catalogue(lab)), *_examples()]
        self.systems = list(dict.fromkeys(entry.system for entry in self.entries))

    def nearest(self, words: str) -> list[Entry]:
        """The nearest entry of each of the three nearest systems, the nearest first; none for words that none knows."""
        import numpy as np

        own = np.asarray(sum(cosines(model, words) for model in self._models))
        whole = cosines(self._whole, words)
        if not own.any():
            return []
        scores = {system: whole[at] + self._of(system, own).max() for at, system in enumerate(self.systems)}
        ranked = sorted(scores, key=lambda system: -scores[system])[:MOST]
        return [self.entries[int(self._of(system, own).argmax())] for system in ranked]

    def _of(self, system: str, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        import numpy as np

        return np.array([s if e.system == system else -1.0 for s, e in zip(scores, self.entries, strict=True)])

    @cached_property
    def _models(self) -> list[Any]:
        texts = [entry.text for entry in self.entries]
        return [by_words(texts), letters(texts)]

    @cached_property
    def _whole(self) -> Any:
        pages = {system: "\n".join(map(_page, PAGES.get(system, ()))) for system in self.systems}
        return by_words([f"{self._text(system)}\n{pages[system]}" for system in self.systems])

    def _text(self, system: str) -> str:
        return "\n".join(entry.text for entry in self.entries if entry.system == system)


def _page(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


@cache
def offers(lab: str) -> Offers:
    """What is offered, with the experiments of the lab folder."""
    return Offers(lab)


def _experiments(known: Catalogue) -> list[Entry]:
    return [Entry("lab_calibration", name, f"{card.summary} {card.docstring}") for name, card in known.cards.items()]


def typed_line(entry: Entry, words: str, lab: str) -> str:
    """What can be typed for an entry; an experiment with the qubits and settings that are exact in the words."""
    if entry.system != "lab_calibration":
        return f"run {entry.line}"
    named, settings = exact_in(words, QUBITS)
    return line_of_card(entry.line, catalogue(lab), named or QUBITS[1:3], settings)  # as an example: the first qubits


def _examples() -> list[Entry]:
    paths = [(SYSTEMS[short], path_of(short, kind)) for short, kinds in KINDS.items() for kind in kinds]
    return [
        Entry(system, path.stem, path.read_text(encoding="utf-8"))
        for system, path in paths
        if system not in ("lab_calibration", "sequence")
    ]
