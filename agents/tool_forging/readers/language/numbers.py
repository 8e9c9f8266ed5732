"""Numbers, lists, sets and ranges in a task's text, with units and spans."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from labwright.agents.tool_forging.readers.language.scalars import NUMBER_WORDS, Scalar, scalar_at
from labwright.agents.tool_forging.readers.language.units import converted, kind, unit_at

_JOIN = re.compile(r"\s*(?:,\s*(?:and|or|&)?|;|\band\b|\bor\b|&)\s*")
_FROM = re.compile(r"\s*(?:from|between|ranging from|over)?\s*", re.I)
_TO = re.compile(r"\s*(?:to|up to|through|until|->|\.\.\.?|-(?=\s*[\d.])|and)\s*", re.I)
_SPACED = (
    r"(?:(?:equally|evenly|linearly|uniformly|logarithmically|log|geometrically)[ -]?spaced|equidistant|uniform|time|"
    r"more|equal|different|distinct)"
)
_LOGARITHMIC = re.compile(r"\blog(?:arithmic(?:ally)?)?\b[ -]?(?:spac|scale|grid|step)|geometric(?:ally)?\b", re.I)
_STEPS = re.compile(
    r"\s*,?\s*(?:(?:in|with|using|at|on|and)\s+)?\(?\s*"
    r"(?:(?:(?:steps?|increments?|intervals?|spacing)\s+(?:of|size)|(?:step(?: size| width)?|increment|spacing)\s*[:=]?"
    r"|every|each|(?:spaced|separated) by)\s+"
    r"(?P<step>\d*\.?\d+(?:[eE]-?\d+)?)(?!\s*(?:st|nd|rd|th)\b)"
    rf"|(?:an?\s+)?(?:grid of\s+)?(?:\w+\s+)?(?:equal\s+)?steps\s+of\s+(?P<by>\d*\.?\d+)"
    rf"|(?:an?\s+)?(?:grid of\s+)?(?P<count>\d[\d,]*|[a-z]+)\s+(?:{_SPACED}\s+)*"
    r"(?P<what>points?|steps?|values|intervals|samples|(?:bond )?(?:distances|lengths)|separations|temperatures|angles|"
    r"geometries|frequencies))\)?(?:\s+(?:in total|all told))?",
    re.I,
)
# "kappa = 0.1, 6 Fock states": a number that counts something is no second value
_COUNTS = re.compile(
    r"(?!\s*\n\s*(?:-|[A-Za-z][\w ()/-]{0,40}[:=]))\s*-?\s*"
    r"(?!(?:and|or|for|with|from|the|are|was|were|each|respectively|then|where|while|when|using|both|"
    r"all|have|has|can|must|will|should|shall|taken|considered|which|that|but|"
    r"is|in|at|on|to|as|of|so|per|if|by|we|it|before|after|during|until|against|over|under|between|without|"
    r"within|than|instead|acts?|following|times (?:the|pi|J|larger)|units?|with|via|through|along|per|plus|minus|"
    r"versus|obtained|computed|calculated|prepared|given|averaged|upon|once|only|next|again|because|since|such)\b)[a-zA-Z]{3,}"
)
_One = tuple[Scalar, str, int]  # the number, its unit, where it ends


@dataclass(frozen=True, slots=True)
class Numbers:
    """One or several numbers that stand together.

    Attributes:
        items: as written, arithmetic with symbols allowed.
        unit: as pint calls it; empty for none.
        start: offset in the cleaned text.
        end: behind the last.
        kind: a ``range`` has two items, its ends.
        points: how many of a range, ends included; n steps make n + 1 points; None if the text does not say.
        step: distance of neighbours in a range; None if the text does not say.
        logarithmic: whether the points of a range have equal ratios instead of equal distances.
    """

    items: tuple[Scalar, ...]
    unit: str
    start: int
    end: int
    kind: str = "single"
    points: int | None = None
    step: float | None = None
    logarithmic: bool = False

    def values(self, names: Mapping[str, float] | None = None) -> list[float]:
        """The numbers; a range whose points are known is spelled out, another gives its ends.

        Raises:
            KeyError: a symbol has no value.
        """
        ends = [item.value(names or {}) for item in self.items]
        if self.kind != "range" or len(ends) != 2:
            return ends
        count = self.points or (round((ends[1] - ends[0]) / self.step) + 1 if self.step else 2)
        if count < 2:
            return ends[:1]
        if self.logarithmic and ends[0] * ends[1] > 0:
            return [ends[0] * (ends[1] / ends[0]) ** (k / (count - 1)) for k in range(count)]
        return [ends[0] + (ends[1] - ends[0]) * k / (count - 1) for k in range(count)]


def integer(text: str) -> int | None:
    """A count in digits or words (``4,096``, ``ten``); None if it is none."""
    plain = text.strip().lower().replace(",", "")
    if re.fullmatch(r"\d+", plain):
        return int(plain)
    value = NUMBER_WORDS.get(plain)
    return int(value) if value is not None and value == math.floor(value) else None


def numbers_at(text: str, position: int, known: Iterable[str] | None = None) -> Numbers | None:
    """What stands at `position`: ``0.2``, ``2 pi``, ``{3, 4.5}``, ``1, 2 and 3``, ``from 7 to 8 in 6 points``.

    Args:
        known: symbols that may stand in the arithmetic; see `scalar_at`.
    """
    known = None if known is None else list(known)
    bracket = re.compile(r"\s*(?:in\s+)?([\[{(])\s*").match(text, position)
    if bracket:
        found = _bracketed(text, bracket, known)
        if found:
            return found
    dashed = _dashed(text, position)
    if dashed:
        return dashed
    lead = _FROM.match(text, position)
    begin = lead.end() if lead else position
    if lead and lead[0].strip():  # "between t = 0 and t = 60"
        again = re.compile(r"[A-Za-z]\w*\s*=\s*(?=[-+.\d])").match(text, begin)
        begin = again.end() if again else begin
    first = _one(text, begin, known)
    if first is None:
        return None
    spoken = bool(lead and lead[0].strip())
    ranged = _range(text, position, first, known, spoken)
    if ranged and _LOGARITHMIC.search(text[ranged.start : ranged.end + 56]):
        ranged = replace(ranged, logarithmic=True)
    return ranged or _progression(text, begin, first, known) or _listed(text, begin, first, known)


_DASHED = re.compile(r"\s*(?P<low>\d[\d.]*)\s*-\s*(?P<high>\d[\d.]*)(?![\w.]*\s*[-+*/^(])")


def _dashed(text: str, position: int) -> Numbers | None:
    """``0 - 500 fs`` and ``0.5-2.5``: a range, as nobody writes a difference with the smaller number first."""
    match = _DASHED.match(text, position)
    if match is None or not float(match["low"].rstrip(".")) < float(match["high"].rstrip(".")):
        return None
    unit, end = unit_at(text, match.end())
    ends = tuple(Scalar(match[g].rstrip("."), match.end(g), ()) for g in ("low", "high"))
    if not unit and re.match(r"[A-Za-z]", text[match.end() : match.end() + 1]):
        return None
    behind, points, step = _points(text, end, unit)
    return Numbers(ends, unit, match.start("low"), behind, "range", points, step)


def _one(text: str, position: int, known: list[str] | None) -> _One | None:
    position += len(text[position:]) - len(text[position:].lstrip())
    item = scalar_at(text, position, known)
    word = re.compile(r"[A-Za-z]+").match(text, position)
    if item is None and word and word[0].lower() in NUMBER_WORDS:
        item = Scalar(f"{NUMBER_WORDS[word[0].lower()]:g}", word.end(), ())
    if item is None:
        return None
    unit, end = unit_at(text, item.end)
    return item, unit, end


def _range(text: str, start: int, first: _One, known: list[str] | None, spoken: bool) -> Numbers | None:
    to = _TO.match(text, first[2])
    if to is None or (to[0].strip() == "and" and not text[start:].lstrip().lower().startswith("between")):
        return None
    if to[0].strip() == "-" and not (spoken or not first[0].names):
        return None
    # "every 10 fs until 1 ps" is no range
    if re.match(r"\s*(?:up to|until|through)", to[0], re.I) and not spoken and first[0].value_or_none() != 0:
        return None
    # "t = 0 to t = 40" names the variable twice
    again = re.compile(r"[A-Za-z]\w*\s*=\s*").match(text, to.end())
    second = _one(text, again.end() if again else to.end(), known)
    if second is None:
        return None
    unit = second[1] or first[1]
    end, points, step = _points(text, second[2], unit)
    return Numbers((first[0], second[0]), unit, start, end, "range", points, step)


def _points(text: str, position: int, unit: str = "") -> tuple[int, int | None, float | None]:
    """Behind the words, how many points, and their distance in the unit of the range."""
    match = _STEPS.match(text, position)
    if match is None:
        return position, None, None
    if match["step"] or match["by"]:
        own, end = unit_at(text, match.end())  # "in steps of 100 K"
        step = float(match["step"] or match["by"])
        if own and unit and own != unit and kind(own) == kind(unit):
            step = round(converted(step, own, unit), 12)
        return end, None, step
    count = integer(match["count"])
    if count is None:
        return position, None, None
    intervals = match["what"].lower().startswith(("interval", "step"))
    return match.end(), count + 1 if intervals else count, None


def _listed(text: str, start: int, first: _One, known: list[str] | None) -> Numbers:
    found = [first]
    while join := _JOIN.match(text, found[-1][2]):
        if re.match(r"1\s*/\s*[A-Za-z]", text[join.end() :]) and join[0].strip():
            break  # "35 1/cm, 1/gamma = 50 fs": another quantity
        if (
            re.match(r"[^\S\n]*\n\s*\(\d{1,2}\)\s|\(\d{1,2}\)\s", text[join.end() :])
            and "\n" in text[found[-1][2] : join.end() + 1]
        ):
            break  # "300 K and 500 K,\n(3) the energy": the number of the next item
        following = _one(text, join.end(), known)
        # "J = 1, h = 2": what follows the comma is another assignment, not a second value
        if following is None or re.match(r"\s*(?:=|:=|\bin\b\s*[\[{])", text[following[2] :]):
            break
        if following[0].names and not first[0].names:
            break
        if re.match(r"\s*-?[A-Za-z]", text[following[2] :]) and "," not in join[0] and not following[1] and first[1]:
            break
        if _COUNTS.match(text, following[2]) and not following[1]:
            break
        if following[1] and found[-1][1] and kind(following[1]) != kind(found[-1][1]):
            break  # "70 fs, 250 K": another quantity
        found.append(following)
    unit = next((unit for _, unit, _ in reversed(found) if unit), "")
    return Numbers(
        tuple(item for item, _, _ in found), unit, start, found[-1][2], "list" if len(found) > 1 else "single"
    )


def _progression(text: str, start: int, first: _One, known: list[str] | None) -> Numbers | None:
    """``0, 0.1, ..., 1``: a range whose first two members give its step."""
    ellipsis = re.compile(r"\s*,\s*([\d.eE+-]+)\s*,\s*(?:[\d.eE+-]+\s*,\s*)*\.\.\.?\s*,?\s*").match(text, first[2])
    if ellipsis is None:
        return None
    second = scalar_at(text, ellipsis.start(1), known)
    last = _one(text, ellipsis.end(), known)
    if second is None or last is None or second.names or first[0].names:
        return None
    return Numbers((first[0], last[0]), last[1], start, last[2], "range", None, second.value({}) - first[0].value({}))


def _bracketed(text: str, bracket: re.Match[str], known: list[str] | None) -> Numbers | None:
    closing = {"[": "]", "{": "}", "(": ")"}[bracket[1]]
    first = _one(text, bracket.end(), known)
    if first is None:
        return None
    progression = _progression(text, bracket.start(), first, known)
    if progression:
        return replace(progression, end=_close(text, progression.end, closing) or progression.end)
    found = _listed(text, bracket.end(), first, known)
    end = _close(text, found.end, closing) or (_close(text, found.end, ")") if closing == "]" else None)
    if end is None:
        return None
    if closing == ")" and len(found.items) == 1:
        return None  # plain arithmetic in brackets
    unit, behind = unit_at(text, end)
    interval = bracket[1] == "[" and len(found.items) == 2 and found.items[0].value_or_none() is not None
    points = _points(text, behind, unit or found.unit)
    if interval and (points[1] or points[2]):
        return Numbers(found.items, unit or found.unit, bracket.start(), points[0], "range", points[1], points[2])
    return Numbers(found.items, unit or found.unit, bracket.start(), behind, "interval" if interval else "list")


def _close(text: str, position: int, closing: str) -> int | None:
    match = re.compile(rf"\s*{re.escape(closing)}").match(text, position)
    return match.end() if match else None
