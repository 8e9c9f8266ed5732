"""Which parameter each stated number, qubit and switch belongs to, by the words around it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from labwright.agents.lab_calibration.translate_words import stem, stems
from labwright.tools.experiments.call import ExperimentCard, ParameterCard
from labwright.tools.experiments.check_call import QUBIT_PARAMETERS, derived, stated
from labwright.tools.knowledge.quantities import Mention, canonical_unit, converted

# Lab English for parameters, by a word of the parameter's name.
CUES: dict[str, tuple[str, ...]] = {
    "start": ("start", "from", "begin", "minimum", "lowest"),
    "stop": (
        "stop",
        "to",
        "until",
        "till",
        "through",
        "end",
        "maximum",
        "up",
        "out",
        "window",
        "long",
        "longest",
        "for",
    ),
    "step": ("step", "increment", "resolution", "spacing"),
    "points": ("point", "samples", "values", "steps"),
    "shots": ("shot", "averages", "averaging"),
    "amplitude": ("amplitude", "amp", "drive", "power"),
    "amp": ("amplitude", "amp", "drive"),
    "offset": ("offset", "detuning", "detuned"),
    "span": ("span", "range", "width", "window", "over", "wide"),
    "range": ("span", "range", "width", "window", "over", "wide"),
    "center": ("center", "centre", "around", "centered", "centred", "near", "at"),
    "centre": ("center", "centre", "around", "centered", "centred", "near", "at"),
    "frequency": ("frequency", "at", "around"),
    "length": ("length", "cliffords", "longest", "up", "to"),
    "kinds": ("kinds", "seeds", "randomizations", "sequences", "random"),
    "duration": ("duration", "long", "pulse"),
}
WEAK = frozenset(
    map(stem, ("to", "for", "up", "out", "at", "over", "through", "drive", "sequences", "random", "pulse"))
)
NOT_UPDATE = re.compile(
    r",?\s*(?:\b(?:but|and|then)\s+)?(?:\bwithout\s+(?:any\s+)?(?:updat\w+|changing|writing|touching|saving)"
    r"|\b(?:do not|don't|never)\s+(?:update|change|write|touch|save)|\bno\s+updates?\b"
    r"|\b(?:leave|leaving|keep|keeping)\s+(?=[^.,;]*\b(?:alone|unchanged|untouched|as (?:they are|it is))\b)"
    r"|\bupdate\s*=\s*false)[^.,;]*?(?=\s+\d|[.,;]|\s+(?:with|to|on|for|from|until)\b|$)",
    re.IGNORECASE,
)
REACH = 4  # words on either side in which a cue is looked for


@dataclass
class Assigned:
    """What an instruction sets.

    Attributes:
        arguments: parameter -> argument as code.
        unplaced: numbers that fit no parameter.
        ambiguous: numbers that fit several parameters equally well, with their names.
        rest: the instruction without its switches; numbers and qubits are still in it.
    """

    arguments: dict[str, str] = field(default_factory=dict)
    unplaced: list[Mention] = field(default_factory=list)
    ambiguous: list[tuple[Mention, list[str]]] = field(default_factory=list)
    rest: str = ""


def assign(instruction: str, card: ExperimentCard, variables: Mapping[str, Any]) -> Assigned:
    """Numbers, switches and variables of `instruction` as arguments of `card`; the qubit is found by `qubits_in`."""
    got = Assigned(rest=instruction)
    names = {parameter.name for parameter in card.parameters}
    _switches(got, card)
    # Numbers keep their places, so that switches are blanked and not cut.
    for mention, scores in _ranked(got.rest, card):
        best = max(scores.values(), default=0.0)
        winners = [name for name, score in scores.items() if score == best and name not in got.arguments]
        if best <= 0 or not winners:
            got.unplaced.append(mention)
        elif len(winners) > 1:
            got.ambiguous.append((mention, winners))
        else:
            got.arguments[winners[0]] = _code(mention, _parameter(card, winners[0]))
    _from_ranges(got, card)
    for name in variables:
        if name in names and name not in QUBIT_PARAMETERS and _uses(instruction, name):
            got.arguments[name] = name
    got.arguments = {p.name: got.arguments[p.name] for p in card.parameters if p.name in got.arguments}
    return got


def qubits_in(instruction: str, qubits: Sequence[str]) -> list[str]:
    """The qubits an instruction names, the device's spelling where it has them, unknown ones as written."""
    known = {qubit.lower(): qubit for qubit in qubits}
    pattern = "|".join([*map(re.escape, sorted(known, key=len, reverse=True)), r"q\d+"])
    found = [m.group() for m in re.finditer(rf"(?<![\w-])(?:{pattern})(?![\w*])", instruction, re.I)]
    spoken = re.findall(r"\bqubit (?:number |no\.? |#)?(\d+)\b", instruction, re.I)
    named = [known.get(word.lower(), word.upper()) for word in found]
    named += [known.get(f"q{digits}", f"Q{digits}") for digits in spoken]
    return list(dict.fromkeys(named))


def _switches(got: Assigned, card: ExperimentCard) -> None:
    for parameter in card.parameters:
        if parameter.type != "bool":
            continue
        if parameter.name == "update" and (match := NOT_UPDATE.search(got.rest)):
            got.arguments["update"] = "False"
        elif match := re.search(rf"\b{parameter.name}\s*=\s*(true|false)\b", got.rest, re.I):
            got.arguments[parameter.name] = match[1].capitalize()
        if match:
            got.rest = got.rest[: match.start()] + " " * len(match.group()) + got.rest[match.end() :]


def _ranked(text: str, card: ExperimentCard) -> list[tuple[Mention, dict[str, float]]]:
    """Every stated number with its score for every parameter it could be, surest number first."""
    found = stated(text)
    scored = []
    for i, mention in enumerate(found):
        left = text[found[i - 1].end if i else 0 : mention.start]
        right = text[mention.end : found[i + 1].start if i + 1 < len(found) else len(text)]
        fits = [p for p in card.parameters if p.type in ("int", "float") and _fits(mention, p)]
        scores = {p.name: _score(mention, p, left, right, len(fits)) for p in fits}
        scored.append((mention, scores))
    # Ties within one number are broken by taking the surer numbers first: "1 us to 20 us" settles stop before start.
    return sorted(scored, key=lambda item: -_margin(item[1]))


def _margin(scores: dict[str, float]) -> float:
    first, second = [*sorted(scores.values(), reverse=True), 0.0, 0.0][:2]
    return first - second


def _fits(mention: Mention, parameter: ParameterCard) -> bool:
    value = converted(mention.value, mention.unit, parameter.unit) if mention.unit else mention.value
    return value is not None and (parameter.type == "float" or value.is_integer())


def _score(mention: Mention, parameter: ParameterCard, left: str, right: str, rivals: int) -> float:
    """Nearness of the parameter's words; the only parameter with this dimension needs none."""
    before = stems(re.split(r"[,;]|\.\s", left)[-1])[-REACH:][::-1]
    after = stems(re.split(r"[,;=]|\.\s", right)[0])[:REACH]
    # A number's noun stands right behind it, unless a joining word begins another phrase.
    for i, word in enumerate(after):
        if word in ("and", "to", "with", "from", "until", "for", "in", "at", "of"):
            after = after[:i] or (after[:1] if word == "of" else [])
            break
    own = set(stems(parameter.name))
    cues = own | {stem(word) for part in parameter.name.split("_") for word in CUES.get(part, ())}
    score = 1.0 if mention.unit and rivals == 1 else 0.0
    for side, weight in ((before, 3.0), (after, 3.5)):
        for distance, word in enumerate(side):
            if word in cues:
                strength = weight - 0.5 * distance - (1.5 if word in WEAK else 0.0) + (0.25 if word in own else 0.0)
                score = max(score, strength)
    return score if mention.unit or not canonical_unit(parameter.unit) or score >= 2.0 else 0.0


def _from_ranges(got: Assigned, card: ExperimentCard) -> None:
    """Numbers of a range that the card takes in another form: a width for a span, a count of points for a step."""
    for wanted in ("span", "points"):
        parameter = next((p for p in card.parameters if p.name == wanted), None)
        if parameter is None or wanted in got.arguments or not got.unplaced:
            continue
        for number, unit in derived(got.rest):
            value = converted(number, unit, parameter.unit)
            if value is not None and bool(unit) == bool(canonical_unit(parameter.unit)):
                got.arguments[wanted] = _literal(value, parameter)
                got.unplaced = [m for m in got.unplaced if bool(m.unit) is False]
                break


def _uses(instruction: str, name: str) -> bool:
    spoken = re.escape(name).replace("_", r"[\s_-]")
    return bool(re.search(rf"\b(?:measured|using|use|known|with|given)\b[^.;]*\b{spoken}\b(?!\s*=)", instruction, re.I))


def _code(mention: Mention, parameter: ParameterCard) -> str:
    value = converted(mention.value, mention.unit, parameter.unit) if mention.unit else mention.value
    assert value is not None  # `_fits` has converted it before
    return _literal(value, parameter)


def _literal(value: float, parameter: ParameterCard) -> str:
    return repr(int(value)) if parameter.type == "int" else repr(float(value))


def _parameter(card: ExperimentCard, name: str) -> ParameterCard:
    return next(parameter for parameter in card.parameters if parameter.name == name)
