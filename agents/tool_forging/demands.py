"""What a task asks for, sentence by sentence, and what of it a set of readings leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from labwright.agents.tool_forging.readers.base import Span, TaskText
from labwright.agents.tool_forging.readers.language.clean import Clean, clean
from labwright.agents.tool_forging.readers.language.motives import only_announces
from labwright.agents.tool_forging.readers.language.orders import ORDER, VERBS, about_telling, orders
from labwright.agents.tool_forging.readers.language.purposes import tells_a_purpose
from labwright.agents.tool_forging.readers.language.sentences import ITEM, Sentence, sentences

RESULTS = "results.json"  # the heading below which a task says what it wants there
ENOUGH = 0.25  # of a demand's letters that have to lie in spans for it to count as read

# Quantities that families write; a family may bring its own, see `quantities_of`.
QUANTITIES = frozenset(
    "counts expectation population fidelity pulse coherence purity entropy magnetisation energy energy_per_site"
    " occupation double_occupancy string_order critical_point steady_state coordinates point_group dipole"
    " homo_lumo_gap orbital_energies mulliken_charges frequencies enthalpy gibbs reaction_enthalpy reaction_gibbs"
    " ring_strain pka excitation_energy oscillator_strength singlet_triplet_gap".split()
)

_NO_QUANTITY = frozenset({"parameters", "records", "labels", "axes", "value", "unit"})  # of the file's own form
# a line above a list that goes on in its items: "of interest are", "tabulate"
_GOES_ON = re.compile(
    rf"\b(?:contains?|of|are|is|for|namely|from|(?:please|and|then)\s+(?:{'|'.join(VERBS)})|"
    r"(?:tell|give|send|show) me)$",
    re.I,
)
_HEAD_OF_LIST = re.compile(
    r"\W*(?:outputs?|results?|wanted|deliverables?|requested|required|needed|to (?:report|record))\W*", re.I
)
_TICKED = re.compile(r"`([A-Za-z][A-Za-z0-9_]*)`")


@dataclass(frozen=True, slots=True)
class Demand:
    """Something that a task wants done.

    Attributes:
        words: as they stand in the task.
        span: where.
    """

    words: str
    span: Span


def demands(task: TaskText) -> list[Demand]:
    """Every clause of the task that orders something, wishes about the telling left out."""
    plain = clean(task.text)
    every = sentences(plain)
    found: list[Demand] = []
    for index, sentence in enumerate(every):
        if sentence.is_heading or RESULTS in sentence.heading or tells_a_purpose(sentence.text):
            continue
        if not _orders(sentence, every[:index], plain):
            continue
        if only_announces(sentence.text):
            continue
        found += [_demand(task, plain, start, end) for start, end in _clauses(sentence)]
    return [one for one in found if not about_telling(one.words)]


def uncovered(task: TaskText, spans: Iterable[Span]) -> list[Demand]:
    """The demands that no span accounts for."""
    marked = _marked(len(task.text), spans)
    return [one for one in demands(task) if _share(task.text, one.span, marked) < ENOUGH]


def asked_quantities(task: TaskText) -> list[str]:
    """The quantities that the task wants in ``results.json``, in order: the first ticked words of each of its items."""
    found: list[str] = []
    for item in _items(_results_section(task.text)):
        head = re.split(r"\b(?:labels?|axis|axes|where|with|for each|as|over)\b|[({:;]", item, maxsplit=1)[0]
        names = _TICKED.findall(head) or [name for name in _TICKED.findall(item) if name in QUANTITIES][:1]
        names += [name for name in _TICKED.findall(item) if name in QUANTITIES]
        found += [name for name in names if name not in _NO_QUANTITY]
    return list(dict.fromkeys(found))


def _results_section(text: str) -> str:
    found = re.search(rf"^#+[^\n]*{re.escape(RESULTS)}[^\n]*\n(.*?)(?=^#+\s|\Z)", text, re.M | re.S)
    return found[1] if found else ""


def _items(section: str) -> list[str]:
    return [item.strip() for item in re.split(r"^\s*(?:[-*+]|\d+[.)])\s+", section, flags=re.M)[1:]]


def _orders(sentence: Sentence, before: Sequence[Sentence], plain: Clean) -> bool:
    """Whether a sentence orders something: by its verb, or as an item below a line that does."""
    text = sentence.text
    if orders(text):
        return True
    lead = _lead(sentence, before, plain)
    return lead is not None and orders(lead.text)


def _lead(sentence: Sentence, before: Sequence[Sentence], plain: Clean) -> Sentence | None:
    """The line below which a list item stands, which ends with a colon or in the middle of a clause; else None."""
    depth = _depth(sentence, plain)
    if depth is None:
        return None
    for earlier in reversed(before):
        if earlier.heading != sentence.heading or earlier.is_heading:
            return None
        above = _depth(earlier, plain)
        ends = earlier.text.rstrip()
        if above is None or (above < depth and ends.endswith(":")):
            return earlier if ends.endswith(":") or _GOES_ON.search(ends) or _HEAD_OF_LIST.fullmatch(ends) else None
    return None


def _depth(sentence: Sentence, plain: Clean) -> int | None:
    """How far a list item is indented; None for what is no item."""
    line = plain.text[: sentence.start].rpartition("\n")[2]
    return len(line) - len(line.lstrip()) if re.fullmatch(rf"\s*{ITEM}\s+", line) else None


def _clauses(sentence: Sentence) -> list[Span]:
    """A sentence cut before each further order in it, as offsets of the cleaned text."""
    starts = [match.start("verb") for match in ORDER.finditer(sentence.text)]
    cuts = [0, *starts[1:], len(sentence.text)]
    return [(sentence.start + a, sentence.start + b) for a, b in pairwise(cuts) if b > a]


def _demand(task: TaskText, plain: Clean, start: int, end: int) -> Demand:
    span = plain.span(start, end)
    return Demand(" ".join(task.text[slice(*span)].split()).strip(" ,;"), span)


def _marked(length: int, spans: Iterable[Span]) -> bytearray:
    marked = bytearray(length)
    for start, end in spans:
        marked[max(0, start) : min(length, end)] = b"\1" * max(0, min(length, end) - max(0, start))
    return marked


def _share(text: str, span: Span, marked: bytearray) -> float:
    places = [place for place in range(*span) if text[place].isalnum()]
    return sum(marked[place] for place in places) / len(places) if places else 1.0
