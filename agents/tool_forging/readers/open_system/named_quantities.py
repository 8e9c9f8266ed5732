"""Quantities by their names, where a text gives them no symbol: ``a detuning of 2 MHz``, ``lifetime 3 ns``."""

from __future__ import annotations

import re
from dataclasses import replace

from labwright.agents.tool_forging.readers.language.assignments import Assignment, phrase
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.numbers import Numbers, numbers_at
from labwright.agents.tool_forging.readers.language.units import kind

KELVINS = {"kelvin": 1.0, "millikelvin": 1e-3}

# What a quantity is called where a text gives it no symbol, or another one.
_CALLED: tuple[tuple[str, str], ...] = (
    ("Tphi", r"pure[- ]dephasing times?|T_?phi(?: time)?"),
    ("1/kappa", (
        r"(?:cavity|photons?|resonator|mode|field)(?:'s)?[- ](?:energy[- ])?"
        r"(?:(?:life|decay|storage|ring-?down|damping)[- ]?times?|time constant)"
    )),
    ("T1", (
        r"(?<!photon )(?<!cavity )(?<!resonator )(?<!mode )(?<!photon-)(?<!cavity-)(?<!field )"
        r"(?:energy[- ]|longitudinal |population )?(?:relaxation|decay|loss)[- ]times?|(?:radiative |energy |"
        r"excited-state |natural )?life-?times?|(?:decays?|relaxes|is lost|damped)(?: \w+)* (?:a )?time constant|"
        r"T_?1(?: time)?"
    )),
    ("T2", (
        r"(?<!pure )(?<!pure-)(?:(?:phase[- ])?(?:de)?coherence|dephasing|phase[- ]memory|transverse(?: relaxation|"
        r" decay)?)[- ]times?|T_?2(?: time)?"
    )),
    ("Omega", r"Rabi (?:angular )?(?:frequenc(?:y|ies)|rates?)|(?:drive|driving) (?:strength|amplitude)"),
    ("Delta", (
        r"(?:blue|red)?[- ]?detun(?:ings?|ed)(?:,? (?:\w+ ){0,3}minus (?:the )?\w+)?"
        r"(?:[ ](?:\w+[ ]){0,4}?by)?|off[- ]resonan\w+ by|(?:above|below) (?:the )?"
        r"(?:cavity|resonator|mode|transition|atom|qubit|resonance)(?:'s)?(?: \w+)? by"
    )),
    ("kappa", (
        r"(?:cavity|photons?|resonator|mirror|mode|field)(?:[- ]energy)?[- ](?:decay|loss(?:es)?|damping|leakage|"
        r"linewidth)(?: rate)?"
    )),
    ("g", (
        r"(?:(?:vacuum|atom-cavity|qubit-cavity|dipole|light-matter|jaynes-cummings)[- ])?"
        r"couplings?(?: strengths?| constants?| rates?)?"
    )),
    ("J", (
        r"exchange (?:coupling|interaction|strength)(?: strength| constant| rate)?|flip-flop (?:coupling|rate)|"
        r"swap(?:ping)? (?:coupling|rate)|hopping (?:rate|amplitude|strength)"
    )),
)  # fmt: skip
_OF_BODIES = ("Tphi", "T1", "T2")  # what several bodies have values of their own for
# Words that make a time one of the bath or of something else.
_FOREIGN_TIME = re.compile(
    r"(?:bath|correlation|memory|cut-?off|environment|reservoir|total|final)\W+(?:\w+\W+)?$", re.I
)


def called(body: Body, found: list[Assignment]) -> list[Assignment]:
    """Quantities by their names, as if they had been set with the usual symbols."""
    have = {one.key for one in found}
    made: list[Assignment] = []
    for symbol, words in _CALLED:
        if (
            symbol in have
            or symbol.removeprefix("1/") in have
            or (symbol == "T2" and "Tphi" in {one.key for one in made})
        ):
            continue
        spoken = _telling(body.text, words)
        if (
            spoken
            and not _FOREIGN_TIME.search(body.text[max(0, spoken[1] - 30) : spoken[1]])
            and not spoken[0].items[0].names
        ):
            same = next((one for one in found if one.start >= spoken[1] and one.end <= spoken[0].end + 1), None)
            if same is not None and kind(same.numbers.unit) not in {"time", ""}:
                continue
            numbers = _below(spoken[0]) if symbol == "Delta" and _is_below(body.text, spoken) else spoken[0]
            made.append(Assignment(symbol, numbers, spoken[1], spoken[0].end))
    return made


def _telling(text: str, words: str) -> tuple[Numbers, int] | None:
    """The place that gives a quantity: the first, or a later one that gives it several values of the same kind."""
    first = found = phrase(text, words)
    for _ in range(6):
        if found is None or first is None:
            return first
        if len(found[0].items) > 1 and kind(found[0].unit) == kind(first[0].unit):
            return found
        end = found[0].end
        found = phrase(re.sub(r"[^\n]", " ", text[:end]) + text[end:], words)
        if found is not None and found[0].end <= end:
            return first
    return first


def further(body: Body, found: list[Assignment]) -> list[Assignment]:
    """Times that are named once more behind the first, in case each belongs to a body of its own."""
    made: list[Assignment] = []
    for symbol, words in [one for one in _CALLED if one[0] in _OF_BODIES]:
        end = max((one.end for one in found if one.key == symbol), default=None)
        while end is not None:
            spoken = phrase(re.sub(r"[^\n]", " ", body.text[:end]) + body.text[end:], words)
            if spoken is None or spoken[0].end <= end:
                break
            end = spoken[0].end
            if kind(spoken[0].unit) in {"time", ""} and not spoken[0].items[0].names:
                made.append(Assignment(symbol, spoken[0], spoken[1], end))
    return made


def _is_below(text: str, spoken: tuple[Numbers, int]) -> bool:
    """Whether a detuning is of the atom below the cavity, or of the cavity above the atom."""
    inside = text[spoken[1] : spoken[0].start]
    clause = re.split(r"[.;\n]", text[: spoken[1]])[-1]
    below = bool(re.search(r"\bbelow\b|\bred\b", inside))
    cavity = bool(re.search(r"\b(?:cavity|resonator|mode)\W+(?:is|are|lies|sits)?\W*$", clause))
    return below != cavity


def _below(numbers: Numbers) -> Numbers:
    return replace(numbers, items=tuple(replace(one, text=f"-({one.text})") for one in numbers.items))


def temperatures(body: Body, found: list[Assignment]) -> list[Assignment]:
    """Several temperatures of a bath that the text gives no symbol."""
    if any(one.numbers.unit in KELVINS for one in found):
        return []
    for match in re.finditer(r"(?<![\w.])(?:(?:from|between)\s+)?(?=\d)", body.text):
        numbers = numbers_at(body.text, match.end() if match[0] == "" else match.start())
        if numbers and numbers.unit in KELVINS and len(numbers.items) > 1:
            return [Assignment("T", numbers, match.start(), numbers.end)]
    return []
