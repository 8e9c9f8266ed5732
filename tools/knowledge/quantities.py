"""Numbers with units, as people write them in lab English: found, converted, compared.

Times are kept in us and frequencies in MHz once converted; the text may use any unit of the table.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

# symbol -> (dimension, size in the dimension's default unit: us, MHz, 1, rad)
UNITS: dict[str, tuple[str, float]] = {
    "ns": ("time", 1e-3),
    "us": ("time", 1.0),
    "ms": ("time", 1e3),
    "s": ("time", 1e6),
    "Hz": ("frequency", 1e-6),
    "kHz": ("frequency", 1e-3),
    "MHz": ("frequency", 1.0),
    "GHz": ("frequency", 1e3),
    "%": ("number", 1e-2),
    "": ("number", 1.0),
    "rad": ("angle", 1.0),
    "deg": ("angle", math.pi / 180),
    "dB": ("level", 1.0),
    "dBm": ("power", 1.0),
    "V": ("voltage", 1.0),
    "mV": ("voltage", 1e-3),
    "K": ("temperature", 1.0),
    "mK": ("temperature", 1e-3),
}
SPELLINGS = {
    "nanosecond": "ns", "nanoseconds": "ns", "nsec": "ns", "nsecs": "ns", "nanosec": "ns", "nanos": "ns",
    "microsecond": "us", "microseconds": "us", "usec": "us", "usecs": "us", "microsec": "us", "micros": "us",
    "µsec": "us", "micro seconds": "us", "micro-seconds": "us", "nano seconds": "ns", "mega hertz": "MHz",
    "µs": "us", "μs": "us", "mus": "us",
    "millisecond": "ms", "milliseconds": "ms", "msec": "ms",
    "second": "s", "seconds": "s", "sec": "s",
    "hertz": "Hz", "hz": "Hz",
    "kilohertz": "kHz", "khz": "kHz",
    "megahertz": "MHz", "mhz": "MHz", "megacycles": "MHz", "meg": "MHz", "megs": "MHz", "gig": "GHz", "gigs": "GHz",
    "gigahertz": "GHz", "ghz": "GHz",
    "dbfs": "",  # of full scale, see `_mention`
    "percent": "%", "per cent": "%", "pct": "%", "dac units": "", "of full scale": "", "full scale": "",
    "of the full scale": "", "of full-scale": "", "of maximum": "", "of the maximum": "", "FS": "", "of FS": "",
    "radian": "rad", "radians": "rad",
    "degree": "deg", "degrees": "deg", "°": "deg",
    "volt": "V", "volts": "V", "millivolt": "mV", "millivolts": "mV",
    "kelvin": "K", "millikelvin": "mK",
}  # fmt: skip
WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
SCALES = {"hundred": 100, "thousand": 1000, "k": 1000, "million": 1_000_000}
FRACTIONS = {
    "half a": 0.5, "half an": 0.5, "a half": 0.5, "half": 0.5, "a quarter of a": 0.25, "a quarter": 0.25,
    "one and a half": 1.5, "two and a half": 2.5, "three and a half": 3.5, "a hundred": 100.0, "a thousand": 1000.0,
    "three quarters of a": 0.75, "three quarters": 0.75, "a tenth": 0.1, "one tenth": 0.1, "a tenth of a": 0.1,
    "a fifth": 0.2, "one fifth": 0.2, "a fifth of a": 0.2, "three tenths": 0.3, "one half": 0.5, "one quarter": 0.25,
    "four and a half": 4.5, "two fifths": 0.4,
}  # fmt: skip

_UNIT = "|".join(sorted(map(re.escape, {*filter(None, UNITS), *SPELLINGS}), key=len, reverse=True))
# The sign of "+-5 MHz" is none. "0,5" and "10,5 us" are decimals as Germans write them; "1,500" are thousands.
_DIGITS = (
    r"(?:(?<![\w+/])[+\-−])?(?:\d{1,3}(?:[,_\u202f\u00a0]\d{3})+|\d{1,3} (?:000|500)(?!\d)|\d+)?"
    r"(?:\.\d+|(?<=\d)\.?)(?:[eE][+\-]?\d+)?"
)
# Three digits behind the comma are decimals only before GHz: nothing here has thousands of them.
_GIGA = r"\d{1,2},\d{3}(?=\s?(?:GHz|gigahertz)(?![A-Za-z0-9]))"
_COMMA = rf"(?<![\d,.])[+\-−]?(?:0,\d+|{_GIGA}|\d+,\d{{1,2}}(?=\s?(?:{_UNIT})(?![A-Za-z0-9])))(?![\d,.]\d|\d)"
_WORD = "|".join(sorted(WORDS, key=len, reverse=True))
_SMALL = rf"(?:{_WORD})(?:[-\s](?:one|two|three|four|five|six|seven|eight|nine)\b)?"
_SPOKEN = (
    rf"(?:(?:an?|{_SMALL})\s(?:hundred|thousand|million)|{_SMALL})"
    rf"(?:\s(?:hundred|thousand)|\s(?:and\s)?{_SMALL}(?=\s(?:hundred|thousand)))*(?:(?:(?<=hundred)"
    rf"|(?<=thousand))(?:\sand)?\s{_SMALL})?"
    rf"(?:\spoint(?:\s(?:{_WORD}))+)?"
)
_NUMBER = re.compile(
    rf"(?:(?<![\w.])(?<![A-Za-z][-–])(?:(?P<comma>{_COMMA})"
    rf"|(?P<minus>(?<!or )(?<!/)(?<!/ )(?<!plus )(?<!plus-)\bminus\s)?(?P<digits>{_DIGITS}))"
    r"(?:\s?(?P<scale>k|thousand|hundred|million)\b)?"
    rf"|\b(?P<fraction>{'|'.join(sorted(FRACTIONS, key=len, reverse=True))})(?=[\s-](?:{_UNIT}|times)\b)"
    rf"|\b(?P<spoken>(?:(?<!or )(?<!/)(?<!/ )(?<!plus )(?<!plus-)minus\s)?{_SPOKEN})\b)"
    rf"(?P<unit>[\s-]*(?:{_UNIT})(?![A-Za-z0-9]))?",
    re.IGNORECASE,
)
_DOTS = re.compile(r"(?<=[\dA-Za-z])\s?(?:\.{2,3}|…)\s?(?=[-+−]?\.?\d)")  # "-40..40 MHz"
_TIMES = re.compile(r"[x×](?=\s|$|[,.;)])", re.IGNORECASE)  # "5x"
_PI_OVER = re.compile(r"(?:pi|π)\s*/\s+$|(?:sqrt\(|√)$", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*(?:-|–|—|to|and|until|through|up to|\.\.\.?)(?:\s+plus)?\s*", re.IGNORECASE)
# "amplitude 0.35 up to 200 ns": what has no unit of its own takes none from the next number
_NO_UNIT = re.compile(r"\b(?:amplitude|amp|ampl|strength)\s*(?:of|=|:|is|at)?\s*$", re.IGNORECASE)


_ANGLE = re.compile(
    r"(?P<sign>[-−]\s?|\bminus\s)?(?:(?P<factor>\d+(?:\.\d+)?)\s?[*·]?\s?|(?P<half>\bhalf\s))?"
    r"(?<![A-Za-z])(?:pi|π)(?![A-Za-z])(?:\s?/\s?(?P<over>\d+(?:\.\d+)?))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Mention:
    """One number in a text.

    Attributes:
        value: in `unit`, as written.
        unit: canonical symbol, empty for a pure number.
        start: index of its first character.
        end: index behind its last character, unit included.
        spelled: written in words ("four"), so that it may be no quantity at all.
        text: as written.
    """

    value: float
    unit: str
    start: int
    end: int
    spelled: bool
    text: str

    def within(self, unit: str) -> float | None:
        """The value in `unit`; None if the dimensions differ."""
        return converted(self.value, self.unit, unit)


def angles(text: str) -> tuple[tuple[float, int, int], ...]:
    """Angles written with pi, in rad, and where they stand: "pi/2", "-0.25 pi", "half pi"."""
    found = []
    for match in _ANGLE.finditer(text):
        factor = float(match["factor"]) if match["factor"] else 0.5 if match["half"] else 1.0
        value = factor * math.pi / float(match["over"] or 1)
        found.append((-value if match["sign"] else value, match.start(), match.end()))
    return tuple(found)


def canonical_unit(text: str) -> str:
    """The table's symbol for a unit as written; case matters only where symbols differ by case."""
    bare = text.strip(" -")
    return bare if bare in UNITS else SPELLINGS.get(bare, SPELLINGS.get(bare.lower(), bare.lower()))


def converted(value: float, unit: str, to: str) -> float | None:
    """`value` of `unit` in the unit `to`, rounded to 12 digits; None if the dimensions differ or are unknown."""
    source, target = UNITS.get(canonical_unit(unit)), UNITS.get(canonical_unit(to))
    if source is None or target is None or source[0] != target[0]:
        return None
    return float(f"{value * source[1] / target[1]:.12g}")


def same(a: float, b: float) -> bool:
    """Equal up to the rounding of a unit conversion."""
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12)


def mentions(text: str) -> tuple[Mention, ...]:
    """Every number of `text`, in order. Digits inside names (Q1, T2, pi/2) are no numbers.

    In a range ("1 to 20 us", "4.8-4.9 GHz") the first number takes the unit of the second.
    """
    text = _DOTS.sub(lambda dots: "–".center(len(dots[0])), text)
    found = [_mention(match) for match in _NUMBER.finditer(text) if _stands_alone(text, match)]
    for i in range(len(found) - 2, -1, -1):
        left, right = found[i], found[i + 1]
        joined = _BETWEEN.fullmatch(text[left.end : right.start])
        if joined and not left.unit and right.unit and not _NO_UNIT.search(text[: left.start]):
            found[i] = Mention(left.value, right.unit, left.start, left.end, left.spelled, left.text)
    return tuple(found)


def _stands_alone(text: str, match: re.Match[str]) -> bool:
    behind = text[match.end() : match.end() + 1]
    before = text[: match.start()]
    if match["unit"] is None and match["scale"] is None and match["digits"] is not None and behind.isalnum():
        return bool(_TIMES.match(text, match.end()))
    return not (behind == "/" or (before.endswith("/") and not before.endswith("w/")) or _PI_OVER.search(before))


def _mention(match: re.Match[str]) -> Mention:
    digits = match["comma"].replace(",", ".") if match["comma"] is not None else match["digits"]
    if digits is not None:
        value = float(re.sub(r"[,_\s]", "", digits).replace("−", "-"))
        value = -value if match["minus"] else value
        value *= SCALES[match["scale"].lower()] if match["scale"] else 1
    elif match["fraction"] is not None:
        value = FRACTIONS[match["fraction"].lower()]
    else:
        value = _spoken(match["spoken"])
    unit = canonical_unit(match["unit"]) if match["unit"] else ""
    if match["unit"] and match["unit"].strip(" -").lower() == "dbfs":
        value = float(f"{10 ** (min(value, 0.0) / 20):.12g}")  # an amplitude: 20 dB are a factor of ten
    return Mention(value, unit, match.start(), match.end(), digits is None, match.group())


def _spoken(text: str) -> float:
    """ "two thousand five hundred" -> 2500, "zero point two five" -> 0.25."""
    whole, _, behind = re.sub(r"[-\s]+", " ", text.lower()).partition(" point ")
    total = group = 0.0
    sign = -1 if whole.startswith("minus ") else 1
    for word in whole.removeprefix("minus ").split():
        if word == "hundred":
            group = max(group, 1) * 100
        elif word in ("thousand", "million"):
            total, group = total + max(group, 1) * SCALES[word], 0.0
        elif word in ("a", "an"):
            group += 1
        elif word != "and":
            group += WORDS[word]
    digits = "".join(f"{WORDS[word]:g}" for word in behind.split())
    return sign * (total + group + (float(f"0.{digits}") if digits else 0.0))
