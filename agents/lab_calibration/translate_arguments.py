"""Which parameter each stated number, qubit and switch belongs to, by the words around it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

from labwright.agents.lab_calibration.switches import choices, switches
from labwright.agents.lab_calibration.word_forms import stem, stems, words
from labwright.tools.experiments.call import ExperimentCard, ParameterCard
from labwright.tools.experiments.check_call import QUBIT_PARAMETERS
from labwright.tools.experiments.stated import BELOW, BOTH_SIDES, names_card, stated
from labwright.tools.experiments.wording import parameter_words
from labwright.tools.knowledge.quantities import Mention, angles, canonical_unit, converted

WEAK = frozenset(
    map(
        stem,
        "to for up out at over through drive sequences random pulse and from of each long off on n time long all across"
        " between frequency pulses measurements each max most level tone loops".split(),
    )
)
# "4000 shots for each point", "per setting": what is done at every point is repeated.
_EACH = re.compile(
    r"\b(?:per|(?:(?:of|for|at|in)\s+)?(?:each|every)|an?)\s+(?:of\s+the\s+)?(?:prepared\s+|measurement\s+"
    r"|tomography\s+|random\s+|pulse\s+|single\s+)?"
    r"(?:points?|settings?|sequences?|delays?|states?|preparations?|frequency|coefficient|step|amplitude|basis"
    r"|bases|circuits?|experiment|trace|value|pulse length|waiting time)\b",
    re.IGNORECASE,
)
_PER_LENGTH = re.compile(
    r"\b(?:per|an?|(?:(?:of|for|at)\s+)?(?:each|every))\s+(?:sequence\s+)?(?:lengths?|depths?)\b", re.IGNORECASE
)
_PER_STEP = re.compile(r"\s*(?:per|(?:for |at )?each|every|an?)\s+(?:step|point)\b", re.IGNORECASE)
_CHUNK = re.compile(r"[,;|/()]|\.\s|\s[-–—]\s|\[\d\]")
_PLUS_MINUS = re.compile(r"(?:±|\+/-|\+-|\bpm|plus[\s-]*(?:(?:or|and|/)[\s-]*)?minus|within)\s*$", re.IGNORECASE)
_WIDTH = re.compile(r"\b(?:span\w*|width|wide|range|over|window|broad|across|total)\b", re.IGNORECASE)
_ABOVE = re.compile(r"\s*(?:above|over|higher|to the right|right of|more than|beyond|blue of)\b", re.IGNORECASE)
_ERROR = re.compile(r"\b(?:error|uncertainty|sigma)\b|±|\+/?-|\bplus[ -](?:or[ -])?minus\b", re.IGNORECASE)
_OF_THEM = re.compile(r"\s*(?:of them|altogether|in all|in total)\b", re.IGNORECASE)
_NUMBER_OF = re.compile(r"\b(?:number|count|amount) of\b", re.IGNORECASE)
_HEAD = re.compile(r"\s+(?:of|per|for|in|at)\s+.*$", re.IGNORECASE)  # what only says where something is counted
_LIMIT = re.compile(r"\s*(?:times|[x×])\s+(?:(?:the|that|its|coherence)\s+)*limit\b", re.IGNORECASE)
# "200 ns for each of its two pulses" is the pulses' duration
_EACH_OF = re.compile(
    r"^\s*(?:for|of|in|per)\s+(?:each|every|both|one)\s+(?:of\s+)?(?:(?:its|the|their|both|two)\s+)*", re.IGNORECASE
)
_IN_STEPS = re.compile(
    r"\b(?:steps?|increments?|spacings?|pitch|grid|every|stride)(?:\s+(?:of|is|=|size))*\s*[:=]?\s*$", re.IGNORECASE
)
_STEPPED = re.compile(r"\s*(?:steps?\b|increments?\b|spacing\b|apart\b|grid\b|pitch\b)", re.IGNORECASE)
NAMED_SCORE = 5.0  # the parameter's whole name right before the number
RANGE_SCORE = 2.75  # an end of a written range; only a word right beside the number is stronger
UNITS_NEEDED = re.compile(r"s$|Hz$")
_RANGES = (
    "to",
    "-",
    "–",
    "—",
    "until",
    "till",
    "through",
    "up to",
    "..",
    "...",
    "…",
    "down to",
    "and up to",
    "out to",
    "->",
    "→",
)
_JOINS = frozenset("and to with from until for in at of or but by using on".split())
OUTSIDE = 2.0  # what a word beside a number counts less where the number is no possible value
REACH = 5  # words on either side in which a cue is looked for


_VARIABLES = {"t1": ("T[_ ]?1", "relaxation time", "lifetime"), "t2_echo": ("echo(?: time)?", "T2E", "T[_ ]?2", "Hahn")}


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
    names = {parameter.name for parameter in card.parameters}
    switched, rest = switches(instruction, card)
    got = Assigned({**switched, **choices(rest, card)}, rest=rest)
    _angled(got, card)
    _sided(got, card)
    _centred(got, card)
    for mention, scores in _ranked(got.rest, card):
        if mention in got.widths or names_card(mention, card):
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


def _ranked(text: str, card: ExperimentCard) -> list[tuple[Mention, dict[str, float]]]:
    """Every stated number with its score for every parameter it could be, surest number first."""
    found = stated(text)
    scored: list[tuple[Mention, dict[str, float]]] = []
    keyed = True
    for i, mention in enumerate(found):
        left = text[found[i - 1].end if i else 0 : mention.start]
        right = text[mention.end : found[i + 1].start if i + 1 < len(found) else len(text)]
        fits = [p for p in card.parameters if _fits(mention, p)]
        keyed = keyed and _keyed(left, card)
        if keyed:  # "start 1 stop 5": the word behind a number belongs to the next one
            right = ""
        scores = {p.name: _score(mention, p, left, right, len(fits), card.name) for p in fits}
        _errors(scores, left, scored[-1] if scored else None)
        for name, place in (("start", i + 1), ("stop", i)):
            if name in scores and 0 < place < len(found) and _is_range(text, found[place - 1], found[place]):
                scores[name] = max(scores[name], RANGE_SCORE)
        scored.append((mention, scores))
    # Ties within one number are broken by taking the surer numbers first: "1 us to 20 us" settles stop before start.
    return sorted(scored, key=lambda item: -_margin(item[1]))


def _errors(scores: dict[str, float], left: str, last: tuple[Mention, dict[str, float]] | None) -> None:
    """An uncertainty belongs to the number before it: "t1 = 210 us (error 8 us)"."""
    of = max(last[1], key=lambda name: last[1][name], default="") if last else ""
    if f"{of}_error" in scores and _ERROR.search(left[-25:]):
        scores[f"{of}_error"] = NAMED_SCORE


def _keyed(left: str, card: ExperimentCard) -> bool:
    """Whether a parameter's own name stands right before the number."""
    before = stems(re.split(r"[,;]|\.\s", left)[-1])
    return bool(before) and any(stems(parameter.name)[-1] == before[-1] for parameter in card.parameters)


def _is_range(text: str, left: Mention, right: Mention) -> bool:
    """Whether two neighbouring numbers are written as "1 to 20 us" or "between 1 and 20 us"."""
    if converted(1.0, left.unit or right.unit, right.unit) is None:
        return False
    joint = text[left.end : right.start].strip().lower().removesuffix("plus").rstrip()
    begins = text[: left.start].rstrip().lower()
    return joint in _RANGES or (joint == "and" and re.search(r"\b(?:between|from)$", begins) is not None)


def _margin(scores: dict[str, float]) -> float:
    first, second = [*sorted(scores.values(), reverse=True), 0.0, 0.0][:2]
    return first - second


def _fits(mention: Mention, parameter: ParameterCard) -> bool:
    if parameter.type not in ("int", "float"):
        return False
    value = converted(mention.value, mention.unit, parameter.unit) if mention.unit else mention.value
    return value is not None and (parameter.type == "float" or value.is_integer())


def _score(mention: Mention, parameter: ParameterCard, left: str, right: str, rivals: int, experiment: str) -> float:
    """Nearness of the parameter's words; the only parameter with this dimension needs none."""
    written = re.escape(parameter.name).replace("_", "[ _-]?")
    if re.search(rf"\b{written}\s*(?:[=:]|\bof\b|\bis\b)?\s*$", left, re.IGNORECASE):
        return NAMED_SCORE
    if parameter.name == "step" and mention.unit and _PER_STEP.match(right):
        return NAMED_SCORE
    if parameter.unit == "full scale" and re.search(r"(?:\bscale|\bFS)$", mention.text, re.IGNORECASE):
        return NAMED_SCORE
    if parameter.name == "points" and not mention.unit and _OF_THEM.match(right):
        return NAMED_SCORE
    if parameter.name == "tolerance" and _LIMIT.match(right):
        return NAMED_SCORE
    if parameter.name.endswith("_error") and not _ERROR.search(left[-25:]):
        return 0.0
    key = re.search(r"([^,;()=]*?)\s*=\s*$", left)  # "trains of each kind per round = 16" counts trains
    left = f"{_HEAD.sub('', _NUMBER_OF.sub(' ', key[1].replace('_', ' ')))}=" if key else left
    before = stems(_CHUNK.split(_EACH.sub(" eachpoint ", left))[-1])[-REACH:][::-1]
    right = _EACH_OF.sub(" ", right)
    behind = _PER_LENGTH.sub(" kind ", _EACH.sub(" eachpoint ", right))
    spoken = words(_CHUNK.split(behind.replace("=", ","))[0])[:REACH]
    # "100 steps" counts steps, so a plural behind a pure number is no word for a parameter in the singular.
    cues, own, plurals = _cues(experiment, parameter.name)
    counts = not mention.unit and not _is_plural(parameter.name)
    after = [word if counts and _is_plural(word) else stem(word) for word in spoken]
    if after[:2] == ["at", "most"]:
        after = ["most"]
    # A number's noun stands right behind it, unless a joining word begins another phrase.
    for i, word in enumerate(after):
        if word in _JOINS:
            after = after[:i] or (after[:1] if word == "of" else [])
            break
    score = 1.0 if mention.unit and rivals == 1 and _inside(mention, parameter) else 0.0
    for side, weight in ((before, 3.0), (after, 3.5)):
        for distance, word in enumerate(side):
            if word in cues:
                strength = weight - 0.5 * distance - (1.5 if word in WEAK else 0.0) + (0.25 if word in own else 0.0)
                strength += 0.75 if side is after and spoken[distance] in plurals else 0.0
                score = max(score, strength)
    if score and parameter.maximum is not None and not _inside(mention, parameter):
        score = max(score - OUTSIDE, 0.1)
    return score if mention.unit or not canonical_unit(parameter.unit) or score >= 2.0 else 0.0


@cache
def _cues(experiment: str, parameter: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The words that tell of `parameter`: all, as stems; those of its own name; plurals, as they are written."""
    own = frozenset(stems(parameter))
    spelled = parameter_words(experiment, parameter)
    plurals = frozenset(word for word in spelled if _is_plural(word))
    return own | {stem(word) for word in spelled} | plurals, own, plurals


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith("ss")


def _angled(got: Assigned, card: ExperimentCard) -> None:
    """An angle written with pi, for a parameter in rad whose name stands beside it."""
    for parameter in card.parameters:
        for value, begin, end in angles(got.rest) if parameter.unit == "rad" else ():
            if re.search(rf"\b{parameter.name}\b[^,;.]{{0,15}}$", got.rest[:begin], re.IGNORECASE):
                got.arguments[parameter.name] = repr(value)
                got.rest = got.rest[:begin] + " " * (end - begin) + got.rest[end:]


def _sided(got: Assigned, card: ExperimentCard) -> None:
    """Numbers told by their side: "from 100 MHz below to 50 above", "6 MHz either side"."""
    parameters = {parameter.name: parameter for parameter in card.parameters}
    start, stop = parameters.get("start"), parameters.get("stop")
    if start is None or stop is None or not (isinstance(start.default, float) and start.default == -stop.default):
        if start and stop and start.type == "float" and start.minimum is not None and start.minimum < 0:
            _either_way(got, start, stop)
        return
    for mention in stated(got.rest):
        behind = got.rest[mention.end :]
        told = mention.unit or ((BELOW.match(behind) or _ABOVE.match(behind)) and _shared_unit(got.rest, mention))
        value = converted(mention.value, told, stop.unit) if told else None
        if value is None:
            continue
        if BOTH_SIDES.match(behind) or _PLUS_MINUS.search(got.rest[: mention.start]):
            got.arguments |= {"start": repr(-value), "stop": repr(value)}
        elif BELOW.match(behind):
            got.arguments["start"] = repr(-value)
        elif _ABOVE.match(behind):
            got.arguments["stop"] = repr(value)
        else:
            continue
        got.widths.append(mention)


def _either_way(got: Assigned, start: ParameterCard, stop: ParameterCard) -> None:
    """A sweep told as plus and minus one number, where its own range is not symmetric."""
    for mention in stated(got.rest):
        value = mention.within(stop.unit) if mention.unit else None if canonical_unit(stop.unit) else mention.value
        told = BOTH_SIDES.match(got.rest[mention.end :]) or _PLUS_MINUS.search(got.rest[: mention.start])
        if value is not None and told and not {"start", "stop"} & set(got.arguments):
            got.arguments |= {"start": repr(-value), "stop": repr(value)}
            got.widths.append(mention)


def _shared_unit(text: str, mention: Mention) -> str:
    """The unit of the nearest number with one: "15 MHz below to 5 above"; empty if none has."""
    with_unit = [other for other in stated(text) if other.unit]
    before = [other for other in with_unit if other.start < mention.start]
    return (before[-1] if before else with_unit[0]).unit if with_unit else ""


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
        if _WIDTH.search(_near(got.rest, mention))
        and not _PLUS_MINUS.search(got.rest[: mention.start])
        and not (_STEPPED.match(got.rest, mention.end) or _IN_STEPS.search(got.rest[: mention.start]))
    ]
    ends = any(_is_range(got.rest, left, right) for left, right in pairwise(fitting))
    if len(told) == 1 and not ends and not {"start", "stop"} & set(got.arguments):
        half = (told[0].within(stop.unit) or 0.0) / 2
        got.arguments |= {"start": repr(-half), "stop": repr(half)}
        got.widths += told


def _near(text: str, mention: Mention) -> str:
    return f"{text[max(0, mention.start - 25) : mention.start]} {text[mention.end : mention.end + 12]}"


def _from_ranges(got: Assigned, card: ExperimentCard) -> None:
    """Numbers that the card takes in another form: a width as two ends around zero, a count of points as a step."""
    parameters = {parameter.name: parameter for parameter in card.parameters}
    if "stop" in parameters and "start" not in parameters:  # such a sweep begins at zero in any case
        got.unplaced = [mention for mention in got.unplaced if mention.value]
    start, stop, step = (parameters.get(name) for name in ("start", "stop", "step"))
    around_zero = bool(start and stop and isinstance(start.default, float) and start.default == -stop.default)
    for mention in list(got.unplaced) if start and stop else []:
        width = mention.within(stop.unit) if stop and mention.unit else None
        told = _WIDTH.search(_near(got.rest, mention)) or _PLUS_MINUS.search(got.rest[: mention.start])
        if width is not None and told and around_zero and not {"start", "stop"} & set(got.arguments):
            half = width if _PLUS_MINUS.search(got.rest[: mention.start]) else width / 2
            got.arguments |= {"start": repr(-half), "stop": repr(half)}
            got.unplaced.remove(mention)
    _points_from_steps(got, parameters)
    if start is None or stop is None:
        return
    for mention in list(got.unplaced):
        counts = not mention.unit and re.match(r"[\s-]*(?:\w+ )?(?:points|steps|values)\b", got.rest[mention.end :])
        if counts and mention.value > 1 and step is not None and "step" not in got.arguments:
            ends = [float(got.arguments.get(p.name, p.default)) for p in (start, stop)]
            got.arguments["step"] = repr(float(f"{(ends[1] - ends[0]) / (mention.value - 1):.12g}"))
            got.unplaced.remove(mention)


def _points_from_steps(got: Assigned, parameters: Mapping[str, ParameterCard]) -> None:
    """A step where the card counts points: "0 to 200 us in steps of 4 us" has 51, both ends included."""
    stop, points = parameters.get("stop"), parameters.get("points")
    if stop is None or points is None or "step" in parameters or "points" in got.arguments:
        return
    start = parameters.get("start")
    for mention in list(got.unplaced):
        size = mention.within(stop.unit) if mention.unit or not canonical_unit(stop.unit) else None
        told = _IN_STEPS.search(got.rest[: mention.start]) or _STEPPED.match(got.rest, mention.end)
        if size and told and size > 0:
            ends = [float(got.arguments.get(p.name, p.default)) if p else 0.0 for p in (start, stop)]
            got.arguments["points"] = repr(round((ends[1] - ends[0]) / size) + 1)
            got.unplaced.remove(mention)


def _settle(got: Assigned, card: ExperimentCard) -> None:
    """Numbers without a place: said twice, or fitting several parameters with no word to tell which."""
    placed = [(p, got.arguments[p.name]) for p in card.parameters if p.name in got.arguments]
    for mention in list(got.unplaced):
        fits = [p for p in card.parameters if p.name not in got.arguments and _fits(mention, p) and _inside(mention, p)]
        said = any(_fits(mention, p) and _code(mention, p) == code for p, code in placed if p.type in ("int", "float"))
        if not mention.unit:  # a pure number is no time and no frequency while something else can take it
            fits = [p for p in fits if not UNITS_NEEDED.search(p.unit)] or fits
        if said or fits:
            got.unplaced.remove(mention)
        odd = len(fits) == 1 and fits[0].type == "float" and not float(mention.value).is_integer()
        sweep = [p for p in fits if p.name not in ("start", "stop")]
        if mention.unit and not said and not sweep and fits and fits[-1].name == "stop" and _inside(mention, fits[-1]):
            begins = next((p.default for p in fits if p.name == "start"), 0.0)
            if begins is not None and begins >= 0:
                fits = fits[-1:]  # a lone time is how far the sweep goes
                got.arguments["stop"] = _code(mention, fits[0])
                continue
        if len(fits) == 1 and not said and (odd or fits[0].required):
            got.arguments[fits[0].name] = _code(mention, fits[0])  # nothing else can take it
        elif fits and not said:
            got.ambiguous.append((mention, [p.name for p in fits]))


def _inside(mention: Mention, parameter: ParameterCard) -> bool:
    if parameter.minimum is None or parameter.maximum is None:
        return False
    return parameter.minimum <= float(_code(mention, parameter)) <= parameter.maximum


def _uses(instruction: str, name: str) -> bool:
    """Whether a variable is referred to, by its name or by what is called so: "use the echo time from before"."""
    spoken = "|".join([re.escape(name).replace("_", r"[\s_-]"), *_VARIABLES.get(name, ())])
    used = r"(?:measured|using|use|uses|known|with|given|limit|against|take|stored|found|determined)"
    return bool(re.search(rf"\b{used}\b[^.;]*\b(?:{spoken})\b(?!\s*=)", instruction, re.I))


def _code(mention: Mention, parameter: ParameterCard) -> str:
    value = converted(mention.value, mention.unit, parameter.unit) if mention.unit else mention.value
    assert value is not None  # `_fits` has converted it before
    return _literal(value, parameter)


def _literal(value: float, parameter: ParameterCard) -> str:
    return repr(int(value)) if parameter.type == "int" else repr(float(value))


def _parameter(card: ExperimentCard, name: str) -> ParameterCard:
    return next(parameter for parameter in card.parameters if parameter.name == name)
