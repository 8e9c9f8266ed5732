"""The grammar: a description in words becomes a reading, with doubts where it is unsure and the words where it is lost.

It knows sentence shapes, not experiments. Every number and every chemical of the text has to be taken by some pattern;
what no pattern took is handed back word for word.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

from labwright.agents.call import Refusal
from labwright.agents.protocol_design.answers import name_in, substance_in
from labwright.agents.protocol_design.grammar.amounts import COUNTS
from labwright.agents.protocol_design.grammar.assemble import Assembly
from labwright.agents.protocol_design.grammar.controls import Controls, control_groups, read_controls
from labwright.agents.protocol_design.grammar.marked import MARK, Marked, marked, single
from labwright.agents.protocol_design.grammar.portions import read_portions
from labwright.agents.protocol_design.grammar.stocks import (
    A,
    C,
    dimension_of,
    join_members,
    read_nouns,
    read_stocks,
    resolve_its,
)
from labwright.agents.protocol_design.grammar.treatments import Treated, read_treatments
from labwright.agents.protocol_design.names import choices_of, find_chemicals
from labwright.agents.protocol_design.reading import Amount, Dilution, Doubt, Reading, Settled
from labwright.tools.chemistry.quantities import parse_quantity
from labwright.tools.errors import InputError

LEAVE_OUT = "leave it out"
UNREAD = "not understood: "
_COUNT = "|".join(COUNTS)
_STEM = (
    rf"(?P<n>{_COUNT}|{A})\s+(?:\w+\s+){{0,3}}?"
    r"(?:samples|vials|standards|solutions|reactions|mixtures|compositions)\b(?!\s+(?:of|for|per)\s+each)"
)
_DILUTES = re.compile(
    rf"dilut\w*[^.]*?(?:\bDF\b|dilution factor|factor)[^.<]*(?P<a>{A})"
    rf"|dilut\w*[^.<]*?(?P<b>{A})[- ]?fold|(?P<c>{A})[- ]?fold\s+dilut",
    re.IGNORECASE,
)
# A sentence without numbers or chemicals that still orders something this grammar has no step for.
_ORDERS = re.compile(
    r"\b(?:filter|centrifug|evaporat|extract|sonicat|irradiat|purg|degas|distil|wash|titrat|quench|crystalli|measure|inject|weld|freeze)\w*\b",
    re.IGNORECASE,
)
# Words that change what a sentence means; unless a pattern has read them, the sentence is not understood.
_TURNS = re.compile(
    r"\b(?:except|excluding|unless|otherwise|instead|respectively|alternat\w*|either|if|serial\w*|blanks?|controls?"
    r"|twice as|times (?:as|more|less)|double|triple|random\w*|every (?:other|second)|others?|but not|never|gradually"
    r"|dropwise|lack(?:s|ing)?|omit\w*|missing|nothing but|another|(?:extra|additional|further) (?:vials?|samples?)"
    r"|(?:vials?|samples?) (?:of (?:pure|neat|plain)|but)"
    r"|(?P<limits>only|half)|(?P<negates>without|not|no))\b",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    rf"(?P<a>{A})\s+of\s+(?P<u>(?!(?:one|any|these|those|its|their|the|each|a|an|stock|solution|it|them|this|total|vials?|samples?|every|both)\b)"
    r"[A-Za-z][\w-]*(?:\s+(?!in\b|and\b|or\b|with\b|to\b|at\b|into\b|per\b|for\b)[a-z][\w-]*)?)"
)
_SERIES_OF = re.compile(
    rf"\b(?:series|samples|standards|solutions|mixtures)\s+(?:of|for)\s+(?P<u>(?!the\b|a\b)[A-Za-z][\w-]*)\s+(?=(?:in|and)\s+{C})"
)


@dataclass
class Heard:
    """What the person has settled: answers by the doubt's id."""

    answers: dict[str, str] = field(default_factory=dict)

    def amounts(self, measures: str) -> dict[str, Amount]:
        """The answers that are quantities of a dimension."""
        found = {}
        for name, answer in self.answers.items():
            try:
                quantity = parse_quantity(answer)
            except InputError:
                continue
            if dimension_of(quantity.unit) == measures:
                found[name] = Amount(value=quantity.value, unit=quantity.unit, words=answer)
        return found


def read(words: str, settled: list[Settled]) -> Reading | Refusal:
    """The reading of `words`, given what has been settled since."""
    heard = Heard({item.id: item.answer for item in settled})
    text = marked(words, find_chemicals)
    _rename(text, heard)
    stocks = read_stocks(text)
    nouns = read_nouns(text)
    join_members(text)
    resolve_its(text)
    _mark_unknown(text)
    _rename(text, heard)
    if not text.chemicals:
        return Refusal(reason=f"No chemical is named. {UNREAD}{_short(words)}")
    doubts = _chemicals(text)
    main, after = _split(text, heard)
    controls = read_controls(text, main)
    treated = read_treatments(text, controls.rest, _settings(heard))
    found = read_portions(text, controls.rest)
    vials = _promised(text, controls.rest)
    assembly = Assembly(text, nouns, found, stocks, treated.times, vials, heard.answers, heard.amounts("volume"))
    group = assembly.group()
    beside = control_groups(controls, assembly, group)
    workup, late = _workup(text, after, assembly.fill_name, heard)
    nothing = all(dose.kind == "remainder" for dose in group.doses)
    if nothing and not doubts and not assembly.doubts:
        return Refusal(reason=f"No amount of any chemical could be read. {UNREAD}{_short(words)}")
    return Reading(
        title=_short(words, 80),
        chemicals=assembly.substances(workup),
        stocks=assembly.stocks,
        groups=[group, *beside],
        conditions=treated.steps,
        cap=treated.cap,
        vial_volume=None,
        workup=workup,
        doubts=_open([*doubts, *assembly.doubts, *controls.doubts, *treated.doubts, *late]),
        not_understood=_lost(text, [*main, *after], [*controls.rest, *after], controls, assembly, treated),
    )


def _settings(heard: Heard) -> dict[str, Amount]:
    """Answers about treatments: times and temperatures."""
    return {**heard.amounts("time"), **heard.amounts("temperature")}


def lost_id(words: str) -> str:
    """A short id for words that were not understood; the same for the same words."""
    return f"words {hashlib.sha256(words.encode()).hexdigest()[:8]}"


def _open(doubts: list[Doubt]) -> list[Doubt]:
    """One doubt an id. A doubt that an answer did not settle stays: whoever asked can see that."""
    return list({doubt.id: doubt for doubt in doubts}.values())


def _short(words: str, most: int = 160) -> str:
    flat = " ".join(words.split())
    return flat if len(flat) <= most else f"{flat[: most - 1].rsplit(' ', 1)[0]}…"


def _mark_unknown(text: Marked) -> None:
    """Words that stand where a chemical must stand."""
    for pattern in (_UNKNOWN, _SERIES_OF):

        def change(match: re.Match[str]) -> str:
            amount = match.groupdict().get("a")
            if amount and dimension_of(text.amount(amount[1:-1]).unit) not in ("mass", "moles", "volume", "equiv"):
                return match.group()
            text.chemicals.append(match["u"])
            return match.group().replace(match["u"], f"<C{len(text.chemicals) - 1}>", 1)

        text.text = pattern.sub(change, text.text)


def _rename(text: Marked, heard: Heard) -> None:
    """Put what the person meant in the place of an ambiguous or unknown name; an answer that is no name stays out."""
    text.chemicals = [name_in(heard.answers.get(f"chemical:{name}")) or name for name in text.chemicals]


def _chemicals(text: Marked) -> list[Doubt]:
    """Doubts about names that stand for several substances or for none that is known."""
    doubts = []
    for name in dict.fromkeys(text.chemicals):
        options = choices_of(name)
        if options is None:
            continue
        what = f"Which {name!r} is meant?" if options else f"{name!r} is not in the table of chemicals. What is it?"
        says = "Its molar mass and density, and so every volume of it, depend on the answer." if options else ""
        default = options[0] if options else None
        doubts.append(Doubt(id=f"chemical:{name}", text=what, options=options, default=default, consequence=says))
    return doubts


def _split(text: Marked, heard: Heard) -> tuple[list[str], list[str]]:
    """Sentences up to a dilution of a portion, and from there on, without those that the person leaves out."""
    sentences = [one for one in text.sentences() if heard.answers.get(lost_id(text.words_of(one))) != LEAVE_OUT]
    at = next((i for i, sentence in enumerate(sentences) if _DILUTES.search(sentence)), len(sentences))
    return sentences[:at], sentences[at:]


def _promised(text: Marked, sentences: list[str]) -> int | None:
    """How many vials or samples the text says there are."""
    for sentence in sentences:
        for match in re.finditer(_STEM, sentence, re.IGNORECASE):
            if not match["n"].startswith("<"):
                return COUNTS[match["n"].lower()]
            item = text.amount(match["n"][1:-1])
            if not item.unit and len(item.values) == 1 and match["n"][1:-1] not in text.used:
                text.use(match["n"][1:-1])
                return int(item.values[0])
    return None


def _workup(
    text: Marked, sentences: list[str], solvent: str | None, heard: Heard
) -> tuple[Dilution | None, list[Doubt]]:
    if not sentences:
        return None, []
    match = _DILUTES.search(sentences[0])
    assert match is not None
    factor = next(mark[1:-1] for mark in (match["a"], match["b"], match["c"]) if mark)
    volumes = [m[1:-1] for m in re.findall(A, sentences[0]) if dimension_of(text.amount(m[1:-1]).unit) == "volume"]
    named = re.search(rf"\b(?:with|in|into)\s+(?P<x>{C})", sentences[0])
    diluent = text.name(named["x"][1:-1]) if named else substance_in(heard.answers.get("diluent"))
    doubts = []
    if diluent is None:
        says = f"The portions are diluted with {solvent}, which the reactions are made up with." if solvent else ""
        doubts.append(
            Doubt(
                id="diluent", text="With what are the portions diluted?", options=[], default=solvent, consequence=says
            )
        )
    total = single(text.amount(volumes[0])) if volumes else heard.amounts("volume").get("diluted volume")
    if total is None:
        doubts.append(
            Doubt(
                id="diluted volume",
                text="To which total volume are the portions diluted?",
                options=[],
                default=None,
                consequence="",
            )
        )
    strength = text.amount(factor)
    if strength.unit or len(strength.values) != 1:
        what = f"By which factor are the portions diluted? {strength.words!r} is not one number."
        doubts.append(Doubt(id="dilution factor", text=what, options=[], default=None, consequence=""))
        return None, doubts
    text.use(factor, *volumes[:1], named["x"][1:-1] if named else None)
    treated = read_treatments(text, sentences, _settings(heard), afterwards=True)
    if diluent is None or total is None:
        return None, [*doubts, *treated.doubts]
    one = Dilution(
        factor=single(strength),
        convention="total",
        total_volume=total,
        diluent=diluent,
        conditions=treated.steps,
    )
    return one, treated.doubts


def _lost(
    text: Marked, whole: list[str], sentences: list[str], controls: Controls, assembly: Assembly, treated: Treated
) -> list[str]:
    """Sentences with a number or a chemical that no pattern took, or with an order that no step can do.

    Args:
        whole: the sentences as they are handed back; `sentences` are the same without the controls that were read.
    """
    known = assembly.names()
    lost = []
    for number, sentence in enumerate(sentences):
        marks = [kind + number for kind, number in MARK.findall(sentence)]
        left = [mark for mark in marks if mark[0] == "A" and mark not in text.used]
        left += [mark for mark in marks if mark[0] == "C" and text.name(mark) not in known]
        digits = re.search(r"(?<![A-Za-z<\d])\d", MARK.sub(" ", sentence))
        turned = _turned(sentence, assembly.found.limited, treated.negated)
        if left or digits or turned or _ORDERS.search(sentence) or number in controls.unread:
            lost.append(text.words_of(whole[number]))
    return lost


def _turned(sentence: str, limited: list[str], negated: list[str]) -> bool:
    """Whether the sentence holds a word that changes its meaning and that no pattern has read."""
    for match in _TURNS.finditer(sentence):
        read_limits = match["limits"] and sentence in limited
        read_negates = match["negates"] and sentence in negated
        if not (read_limits or read_negates):
            return True
    return False
