"""When a task records: from when, to when, how often; in many forms of words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from labwright.agents.tool_forging.readers.language.numbers import Numbers, integer, numbers_at
from labwright.agents.tool_forging.readers.language.units import canonical, kind, unit_at

_T = r"(?:(?-i:t)|time|times)"
_NUM = r"(?=[-+]?\s*[\d.(])"
# where a range begins; the words in front say that it is one of times
_RANGES = (
    (
        rf"(?<![\w|<]){_T}\s*(?:=|in|:|from|between|ranging from|runs? from|goes "
        rf"from)\s*(?:from\s+)?(?:t\s*=\s*)?(?=[-\d.\[{{(])"
    ),
    (
        r"\btimes?\s+(?:window|range|span|interval|axis|grid|domain)\s*(?:of|is|:|=|from|runs? "
        r"from)?\s*(?:t\s*=\s*)?(?=[-\d.\[])"
    ),
    (
        r"\b(?:on|over|for|at|in|through)\s+(?:the\s+)?(?:time\s+)?(?:interval|window|range|grid|"
        r"times?)\s*(?:t\s*)?(?:=|in|of|from)?\s*(?=[-\d.\[{])"
    ),
    r"\b(?:from|between)\s+(?:t\s*=\s*|time\s+)?(?=[-\d.])",
    r"\bover\s+(?:t\s*(?:in|=)\s*)?(?=\[)",
    r"(?:^|[,;:.]\s+|\bpopulations?\s|\brun\s|\btimes?\s|\b(?:window|interval|span|duration)\s)(?=0\s*(?:-|to|\.\.\.?)\s*\d)",
)
_BOUNDED = re.compile(rf"(?P<low>[-+]?\d[\d.]*)\s*<=?\s*(?:J\s*)?{_T}\s*<=?\s*{_NUM}")
_UNTIL = re.compile(
    r"(?:\b(?:up to|until|till|evolve\w*\s+(?:it\s+|them\s+)?(?:to|for|over|until)|evolution (?:up )?to|"
    r"propagat\w+ (?:it )?(?:for|to|until|over)|run\w* (?:it )?(?:to|for)|simulat\w+ (?:it )?(?:for|up to|over|"
    r"until)|"
    r"integrat\w+ (?:up )?(?:to|for|over)|track\w* (?:it |them )?(?:for|to|over)|watch\w* (?:it |them )?(?:for|"
    r"to|over)|follow\w* [^.;]{0,70}?\b(?:for|to|up to|until|through|over)|total (?:evolution |simulation |"
    r"propagation )?time(?: of)?|"
    r"for an? (?:total )?(?:time|duration|period)(?: of)?|final time(?: of)?|end(?:ing)? (?:time|at)(?: of)?|"
    r"stop(?:ping)? (?:time|at)|time window(?: of)?|duration(?: of)?|over (?:a (?:time|window|span) of|the "
    r"first)|during(?: the first)?|(?:the )?first|for|over|lasts?|"
    r"within|in|to)\s*[:=]?\s+(?:(?:t|T|t_max|tmax|t_f)\s*=\s*)?(?:a (?:total )?time (?:of )?)?)(?=[\d.(])|"
    r"\b(?:t_?max|t_f|T_?max|t_?end|tfinal|t_final|T_?\{?total\}?)\s*=\s*|\b(?:total|final|end) time\s*(?:T|"
    r"t)?\s*(?:=|of|:|is)?\s*(?=\d)",
    re.I,
)
_WORD_UNIT = re.compile(
    (
        r"\b(?:the |during the |within the |over the )first (?P<unit>picosecond|nanosecond|microsecond|femtosecond|"
        r"second|millisecond)\b(?!s)"
    ),
    re.I,
)
_STEP = re.compile(
    r"(?:\b(?:every|each)\s+|\b(?:time[- ]?steps?|steps?|sampling(?: interval| time| period)?|resolution|"
    r"spacing|increments?|interval|intervals|time grid|grid|dt|Delta t)\s*(?:dt)?\s*(?:is|are|of|=|size|width|"
    r":|being)*\s*(?:dt\s*=\s*)?|"
    r"\b(?:spaced|separated|apart) (?:by|at)?\s*|\bin (?:steps|increments|intervals) of\s*)(?=\d*\.?\d)",
    re.I,
)
_SPACING = (
    r"(?:(?:equally|evenly|linearly|uniformly|regularly)[\s-]spaced|equidistant|uniform|regular|time|recording|"
    r"output|sampling|sample|grid|more|different|equal|distinct|such)"
)
_COUNT = re.compile(
    rf"(?<![\w.])(?P<count>\d[\d,]*|[a-z]+)\s+(?:{_SPACING}\s+)*(?P<what>time[- ]?points?|points?|times|"
    rf"instants?|samples?|readings?|frames?|moments|values of t(?:ime)?|steps?|time[- ]steps?|intervals?|"
    rf"snapshots?)"
    r"(?!\s*(?:of (?:the )?(?:theta|angle|p|h|J|g|epsilon)|dt\b|of\s+\d|=\s*0?\.\d|size))",
    re.I,
)
_COUNTED = re.compile(
    (
        r"\b(?:number of|n_?)\s*(?:equally spaced |recorded )?(?:time[- ]?)?(?P<what>points?|times|samples|steps|"
        r"instants|intervals)\s*(?:is|of|:|=|in time)?\s*(?P<count>\d[\d,]*|[a-z]+)"
    ),
    re.I,
)
_IN_ALL = re.compile(r"(?<![\w.])(?P<count>\d[\d,]*)\s+(?P<what>)(?:in all|altogether|in total|all told)\b", re.I)
_PER = re.compile(
    (
        r"\b(?:one|a)\s+(?:point|reading|sample|value|record|frame|dot)\s+(?:per|every|each|"
        r"a)\s+(?P<unit>femtosecond|picosecond|nanosecond|microsecond|millisecond|fs|ps|ns|us|ms)\b"
    ),
    re.I,
)
_NOT_TIME = re.compile(
    r"\s*-?\s*(?:qubits?|levels?|points?|steps?|shots?|sites?|spins?|%|periods?|kicks?|cycles?|photons?|Fock|"
    r"trajector|samples?|equidistant|evenly|equally|time (?:points|steps)|values|atoms?|degrees|"
    r"dimension|times\b|states?|of them|qubit)",
    re.I,
)


@dataclass(frozen=True)
class TimeGrid:
    """Times as a task gives them.

    Attributes:
        start: first time.
        stop: last time.
        unit: of both, as pint calls it; empty where none is written.
        points: how many, both ends included; None if the text does not say.
        step: between neighbours, in `step_unit`; None if the text does not say.
        spans: what was read, as offsets of the cleaned text.
        steps_said: whether the number of points comes from a number of steps.
    """

    start: float
    stop: float
    unit: str
    points: int | None = None
    step: float | None = None
    step_unit: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    steps_said: bool = False


def time_grid(
    text: str, units: bool, taken: Iterable[tuple[int, int]] = (), known: Mapping[str, float] | None = None
) -> TimeGrid | None:
    """The grid that a text describes; None where it gives no end.

    Args:
        units: whether times have units here, so that a bare number is none.
        taken: stretches that say something else, such as a relaxation time.
        known: values of symbols, for times such as ``30 / omega``.
    """
    for start, end in taken:
        text = text[:start] + re.sub(r"[^\n.;,]", "#", text[start:end]) + text[end:]
    found = _bounded(text, units) or _ranged(text, units) or _until(text, units, known or {})
    return None if found is None else sampled(text, found)


def _fits(numbers: Numbers, units: bool) -> bool:
    what = kind(numbers.unit) if numbers.unit else ""
    return what == "time" or (what == "" and not units)


def _bounded(text: str, units: bool) -> TimeGrid | None:
    for match in _BOUNDED.finditer(text):
        numbers = numbers_at(text, match.end())
        if numbers and _fits(numbers, units) and numbers.items[0].value_or_none() is not None:
            return TimeGrid(
                float(match["low"]),
                numbers.items[0].value({}),
                numbers.unit,
                spans=((match.start(), _end_of_first(text, numbers)),),
            )
    return None


def _end_of_first(text: str, numbers: Numbers) -> int:
    """Behind the first number of several, its unit included: what follows counts something else."""
    return numbers.end if len(numbers.items) == 1 else unit_at(text, numbers.items[0].end)[1]


def _ranged(text: str, units: bool) -> TimeGrid | None:
    for pattern in _RANGES:
        for match in re.finditer(pattern, text, re.M | re.I):
            place = match.start() if re.match(r"(?:from|between)", match[0].lstrip(), re.I) else match.end()
            numbers = numbers_at(text, place)
            if numbers is None or numbers.kind not in {"range", "interval"} or len(numbers.items) != 2:
                continue
            ends = [item.value_or_none() for item in numbers.items]
            if ends[0] is None or ends[1] is None or ends[1] <= ends[0] or not _fits(numbers, units):
                continue
            if not _speaks_of_time(text, match, numbers):
                continue
            return TimeGrid(
                ends[0],
                ends[1],
                numbers.unit,
                numbers.points,
                numbers.step,
                numbers.unit,
                ((match.start(), numbers.end),),
            )
    return None


def _speaks_of_time(text: str, match: re.Match[str], numbers: Numbers) -> bool:
    """A bare range is one of times only where its words say so: "h from 0 to 2" is a sweep."""
    if kind(numbers.unit) == "time" or re.search(r"\bt\b|time|window|evol|run", match[0], re.I):
        return True
    before = text[max(0, match.start() - 40) : match.start()]
    if re.search(r"[A-Za-z]\w*\s*$", before) and re.search(
        (
            r"(?<![A-Za-z])(?!t\b|time)(?:[A-Za-z]|theta|phi|gamma|lambda|Delta|delta|epsilon|omega|kappa|Omega|"
            r"beta|field|coupling|angle|strength)\s*$"
        ),
        before,
    ):
        return False
    inside = text[match.start() : numbers.end]
    return bool(
        re.search(r"\bt\s*=|time", inside)
        or re.search(
            r"time|evol|dynamic|follow|record|track|watch|propagat|simulat|run",
            text[max(0, match.start() - 160) : match.start()] + text[numbers.end : numbers.end + 40],
            re.I,
        )
    )


def _until(text: str, units: bool, known: Mapping[str, float]) -> TimeGrid | None:
    for match in _UNTIL.finditer(text):
        numbers = numbers_at(text, match.end())
        if numbers is None or _NOT_TIME.match(text, numbers.items[0].end) or _NOT_TIME.match(text, numbers.end):
            continue
        value = numbers.items[0].value_or_none(known)
        if value is None or value <= 0 or not _fits(numbers, units and not numbers.items[0].names):
            continue
        weak = re.fullmatch(
            r"(?:for|in|to|over|first|the first|within|lasts?|duration|duration of|during)\s*[:=]?\s*", match[0], re.I
        )
        timed = (
            kind(numbers.unit) == "time"
            or numbers.items[0].names
            or re.match(r"\s*(?:/|time units?|in units|units of time|\(?in )", text[numbers.end :])
        )
        if (
            (weak or re.search(r"(?:\bto|\bfor|\bin)\s*$", match[0]))
            and not timed
            and not re.search(
                r"t\w*\s*=\s*$|time|until|up to|evol|follow|run|simulat|propag|integrat|track|watch", match[0]
            )
        ):
            continue
        if re.match(r"\b(?:in|within)\b", match[0], re.I) and re.search(
            r"(?:decay\w*|relax\w*|dephas\w*|memory|correlat\w*)\s*$", text[: match.start()]
        ):
            continue
        if re.search(
            (
                r"(?:gamma|tau|T_?1|T_?2|cut-?off|correlation|memory|relaxation|coherence|"
                r"life)\w*\s*(?:time\w*\s*)?(?:of\s*|=\s*)?$"
            ),
            text[: match.start()],
            re.I,
        ):
            continue
        return TimeGrid(0.0, value, numbers.unit, spans=((match.start(), _end_of_first(text, numbers)),))
    word = _WORD_UNIT.search(text)
    if word:
        return TimeGrid(0.0, 1.0, word["unit"].lower(), spans=(word.span(),))
    for match in re.finditer(r"(?:^|[;,:\n]|\.(?!\d))\s*(?=\d)", text):  # alone between marks, as in a telegram
        numbers = numbers_at(text, match.end())
        if (
            numbers
            and kind(numbers.unit) == "time"
            and len(numbers.items) == 1
            and re.match(r"\s*(?:[;,.\n]|$)", text[numbers.end :])
        ):
            return TimeGrid(0.0, numbers.values()[0], numbers.unit, spans=((match.end(), numbers.end),))
    return None


def sampled(text: str, grid: TimeGrid) -> TimeGrid:
    """With the number of points or the step that stands elsewhere."""
    if grid.points or grid.step:
        return grid
    per = _PER.search(text)
    if per:
        return replace(
            grid,
            step=1.0,
            step_unit=canonical(per["unit"]),
            spans=(*grid.spans, per.span(), *(m.span() for m in _IN_ALL.finditer(text))),
        )
    behind = text[grid.spans[0][1] :]
    near = len(text) - len(behind)
    for place, piece in ((near, behind), (0, text[:near])):
        for match in _counts(piece):
            count = integer(match["count"])
            if count is None or count < 4:
                continue
            steps = match["what"].lower().replace("time", "").strip(" -").startswith(("step", "interval"))
            span = (place + match.start(), place + match.end())
            return replace(grid, points=count + 1 if steps else count, spans=(*grid.spans, span), steps_said=steps)
        for match in _STEP.finditer(piece):
            numbers = numbers_at(piece, match.end())
            if numbers is None or numbers.items[0].names or len(numbers.items) != 1:
                continue
            value = numbers.items[0].value({})
            if (
                kind(numbers.unit) == "time" or (not numbers.unit and not grid.unit and value < grid.stop / 3)
            ) and value > 0:
                span = (place + match.start(), place + numbers.end)
                return replace(grid, step=value, step_unit=numbers.unit, spans=(*grid.spans, span))
    return grid


def _counts(text: str) -> Iterable[re.Match[str]]:
    return sorted(
        [*_COUNT.finditer(text), *_COUNTED.finditer(text), *_IN_ALL.finditer(text)], key=lambda one: one.start()
    )
