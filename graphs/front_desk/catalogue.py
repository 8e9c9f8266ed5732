"""What can be started: the systems in a line each for an agent, and what is nearest to words that were not read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from labwright.graphs.front_desk.permissions import Terms
from labwright.tools.datasets.split import FEWEST
from labwright.tools.specifications.card_pages import FOLDER, one_line
from labwright.tools.specifications.catalogue import Catalogue, library
from labwright.tools.specifications.examples import KINDS, example, path_of
from labwright.tools.specifications.kinds import SYSTEMS
from labwright.tools.specifications.nearest_runnable_lines import exact_in, line_of_card
from labwright.tools.specifications.search import SearchSpec
from labwright.tools.specifications.similar_cards import Scorer, bm25

MOST, CALIBRATION = 3, "lab_calibration"
PAGES = {"protocol_design": ("protocols",), "tool_forging": ("task-cards", "task-cards-dynamics")}
QUBITS = tuple(f"Q{number}" for number in range(100))
DATA = (  # see labwright.tools.datasets
    "Data of one's own: a .csv in UTF-8 with a header line (comma, semicolon or tab; numbers; the class in the"
    " column label, target, class or y, else in the last) or a .npz with X and y; at least two classes, each with at"
    f" least {FEWEST} samples; no gaps. Any number of columns: principal components of them are kept (`features`). As"
    " many rows as `memory_mb` has room for: with the usual 4096 MB about 12000 for training. Image folders (mnist,"
    " fashion-mnist, cifar-10) do not come along: the person names where theirs lie."
)
PROGRAM = (
    "This program: each run has a folder below `runs` with report.md, figures, data, spec.yaml and its log; `show`"
    " names the report. Forged tools are kept in the toolset, and later tasks reuse them. A stopped run keeps what"
    " it has; it can be resumed, or run again with changes, at any time and in a later conversation. The person may"
    " type commands, such as `runs`, `status`, `show`, `compare`, `why`, `cost`, `stop`, `resume`, `again with PATH"
    " = VALUE`, /approve, /answer, /edit, /model, /help."
)
HIDDEN = ("spec", "system", "title", "prose_sha256", "read_by")


@cache
def catalogue(lab: str) -> Catalogue:
    """The experiments and procedures there are, with those of the lab folder."""
    return library(Path(lab).expanduser() if lab else None)


def systems_in_lines(terms: Terms) -> list[str]:
    """The four systems, a line each: what they take."""
    cards = ", ".join(name.partition(":")[2] or name for name in catalogue(terms.lab).cards)
    tasks = ", ".join(KINDS["task"])
    return [
        "lab_calibration: measure and calibrate superconducting qubits of one device."
        f" Experiments and procedures: {cards}."
        " Short form: `ramsey Q1, offset = 3 MHz, stop = 0.5 us`; `calibrate qubit Q1 and benchmark it`.",
        "feature_map_search: find a quantum feature map (kernel, encoding circuit) for a data set."
        f" Fields: {_fields()}. {DATA}",
        "tool_forging: compute, simulate or fit something, with tools that are made and tested for it."
        f" Kinds with a card of their own: {tasks}; anything else is a free task.",
        "protocol_design: a vial-by-vial protocol for a liquid-handling robot, from an experiment in words: substances,"
        " stocks, amounts, dilutions, mixing, heating.",
        PROGRAM,
    ]


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that can be typed, with the text by which words are compared with it."""

    system: str
    line: str
    text: str


class Offers:
    """What could be typed, by likeness to free words: BM25 over words and their pairs, of each entry and system."""

    def __init__(self, lab: str) -> None:
        self._known = catalogue(lab)
        self.entries = [*_experiments(self._known), *_examples()]
        self.systems = list(dict.fromkeys(entry.system for entry in self.entries))

    def nearest(self, words: str) -> list[Entry]:
        """The nearest entry of each of the three nearest systems, the nearest first; none for words that none knows."""
        own = self._each(words)
        if not own.any():
            return []
        best: dict[str, tuple[float, Entry]] = {}
        for score, entry in zip(own, self.entries, strict=True):
            if entry.system not in best or score > best[entry.system][0]:
                best[entry.system] = score, entry
        whole = dict(zip(self.systems, self._whole(words), strict=True))
        ranked = sorted(self.systems, key=lambda system: -whole[system] - best[system][0])[:MOST]
        return [self._measured(words) if system == CALIBRATION else best[system][1] for system in ranked]

    def _measured(self, words: str) -> Entry:
        """The nearest experiment, by the order in which all lines of calibrations are offered."""
        name = self._known.similar.ranked(words, 1)[0]
        return next(entry for entry in self.entries if entry.line == name)

    @cached_property
    def _each(self) -> Scorer:
        return bm25([entry.text for entry in self.entries])

    @cached_property
    def _whole(self) -> Scorer:
        pages = {system: "\n".join(map(_page, PAGES.get(system, ()))) for system in self.systems}
        return bm25([f"{self._text(system)}\n{pages[system]}" for system in self.systems])

    def _text(self, system: str) -> str:
        return "\n".join(entry.text for entry in self.entries if entry.system == system)


def _page(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


@cache
def offers(lab: str) -> Offers:
    """What is offered, with the experiments of the lab folder."""
    return Offers(lab)


def _experiments(known: Catalogue) -> list[Entry]:
    return [Entry(CALIBRATION, name, f"{card.summary} {card.docstring}") for name, card in known.cards.items()]


def typed_line(entry: Entry, words: str, lab: str) -> str:
    """What can be typed for an entry; an experiment with the qubits and settings that are exact in the words."""
    if entry.system != CALIBRATION:
        return f"run {entry.line}"
    named, settings = exact_in(words, QUBITS)
    return line_of_card(entry.line, catalogue(lab), named or QUBITS[1:3], settings)  # as an example: the first qubits


def _examples() -> list[Entry]:
    known = [(SYSTEMS[short], short, kind) for short, kinds in KINDS.items() for kind in kinds]
    return [
        Entry(system, path_of(short, kind).stem, f"{example(short, kind)}\n{_about(short, kind)}")
        for system, short, kind in known
        if system not in (CALIBRATION, "sequence")
    ]


def _about(short: str, kind: str) -> str:
    """What the specification of an example says of itself."""
    if short == "search":
        return _fields()
    return one_line(kind) if short == "task" else ""


def _fields() -> str:
    told = [f"{name} ({field.description})" for name, field in SearchSpec.model_fields.items() if name not in HIDDEN]
    return "; ".join(told)
