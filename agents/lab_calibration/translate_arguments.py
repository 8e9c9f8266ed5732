"""Which parameter each stated number, qubit and switch belongs to, by the words around it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from labwright.agents.lab_calibration.translate_words import NEUTRAL, stem, stems, words
from labwright.tools.experiments.call import ExperimentCard, ParameterCard
from labwright.tools.experiments.check_call import GROUP, PARTNER, QUBIT_PARAMETERS, stated
from labwright.tools.knowledge.quantities import Mention, canonical_unit, converted

# Lab English for parameters, by a word of the parameter's name.
CUES: dict[str, tuple[str, ...]] = {
    "start": tuple("start from begin minimum min lowest shortest".split()),
    "stop": tuple(
        "stop to until till through end up out window long longest max maximum most delay sequence for".split()
    ),
    "step": ("step", "increment", "resolution", "spacing"),
    "points": ("point", "samples", "values", "steps", "delay"),
    "shots": ("shot", "averages", "averaging", "avg"),
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
_PLUS_MINUS = re.compile(r"(?:±|\+/-|\+-|plus\s*(?:or|/)\s*minus|within)\s*$", re.IGNORECASE)
_WIDTH = re.compile(r"\b(?:span|width|wide|range|over|window)\b", re.IGNORECASE)
NAMED_SCORE = 5.0  # the parameter's whole name right before the number
RANGE_SCORE = 2.75  # an end of a written range; only a word right beside the number is stronger
REACH = 4  # words on either side in which a cue is looked for


@dataclass
class Assigned:
    """What an instruction sets.

    Attributes:
        arguments: parameter -> argument as code.
        unplaced: numbers that fit no parameter.
        ambiguous: numbers that fit several parameters equally well, with their names.
        rest: the instruction without its switches; numbers and qubits are still in it.
        widths: numbers that are the whole width of a sweep around zero.
    """

    arguments: dict[str, str] = field(default_factory=dict)
    unplaced: list[Mention] = field(default_factory=list)
    ambiguous: list[tuple[Mention, list[str]]] = field(default_factory=list)
    rest: str = ""
    widths: list[Mention] = field(default_factory=list)


def assign(instruction: str, card: ExperimentCard, variables: Mapping[str, Any]) -> Assigned:
    """Numbers, switches and variables of `instruction` as arguments of `card`; the qubit is found by `qubits_in`."""
    got = Assigned(rest=instruction)
    names = {parameter.name for parameter in card.parameters}
    _switches(got, card)
    _choices(got, card)
    _centred(got, card)
    # Numbers keep their places, so that switches are blanked and not cut.
    for mention, scores in _ranked(got.rest, card):
        if mention in got.widths:
            continue
        free = {name: score for name, score in scores.items() if name not in got.arguments}
        best = max(free.values(), default=0.0)
        winners = [name for name, score in free.items() if score == best]
        if best <= 0 or not winners:
            got.unplaced.append(mention)
        elif len(winners) > 1:
            got.ambiguous.append((mention, winners))
        else:
            got.arguments[winners[0]] = _code(mention, _parameter(card, winners[0]))
    _from_ranges(got, card)
    _settle(got, card)
    for name in variables:
        if name in names and name not in QUBIT_PARAMETERS and _uses(instruction, name):
            got.arguments[name] = name
            if (error := f"{name}_error") in names and error in variables:  # a measured number brings its error along
                got.arguments.setdefault(error, error)
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
        without = rf"\b(?:without|no)\s+(?:an?\s+|the\s+|any\s+)?{parameter.name}\b"
        if parameter.name == "update" and (match := NOT_UPDATE.search(got.rest)):
            got.arguments["update"] = "False"
        elif match := re.search(rf"\b{parameter.name}\s*=\s*(true|false)\b", got.rest, re.I):
            got.arguments[parameter.name] = match[1].capitalize()
        elif parameter.default is True and (match := re.search(without, got.rest, re.I)):
            got.arguments[parameter.name] = "False"
        if match:
            got.rest = got.rest[: match.start()] + " " * len(match.group()) + got.rest[match.end() :]


def _choices(got: Assigned, card: ExperimentCard) -> None:
    """A word where a parameter takes one of a few, which its description lists: "ghz, bell or plus."."""
    for parameter in card.parameters:
        if parameter.type != "str" or parameter.name in (*QUBIT_PARAMETERS, PARTNER, GROUP):
            continue
        listed = re.split(r",\s*(?:or\s+)?|\s+or\s+", parameter.description.partition(".")[0])
        if len(listed) < 2 or not all(re.fullmatch(r"\w+", word) for word in listed):
            continue
        said = words(got.rest)
        # "one" and the like are a choice only where they stand before what is chosen: "the one state"
        chosen = [
            word
            for word in listed
            if word in said and (word not in NEUTRAL or re.search(rf"\b{word}[\s-]{parameter.name}\b", got.rest, re.I))
        ]
        if len(chosen) == 1:
            got.arguments[parameter.name] = repr(chosen[0])


def _ranked(text: str, card: ExperimentCard) -> list[tuple[Mention, dict[str, float]]]:
    """Every stated number with its score for every parameter it could be, surest number first."""
    found = stated(text)
    scored = []
    keyed = True
    for i, mention in enumerate(found):
        left = text[found[i - 1].end if i else 0 : mention.start]
        right = text[mention.end : found[i + 1].start if i + 1 < len(found) else len(text)]
        fits = [p for p in card.parameters if _fits(mention, p)]
        keyed = keyed and _keyed(left, card)
        if keyed:  # "start 1 stop 5": the word behind a number belongs to the next one
            right = ""
        scores = {p.name: _score(mention, p, left, right, len(fits)) for p in fits}
        for name, place in (("start", i + 1), ("stop", i)):
            if name in scores and 0 < place < len(found) and _is_range(text, found[place - 1], found[place]):
                scores[name] = max(scores[name], RANGE_SCORE)
        scored.append((mention, scores))
    # Ties within one number are broken by taking the surer numbers first: "1 us to 20 us" settles stop before start.
    return sorted(scored, key=lambda item: -_margin(item[1]))


def _keyed(left: str, card: ExperimentCard) -> bool:
    """Whether a parameter's own name stands right before the number."""
    before = stems(re.split(r"[,;]|\.\s", left)[-1])
    return bool(before) and any(stems(parameter.name)[-1] == before[-1] for parameter in card.parameters)


def _is_range(text: str, left: Mention, right: Mention) -> bool:
    """Whether two neighbouring numbers are written as "1 to 20 us" or "between 1 and 20 us"."""
    joint = text[left.end : right.start].strip().lower()
    begins = text[: left.start].rstrip().lower()
    return joint in ("to", "-", "–", "until", "through", "up to") or (joint == "and" and begins.endswith("between"))


def _margin(scores: dict[str, float]) -> float:
    first, second = [*sorted(scores.values(), reverse=True), 0.0, 0.0][:2]
    return first - second


def _fits(mention: Mention, parameter: ParameterCard) -> bool:
    if parameter.type not in ("int", "float"):
        return False
    value = converted(mention.value, mention.unit, parameter.unit) if mention.unit else mention.value
    return value is not None and (parameter.type == "float" or value.is_integer())


def _score(mention: Mention, parameter: ParameterCard, left: str, right: str, rivals: int) -> float:
    """Nearness of the parameter's words; the only parameter with this dimension needs none."""
    written = re.escape(parameter.name).replace("_", "[ _-]")
    if re.search(rf"\b{written}\s*[=:]?\s*$", left, re.IGNORECASE):
        return NAMED_SCORE
    before = stems(re.split(r"[,;]|\.\s", left)[-1])[-REACH:][::-1]
    spoken = words(re.split(r"[,;=]|\.\s", right)[0])[:REACH]
    # "100 steps" counts steps, so a plural behind a pure number is no word for a parameter in the singular.
    counts = not mention.unit and not _is_plural(parameter.name)
    after = [word if counts and _is_plural(word) else stem(word) for word in spoken]
    if after[:2] == ["at", "most"]:
        after = ["most"]
    # A number's noun stands right behind it, unless a joining word begins another phrase.
    for i, word in enumerate(after):
        if word in ("and", "to", "with", "from", "until", "for", "in", "at", "of"):
            after = after[:i] or (after[:1] if word == "of" else [])
            break
    own = set(stems(parameter.name))
    spelled = [word for part in parameter.name.split("_") for word in CUES.get(part, ())]
    cues = own | {stem(word) for word in spelled} | {word for word in spelled if _is_plural(word)}
    score = 1.0 if mention.unit and rivals == 1 and _inside(mention, parameter) else 0.0
    for side, weight in ((before, 3.0), (after, 3.5)):
        for distance, word in enumerate(side):
            if word in cues:
                strength = weight - 0.5 * distance - (1.5 if word in WEAK else 0.0) + (0.25 if word in own else 0.0)
                score = max(score, strength)
    return score if mention.unit or not canonical_unit(parameter.unit) or score >= 2.0 else 0.0


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith("ss")


def _centred(got: Assigned, card: ExperimentCard) -> None:
    """The one number that is called a width, of a sweep around zero, as two ends."""
    parameters = {parameter.name: parameter for parameter in card.parameters}
    start, stop = parameters.get("start"), parameters.get("stop")
    if start is None or stop is None or not (isinstance(start.default, float) and start.default == -stop.default):
        return
    fitting = [mention for mention in stated(got.rest) if mention.unit and mention.within(stop.unit) is not None]
    told = [
        mention
        for mention in fitting
        if _WIDTH.search(_near(got.rest, mention)) and not _PLUS_MINUS.search(got.rest[: mention.start])
    ]
    ends = any(_is_range(got.rest, left, right) for left, right in pairwise(fitting))
    if len(told) == 1 and not ends:
        half = (told[0].within(stop.unit) or 0.0) / 2
        got.arguments |= {"start": repr(-half), "stop": repr(half)}
        got.widths = told


def _near(text: str, mention: Mention) -> str:
    return f"{text[max(0, mention.start - 25) : mention.start]} {text[mention.end : mention.end + 12]}"


def _from_ranges(got: Assigned, card: ExperimentCard) -> None:
    """Numbers that the card takes in another form: a width as two ends around zero, a count of points as a step."""
    parameters = {parameter.name: parameter for parameter in card.parameters}
    start, stop, step = (parameters.get(name) for name in ("start", "stop", "step"))
    if start is None or stop is None:
        return
    around_zero = isinstance(start.default, float) and start.default == -stop.default
    for mention in list(got.unplaced):
        width = mention.within(stop.unit) if mention.unit else None
        told = _WIDTH.search(_near(got.rest, mention)) or _PLUS_MINUS.search(got.rest[: mention.start])
        if width is not None and told and around_zero and not {"start", "stop"} & set(got.arguments):
            half = width if _PLUS_MINUS.search(got.rest[: mention.start]) else width / 2
            got.arguments |= {"start": repr(-half), "stop": repr(half)}
            got.unplaced.remove(mention)
    for mention in list(got.unplaced):
        counts = not mention.unit and re.match(r"[\s-]*(?:\w+ )?(?:points|steps|values)\b", got.rest[mention.end :])
        if counts and mention.value > 1 and step is not None and "step" not in got.arguments:
            ends = [float(got.arguments.get(p.name, p.default)) for p in (start, stop)]
            got.arguments["step"] = repr(float(f"{(ends[1] - ends[0]) / (mention.value - 1):.12g}"))
            got.unplaced.remove(mention)


def _settle(got: Assigned, card: ExperimentCard) -> None:
    """Numbers without a place: said twice, or fitting several parameters with no word to tell which."""
    placed = [(p, got.arguments[p.name]) for p in card.parameters if p.name in got.arguments]
    for mention in list(got.unplaced):
        fits = [p for p in card.parameters if p.name not in got.arguments and _fits(mention, p) and _inside(mention, p)]
        said = any(_fits(mention, p) and _code(mention, p) == code for p, code in placed if p.type in ("int", "float"))
        if said or fits:
            got.unplaced.remove(mention)
        if fits and not said:
            got.ambiguous.append((mention, [p.name for p in fits]))


def _inside(mention: Mention, parameter: ParameterCard) -> bool:
    if parameter.minimum is None or parameter.maximum is None:
        return False
    return parameter.minimum <= float(_code(mention, parameter)) <= parameter.maximum


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
