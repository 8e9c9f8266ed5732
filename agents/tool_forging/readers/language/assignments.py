"""What a task sets: ``gamma = 0.2``, ``J_coup = 10 J``, ``p in {0, 0.1}``, ``T = 300 K and 77 K``, a detuning of 1."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from labwright.agents.tool_forging.readers.language.clean import Clean
from labwright.agents.tool_forging.readers.language.numbers import Numbers, integer, numbers_at
from labwright.agents.tool_forging.readers.language.scalars import GREEK, NAME, NUMBER_WORDS, is_symbol, key

_SET = re.compile(
    rf"(?<![\w|<^}}])(?P<name>(?:1\s*/\s*)?{NAME}(?:\^[xyz])?)\s*(?:=|:=|~=?|\s+in\s*(?=[\[{{(]))\s*(?!=)"
)
# The same in words, for what looks like a symbol: "T1 of 20 us", "J is set to 1", "gamma: 0.2".
_SAID = re.compile(
    rf"(?<![\w|<^}}])(?P<name>{NAME})(?:\s*:\s*|\s+(?:is|are|was|of|equals?|being|measures|amounts to|"
    rf"(?:(?:shall|should|will|may) )?takes? "
    rf"(?:on )?(?:the )?values?|(?:is|are) (?:to be )?(?:compared|varied|swept|scanned)(?:\s*:|\s+(?:over|for|at|as))?|"
    r"(?:(?:is|are|was) )?"
    r"(?:set to|equal to|fixed (?:at|to)|chosen (?:as|to be)|taken (?:as|to be)|given by|varied over|kept at|"
    r"held at))\s+)(?:about\s+|exactly\s+)?"
    r"(?=[-+.]?\s*\d|[\[{(]\s*[-+]?\d|(?:from|between)\s+[-+]?\d)"
)
_BARE = re.compile(
    rf"(?<![\w|<^}}*/.-])(?<!- )(?P<name>(?:[A-Z]_?\w{{1,4}}|"
    rf"{'|'.join(sorted(GREEK))}(?:_\w+)?))\s+(?=\d+(?:\.\d+)?\s*[A-Za-z%])"
)
_NO_SYMBOLS = frozenset({"X", "Y", "Z", "H", "a", "I", "i", "j", "ZZ", "XX", "YY"})
_OF_BARE = (
    r"\s*"
    r"(?:\([^()\d]{1,40}\)\s*)?(?:=|:|->|is|are|was|equals?|equal to|set to|is set to|are set to|of|to|at|"
    r"fixed at|with value|values|amounts? to|comes? to|measures|"
    r"(?:is|are|was) (?:set to|chosen as|fixed (?:at|to)|taken (?:as|to be)|given by|given as)|takes? (?:on "
    r")?the values?|chosen as|being|lasts?|within)?\s*(?:exactly|about|roughly|only)?\s*"
)
_OF = r"\s*(?:\(?\s*(?P<symbol>(?:1\s*/\s*)?[A-Za-z]\w*(?:_\{[^}]*\})?)\s*\)?)?\s*" + _OF_BARE
_COUNT = "|".join(word for word in NUMBER_WORDS if word != "half")
_SMALL = r"(?:with|and|of|in|to|for|from|at|on|over|using|by|or|is|are)\b"
_THING = rf"(?<![\w.])(\d[\d,]*|{_COUNT})[\s-]+(?:(?!{_SMALL}|(?:{_COUNT})\b)[a-z]+[\s-]+){{0,2}}?"


@dataclass(frozen=True, slots=True)
class Assignment:
    """One symbol and what the text sets it to.

    Attributes:
        name: as written, such as ``J_coup`` or ``1/gamma``; compare with `key`.
        numbers: the value or values.
        start: offset of the name in the cleaned text.
        end: behind the value.
    """

    name: str
    numbers: Numbers
    start: int
    end: int

    @property
    def key(self) -> str:
        """The name without underscores and braces."""
        return key(self.name)


def assignments(task: Clean | str) -> list[Assignment]:
    """Every symbol with a number behind an equals sign or an ``in``, in the order of the text."""
    text = task if isinstance(task, str) else task.text
    return sorted(_together(_together(_written(text), _said(text)), _sweeps(text)), key=lambda one: one.start)


_VARIED = (
    r"(?:swept|varied|scanned|stepped|runs?|running|ranges?|ranging|goes|go|going|vary|varies|sweeps?|takes "
    r"values|raised|increased|tuned|taken|"
    r"changed|ramped|spans?|spanning|moved)"
)
_SWEEP = re.compile(
    rf"(?<![\w|<^}}*/])(?P<name>{NAME})\s*,?\s+(?:(?:is|are|be|being|was|to be|shall be|should be|will "
    rf"be)\s+)?(?:{_VARIED}\s+)?(?:over the range\s+|evenly\s+|uniformly\s+|linearly\s+|equally "
    rf"spaced\s+)*(?=(?:from|between|over)\s+[-+\d.]|(?:over|in)\s+\[)"
)
_SPREAD = re.compile(
    rf"(?P<count>\d+|[A-Za-z]+)\s+(?:(?:equally|evenly|uniformly|linearly)[- ]spaced\s+|equidistant\s+|"
    rf"different\s+|distinct\s+)?(?:values|points|settings|choices|angles?|strengths?)\s+(?:of|for|"
    rf"in)\s+(?:the\s+)?(?:\w+\s+){{0,3}}?(?P<name>{NAME})\s*,?\s*"
    r"(?:(?:evenly|equally|uniformly|linearly|(?P<log>logarithmically|geometrically))[- ]*(?:spaced|distributed)?\s*)?"
    r"(?=(?:from|between)\s+[-+\d.])"
)
# "w: five values evenly spaced from 0.1 to 1"
_LISTED = re.compile(
    rf"(?<![\w|<^}}*/])(?P<name>{NAME})\s*[:=]\s*(?P<count>\d+|[A-Za-z]+)\s+(?:(?:equally|evenly|uniformly|"
    rf"linearly)[- ]spaced\s+|"
    r"equidistant\s+|different\s+)?(?:values|points|settings)\s*,?\s*(?:(?:evenly|equally|uniformly|linearly|"
    r"(?P<log>logarithmically|geometrically))[- ]*(?:spaced|distributed)?\s*)?(?=(?:from|between)\s+[-+\d.])"
)
# "for W take nine values between 0.1 and 1"
_CHOSEN = re.compile(
    rf"\b[Ff]or\s+(?:the\s+(?:\w+\s+)?)?(?P<name>{NAME})\s*,?\s+(?:please\s+|we\s+|I\s+|you\s+|may\s+|can\s+)*"
    r"(?:take|use|choose|consider|want|need|try)\s+(?:the\s+)?(?P<count>\d+|[a-z]+)\s+(?:different\s+)?(?:values|"
    r"points)\s+"
    r"(?=(?:from|between)\s+[-+\d.])"
)
_HOW_MANY = re.compile(
    r"(?<![\w.])(?P<count>\d+|[a-z]+)\s+(?:(?:equally|evenly|uniformly|linearly)[- ]?spaced\s+|equidistant\s+|"
    r"equal\s+|different\s+|grid\s+)*(?P<what>values|points|steps|settings|intervals)\b|"
    r"\b(?:in\s+)?(?:equal\s+)?steps\s+of\s+(?P<step>\d*\.?\d+)"
)


def _sweeps(text: str) -> list[Assignment]:
    """Ranges with their number of values: ``x from 1 to 2 in 6 points``, ``six values of x from 1``."""
    found: list[Assignment] = []
    for match in [*_SPREAD.finditer(text), *_CHOSEN.finditer(text), *_LISTED.finditer(text), *_SWEEP.finditer(text)]:
        numbers = numbers_at(text, match.end())
        if numbers is None or numbers.kind not in {"range", "interval"} or not is_symbol(match["name"]):
            continue
        if (
            match["name"] in {"t", "a", "I", "i", "j", *"XYZH"}
            or re.match(r"A\s+(?!is\b|swept|varied|runs|goes)", match[0])
            or any(item.names for item in numbers.items)
            or any(one.start < numbers.end and match.start() < one.end for one in found)
        ):
            continue
        made = _counted(text, match, numbers)
        if match.groupdict().get("log"):
            made = replace(made, logarithmic=True)
        found.append(Assignment(match["name"], made, match.start("name"), numbers.end))
    return found


def _counted(text: str, match: re.Match[str], numbers: Numbers) -> Numbers:
    """A range with the number of its values, if the sentence gives it."""
    if numbers.points or numbers.step:
        return numbers
    said = integer(match["count"]) if "count" in match.re.groupindex else None
    if said:
        return replace(numbers, kind="range", points=said)
    rest = re.split(r"[.;](?:\s|$)", text[numbers.end : numbers.end + 90])[0]
    before = re.split(r"[.;]\s", text[max(0, match.start() - 60) : match.start()])[-1]
    for place, piece in ((numbers.end, rest), (None, before)):
        many = _HOW_MANY.search(piece)
        if many is None:
            continue
        end = place + many.end() if place is not None else numbers.end
        if many["step"]:
            return replace(numbers, kind="range", step=float(many["step"]), end=end)
        amount = integer(many["count"])
        if amount and amount > 1:
            return replace(numbers, kind="range", points=amount + (many["what"] in {"steps", "intervals"}), end=end)
    return numbers


def _together(written: list[Assignment], said: list[Assignment]) -> list[Assignment]:
    """Assignments with signs, and those in words that do not overlap with them."""
    return [*written, *(one for one in said if not any(a.start < one.end and one.start < a.end for a in written))]


def _said(text: str) -> list[Assignment]:
    found: list[Assignment] = []
    for match in _BARE.finditer(text):  # "T1 12.5 us": a symbol, a number, a unit
        numbers = numbers_at(text, match.end())
        if numbers is not None and is_symbol(match["name"]) and match["name"] not in _NO_SYMBOLS and numbers.unit:
            found.append(Assignment(match["name"], numbers, match.start(), numbers.end))
    for match in _SAID.finditer(text):
        if match["name"] in _NO_SYMBOLS or not is_symbol(match["name"]):
            continue
        numbers = numbers_at(text, match.end())
        if numbers is not None and not any(item.names for item in numbers.items) and not _is_operator(text, numbers):
            found.append(Assignment(match["name"], numbers, match.start(), numbers.end))
    return found


def _written(text: str) -> list[Assignment]:
    found: list[Assignment] = []
    for match in _SET.finditer(text):
        if match[0].rstrip().endswith(" in") and not is_symbol(match["name"].split("^")[0]):
            continue  # "values in {0, 1}" sets no symbol
        numbers = numbers_at(text, match.end())
        if numbers is None or (found and match.start() < found[-1].end and found[-1].numbers.kind == "range"):
            continue
        # H = X + 0.5 Z is no number: an operator follows the arithmetic
        if re.match(r"[ \t]*(?:[*@]|\^dag|<=|\|)", text[numbers.end :]) or _is_operator(text, numbers):
            continue
        found.append(Assignment(match["name"].replace(" ", ""), numbers, match.start(), numbers.end))
    return found


def _is_operator(text: str, numbers: Numbers) -> bool:
    rest = text[numbers.end : numbers.end + 14]
    if re.match(r"\s*(?:sigma|sum|S_|S\^|a\b(?=\s*\^?dag)|[XYZ]_|[XYZ]\b(?!-))", rest):
        return True
    return bool(re.search(r"\b(?:sigma|sum|[XYZ])(?:_|\b)", " ".join(item.text for item in numbers.items)))


def resolved(found: Sequence[Assignment], units: Mapping[str, float] | None = None) -> dict[str, list[float]]:
    """Values by name, symbols on the right side replaced by what the text sets them to.

    Where a name is set twice, both values are kept in order (cases of a comparison). Names whose right side needs
    a symbol that is never set are left out.

    Args:
        units: values for symbols that serve as units, such as ``{"J": 1.0}``.
    """
    known: dict[str, float] = dict(units or {})
    for _ in range(len(found) + 1):
        for one in found:
            values = _values(one, known)
            if values is not None and len(values) == 1 and one.key not in known:
                known[one.key] = values[0]
    result: dict[str, list[float]] = {}
    for one in found:
        values = _values(one, known)
        for value in values or ():
            if value not in result.setdefault(one.key, []):
                result[one.key].append(value)
    return result


def _values(one: Assignment, known: Mapping[str, float]) -> list[float] | None:
    names = {name for item in one.numbers.items for name in item.names}
    return one.numbers.values(known) if names <= known.keys() else None


def phrase(task: Clean | str, words: str) -> tuple[Numbers, int] | None:
    """The numbers behind a phrase: ``coupling strength g = 0.1``, ``a detuning of 2 MHz``; and where the phrase begins.

    Args:
        words: regular expression of the phrase, without groups that are named ``symbol``.
    """
    text = task if isinstance(task, str) else task.text
    for match in (
        one for way in (_OF, _OF_BARE) for one in re.finditer(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z]){way}", text, re.I)
    ):
        numbers = numbers_at(text, match.end())
        if numbers is not None and not (numbers.items[0].names and not re.match(r"\s*[\d(]", text[match.end() :])):
            return numbers, match.start()
    return _further(text, words) or _in_front(text, words)


# "the coupling between the two dyes is 8 meV": words of place between a quantity and its number
_PLACES = (
    r"(?:\s+(?:between|of|for|in|on|at|the|each|every|both|two|all|its|their|own|any|one|an?|whole|them|here|"
    r"used|neighbou?ring|nearest|neighbou?rs?|adjacent|sites?|qubits?|spins?|cavity|atoms?|"
    r"pair|chain|donor|acceptor|dyes?|baths?|system|electronic|ground|excited|states?|levels?|pigments?|"
    r"molecules?|monomers?|environment|site's|qubit's))+\s*"
    r"(?:=|:|(?:is|are|was)(?: set to| fixed (?:at|to)| equal to| chosen as)?|amounts? to|equals?|being|has "
    r"the value)\s*(?:about|exactly|only)?\s*(?=[-+.\d])"
)


def _further(text: str, words: str) -> tuple[Numbers, int] | None:
    for match in re.finditer(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z]){_PLACES}", text, re.I):
        numbers = numbers_at(text, match.end())
        if numbers is not None:
            return numbers, match.start()
    return None


_FRONT = (
    r"(?<![\w.^_])(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)[\s-]*(?P<rest>[A-Za-z/%^0-9.-]*)[\s-]+"
    r"(?:(?!with|and|of|in|to|for|from|at|on|over|by|or|is|are|the)[a-z]+[\s-]+)?"
)


def _in_front(text: str, words: str) -> tuple[Numbers, int] | None:
    """``a 5-MHz detuning``, ``20 us relaxation time``: a number with its unit in front of the phrase."""
    for match in re.finditer(rf"{_FRONT}(?:{words})(?![A-Za-z])", text, re.I):
        numbers = numbers_at(text, match.start())
        if numbers is not None and len(numbers.items) == 1 and numbers.unit and numbers.end <= match.end():
            return replace(numbers, end=match.end()), match.start()
    return None


def count(task: Clean | str, things: str) -> tuple[int, int, int] | None:
    """How many of something: ``10-qubit chain``, ``ten sites``, ``with 4096 shots``, ``N = 8`` is not among them.

    Returns:
        The number with start and end of the words; None if the text does not say.
    """
    text = task if isinstance(task, str) else task.text
    stated = re.search(
        (
            rf"\b(?:number of )?(?:{things})\s*(?:\(?[A-Za-z]\)?\s*)?[:=]\s*(\d[\d,]*|{_COUNT})\b(?!\.\d)|\bnumber "
            rf"of (?:{things})\s*(?:[A-Za-z]\s*)?(?:is|of|=|equals)?\s*(\d[\d,]*|{_COUNT})\b"
        ),
        text,
        re.I,
    )
    number = integer(stated[1] or stated[2]) if stated else None
    if stated and number is not None:
        return number, stated.start(), stated.end()
    for match in re.finditer(rf"{_THING}(?:{things})\b", text, re.I):
        number = integer(match[1])
        if number is not None:
            return number, match.start(), match.end()
    return None
