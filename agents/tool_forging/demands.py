"""What a task asks for, sentence by sentence, and what of it a set of readings leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from labwright.agents.tool_forging.readers.base import Span, TaskText
from labwright.agents.tool_forging.readers.language.clean import Clean, clean
from labwright.agents.tool_forging.readers.language.sentences import Sentence, sentences

RESULTS = "results.json"  # the heading below which a task says what it wants there
ENOUGH = 0.25  # of a demand's letters that have to lie in spans for it to count as read

# Quantities that families write; a family may bring its own, see `quantities_of`.
QUANTITIES = frozenset(
    "counts expectation population fidelity pulse coherence purity entropy magnetisation energy energy_per_site"
    " occupation double_occupancy string_order critical_point steady_state coordinates point_group dipole"
    " homo_lumo_gap orbital_energies mulliken_charges frequencies enthalpy gibbs reaction_enthalpy reaction_gibbs"
    " ring_strain pka excitation_energy oscillator_strength singlet_triplet_gap".split()
)

_VERBS = (
    "add animate apply benchmark build calculate calibrate characterise characterize check classify compare compute"
    " construct convert create decompose design derive determine diagonalise diagonalize draw encode estimate evaluate"
    " evolve extract extrapolate factorise factorize find fit generate give identify implement include infer integrate"
    " investigate locate maximise maximize measure minimise minimize model obtain optimise optimize perform plot"
    " predict prepare print produce propagate prove provide quantify record relax repeat report reproduce run sample"
    " scan show simulate solve study sweep tabulate test train transpile verify visualise visualize vary"
).split()
_VERB = re.compile(rf"(?<![\w-])(?:{'|'.join(_VERBS)})(?![\w-])", re.I)
# An order begins a sentence or a clause; "the plot shows" and "to find" inside a sentence are none.
_ORDER = re.compile(
    rf"(?:^|[,;:]\s+(?:and\s+|then\s+|also\s+|finally\s+){{0,3}}|\b(?:and|then|also|finally|please|must|should|to|you)\s+)"
    rf"(?:(?:also|then|finally|first|please)\s+){{0,3}}(?P<verb>{'|'.join(_VERBS)})(?![\w-])",
    re.I,
)
_WISH = re.compile(
    r"\b(?:I|we) (?:want|need|would like|wish|ask)\b|\bwhat (?:is|are)\b|\bhow (?:many|much|does|do)\b", re.I
)

# Wishes about how it is told. The report of every family states method, conventions, tables and what numbers mean.
_PROSE = re.compile(
    r"^\W*(?:(?:also|then|finally|please|in the report,?|in a report,?|briefly|clearly|carefully)\s+)*(?:"
    r"analy[sz]e|explain|discuss|comment|interpret|describe|summari[sz]e|conclude|state|justify|document|mention|note|"
    r"reflect|write (?:a|the|your|up)|(?:write|save|store|keep|put) (?:all|the|your|everything|them|it)\b|"
    r"(?:report|present|provide|give|include|show|add|prepare|produce) (?:a |an |the |your |all |any )?(?:(?:short|"
    r"brief|clear|concise|detailed|thorough|physical|final|complete|full|proper|publication[- ]quality)\s+)*"
    r"(?:analys[ei]s|explanations?|discussions?|interpretations?|comments?|descriptions?|summar(?:y|ies)|conclusions?|"
    r"reports?|documentation|comparison|insights?|scripts?|code|assumptions?|methods?|methodology|labels?|legends?|"
    r"titles?|captions?|axes|units|colou?rs?)|"
    r"label|annotate|(?:use|choose) (?:clear|distinct|readable|consistent|good|suitable|proper|publication|legible)|"
    r"(?:make|be) (?:sure|clear|explicit|careful)|ensure|make (?:the|all|your|each|every) (?:plots?|figures?|report)|"
    r"compare your (?:results?|answer)|check (?:your|that|whether|the (?:results?|convergence|normali[sz]ation|units))"
    r")",
    re.I,
)
_STYLE = re.compile(
    r"publication[- ]quality|well[- ]labell?ed|report\.md|in (?:one|a single|your) (?:markdown )?report|as (?:png|pdf)"
    r"|script|dpi\b|font|legend",
    re.I,
)
_NO_QUANTITY = frozenset({"parameters", "records", "labels", "axes", "value", "unit"})  # of the file's own form
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
        if sentence.is_heading or RESULTS in sentence.heading or not _orders(sentence, every[:index], plain):
            continue
        found += [_demand(task, plain, start, end) for start, end in _clauses(sentence)]
    return [one for one in found if not _about_telling(one.words)]


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
    if _ORDER.search(text) or _WISH.search(text):
        return True
    lead = _lead(sentence, before, plain)
    return lead is not None and bool(_ORDER.search(lead.text) or _WISH.search(lead.text))


def _lead(sentence: Sentence, before: Sequence[Sentence], plain: Clean) -> Sentence | None:
    """The line with a colon at its end below which a list item stands; None for what is no item."""
    if not _is_item(sentence, plain):
        return None
    for earlier in reversed(before):
        if earlier.heading != sentence.heading or earlier.is_heading:
            return None
        if not _is_item(earlier, plain):
            return earlier if earlier.text.rstrip().endswith((":", "contains", "of")) else None
    return None


def _is_item(sentence: Sentence, plain: Clean) -> bool:
    line = plain.text[: sentence.start].rpartition("\n")[2]
    return bool(re.fullmatch(r"\s*(?:[-*+]|\d+[.)])\s+", line))


def _clauses(sentence: Sentence) -> list[Span]:
    """A sentence cut before each further order in it, as offsets of the cleaned text."""
    starts = [match.start("verb") for match in _ORDER.finditer(sentence.text)]
    cuts = [0, *starts[1:], len(sentence.text)]
    return [(sentence.start + a, sentence.start + b) for a, b in pairwise(cuts) if b > a]


def _demand(task: TaskText, plain: Clean, start: int, end: int) -> Demand:
    span = plain.span(start, end)
    return Demand(" ".join(task.text[slice(*span)].split()).strip(" ,;"), span)


def _about_telling(words: str) -> bool:
    if _PROSE.match(words):
        return True
    return bool(_STYLE.search(words)) and not re.search(r"\d", words) and len(words) < 160


def _marked(length: int, spans: Iterable[Span]) -> bytearray:
    marked = bytearray(length)
    for start, end in spans:
        marked[max(0, start) : min(length, end)] = b"\1" * max(0, min(length, end) - max(0, start))
    return marked


def _share(text: str, span: Span, marked: bytearray) -> float:
    places = [place for place in range(*span) if text[place].isalnum()]
    return sum(marked[place] for place in places) / len(places) if places else 1.0
