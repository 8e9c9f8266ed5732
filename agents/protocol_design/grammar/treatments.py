"""What is done to the vials: mixing, heating, cooling, waiting, capping."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from labwright.agents.protocol_design.grammar.marked import Marked, levels, single
from labwright.agents.protocol_design.grammar.stocks import A, dimension_of
from labwright.agents.protocol_design.reading import Amount, Doubt, Treatment, Variation

_VERBS = re.compile(
    r"\b(heat\w*|stir\w*|vortex\w*|mix(?:ed|ing)\b|mix\s+(?:by|the|for|them|well|each)|shak\w+|shaken|cool\w*|wait|incubat\w+|hold|held"
    r"|leave|left to stand|react(?:ed)?\s+(?:at|for)|time points?)\b",
    re.IGNORECASE,
)
_DONE = r"(?:heat\w*|stir\w*|vortex\w*|mix\w*|shak\w*|cool\w*|cap\w*)"
_STRONG = re.compile(
    r"\b(?!hold\b|held\b|leave\b)(?:" + _VERBS.pattern.removeprefix(r"\b(").removesuffix(r")\b") + r")\b", re.I
)
_NEGATED = re.compile(
    rf"\b(?:no|without(?: any)?|not|never|nothing|none)\b(?:\s+\w+){{0,2}}?\s+(?:be )?{_DONE}"
    r"(?:\s+(?:is\s+)?(?:required|needed|necessary))?"
    rf"|\b{_DONE}\s+(?:is|are)\s+not\s+(?:required|needed|necessary)",
    re.IGNORECASE,
)
# "Once cooled, ..." looks back at what was ordered before; it orders nothing by itself.
_BACKWARD = re.compile(
    r"\b(?:once|when|after|as soon as)\s+"
    r"(?:(?:they|it|these|all|the|vials|samples|mixtures|have|has|are|is|been|being|having)\s+)*"
    rf"(?P<done>{_DONE})(?:\s+(?:down|up|completely|fully))?(?=\s*,)",
    re.IGNORECASE,
)
_THEN = re.compile(
    r"\b(?:before|and then|then|followed by|after which|afterwards,?)\b|,\s+and\s+(?=vortex|stir|heat)", re.IGNORECASE
)
_AND = re.compile(
    r",?\s+and\s+(?=(?P<cools>(?:let|allow|leave|cool)(?:ed)?\b)"
    r"|(?:heat(?:ed)?|stir(?:red)?|vortex(?:ed)?|mix(?:ed)?|shake|hold|keep|kept|wait)\b)",
    re.IGNORECASE,
)
TIME_FACTOR = "time"


@dataclass
class Treated:
    """What the sentences say is done.

    Attributes:
        times: the factor of a time course.
    """

    steps: list[Treatment] = field(default_factory=list)
    cap: bool | None = None
    times: Variation | None = None
    doubts: list[Doubt] = field(default_factory=list)
    negated: list[str] = field(default_factory=list)  # sentences that say what is not done
    still: bool = False  # "without stirring"


def read_treatments(
    text: Marked, sentences: list[str], given: dict[str, Amount], *, afterwards: bool = False
) -> Treated:
    """Treatments in the order of the text; `given` are answers to earlier doubts, by the doubt's id.

    Args:
        afterwards: the sentences are of a work-up, so "once cooled" speaks of the vials before it.
    """
    found = Treated()
    for sentence in sentences:
        bare = _NEGATED.sub(" ", sentence)
        if bare != sentence:
            found.negated.append(sentence)
            found.still |= any(re.search(r"stir|mix", words, re.IGNORECASE) for words in _NEGATED.findall(sentence))
        bare = _BACKWARD.sub(lambda match: _looked_back(match, found, afterwards), bare)
        if re.search(r"\buncapped\b|\bopen vials\b", bare, re.IGNORECASE):
            found.cap = False
        elif re.search(r"\bcap(?:ped|s)?\b", bare, re.IGNORECASE):
            found.cap = True
        for clause in _clauses(text, bare):
            if _VERBS.search(clause) or _warm(text, clause):
                _clause(text, clause, found, given)
    if found.still:
        found.steps = [one.model_copy(update={"by": "none"}) if _unmoved(one) else one for one in found.steps]
    return found


def _clauses(text: Marked, sentence: str) -> Iterator[str]:
    """Parts of a sentence that order one thing each: "heat for 1 h and stir" is one, "heat and then stir" two."""
    for part in _THEN.split(sentence):
        begins = 0
        for match in _AND.finditer(part):
            apart = _times(text, part[begins : match.start()]) and _times(text, part[match.end() :])
            if match["cools"] or apart:
                yield part[begins : match.start()]
                begins = match.end()
        yield part[begins:]


def _times(text: Marked, clause: str) -> bool:
    return any(dimension_of(text.amount(mark[1:-1]).unit) == "time" for mark in re.findall(A, clause))


def _looked_back(match: re.Match[str], found: Treated, afterwards: bool) -> str:
    """Nothing, if what the words look back at was ordered; else the words."""
    done = match["done"].lower()
    kind = "cool" if done.startswith("cool") else "heat" if done.startswith("heat") else "mix"
    capped = done.startswith("cap") and found.cap is not None
    return " " if afterwards or capped or kind in [step.kind for step in found.steps] else match.group()


def _unmoved(step: Treatment) -> bool:
    return step.kind == "heat" and step.by is None


def _warm(text: Marked, clause: str) -> bool:
    """Whether a temperature is stated, whatever the verb."""
    return any(dimension_of(text.amount(mark[1:-1]).unit) == "temperature" for mark in re.findall(A, clause))


def _clause(text: Marked, clause: str, found: Treated, given: dict[str, Amount]) -> bool:
    marks = {
        dimension_of(text.amount(m[1:-1]).unit): m[1:-1]
        for m in reversed(re.findall(A, clause))
        if m[1:-1] not in text.used
    }
    temperature, speed = (_one(text, marks.get(kind)) for kind in ("temperature", "rate"))
    time, factor = _time(text, clause, marks.get("time"), found)
    by = "vortex" if re.search("vortex", clause, re.I) else "stir" if re.search("stir", clause, re.I) else None
    if (temperature, speed, time, factor, by) == (None,) * 5 and not _STRONG.search(clause):
        return False  # "they hold 5 mg": to hold is a treatment only with a time or a temperature
    cools = re.search(r"\bcool", clause, re.IGNORECASE)
    heats = temperature is not None and not cools
    if not (cools or heats) and re.search(r"\bheat", clause, re.IGNORECASE):
        temperature = given.get("temperature")
        heats = temperature is not None and temperature.unit not in ("s", "min", "h", "d")
        if heats:
            return _step(clause, found, given, by, temperature, speed, time, factor, "heat")
        found.doubts.append(_doubt("temperature", "To which temperature are the vials heated?", None, ""))
        return True
    kind = (
        "cool"
        if cools
        else "heat"
        if heats
        else "wait"
        if re.search(r"wait|leave|left to|hold|held", clause, re.IGNORECASE)
        else "mix"
    )
    return _step(clause, found, given, by, temperature, speed, time, factor, kind)


def _step(
    clause: str,
    found: Treated,
    given: dict[str, Amount],
    by: str | None,
    temperature: Amount | None,
    speed: Amount | None,
    time: Amount | None,
    factor: str | None,
    kind: str,
) -> bool:
    if kind != "cool" and time is None and factor is None:
        time = _missing_time(clause, kind, found, given)
    found.steps.append(
        Treatment(kind=kind, by=by, temperature=temperature, speed=speed, time=time, time_factor=factor)  # type: ignore[arg-type]
    )
    return True


def _one(text: Marked, mark: str | None) -> Amount | None:
    if mark is None or len(text.amount(mark).values) != 1 or text.amount(mark).form != "list":
        return None
    text.use(mark)
    return single(text.amount(mark))


def _time(text: Marked, clause: str, mark: str | None, found: Treated) -> tuple[Amount | None, str | None]:
    """One time for all vials, or a factor of times."""
    if mark is None:
        return None, None
    item = text.amount(mark)
    if item.form not in ("list", "steps"):
        return None, None
    text.use(mark)
    if len(item.values) == 1:
        return single(item), None
    for counted in re.findall(rf"({A}) time points", clause):
        if text.amount(counted[1:-1]).values == (float(len(item.values)),):
            text.use(counted[1:-1])
    found.times = Variation(name=TIME_FACTOR, levels=levels(item, item.values), chemicals=[])
    return None, TIME_FACTOR


def _missing_time(clause: str, kind: str, found: Treated, given: dict[str, Amount]) -> Amount | None:
    overnight = "overnight" in clause.lower()
    name = {"heat": "heating time", "wait": "waiting time"}.get(kind, "mixing time")
    default = "16 h" if overnight else "5 min" if kind == "mix" else None
    if name in given and dimension_of(given[name].unit) == "time":
        return given[name]
    what = "How long is overnight?" if overnight else f"How long is the {name}?"
    found.doubts.append(_doubt(name, what, default, f"All vials are treated for {default}." if default else ""))
    return None


def _doubt(name: str, text: str, default: str | None, consequence: str) -> Doubt:
    return Doubt(id=name, text=text, options=[], default=default, consequence=consequence)
