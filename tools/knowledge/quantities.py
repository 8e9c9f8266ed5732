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
    "nanosecond": "ns", "nanoseconds": "ns", "nsec": "ns",
    "microsecond": "us", "microseconds": "us", "usec": "us", "µs": "us", "μs": "us", "mus": "us",
    "millisecond": "ms", "milliseconds": "ms", "msec": "ms",
    "second": "s", "seconds": "s", "sec": "s",
    "hertz": "Hz", "hz": "Hz",
    "kilohertz": "kHz", "khz": "kHz",
    "megahertz": "MHz", "mhz": "MHz", "megacycles": "MHz",
    "gigahertz": "GHz", "ghz": "GHz",
    "percent": "%", "per cent": "%", "full scale": "",
    "radian": "rad", "radians": "rad",
    "degree": "deg", "degrees": "deg", "°": "deg",
    "volt": "V", "volts": "V", "millivolt": "mV", "millivolts": "mV",
    "kelvin": "K", "millikelvin": "mK",
}  # fmt: skip
WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "sixteen": 16, "twenty": 20, "thirty": 30, "forty": 40,
    "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
SCALES = {"hundred": 100, "thousand": 1000, "k": 1000, "million": 1_000_000}
FRACTIONS = {"half a": 0.5, "half an": 0.5, "a quarter of a": 0.25, "one and a half": 1.5}

_UNIT = "|".join(sorted(map(re.escape, {*filter(None, UNITS), *SPELLINGS}), key=len, reverse=True))
# The sign of "+-5 MHz" is none. "0,5" and "10,5 us" are decimals as Germans write them; "1,500" are thousands.
_DIGITS = r"(?:(?<![\w+/])[+\-−])?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+|(?<=\d)\.?)(?:[eE][+\-]?\d+)?"
_COMMA = rf"(?<![\d,.])[+\-−]?(?:0,\d+|\d+,\d{{1,2}}(?=\s?(?:{_UNIT})(?![A-Za-z0-9])))(?![\d,.]\d|\d)"
_WORD = "|".join(sorted(WORDS, key=len, reverse=True))
_NUMBER = re.compile(
    rf"(?:(?<![\w.])(?<![A-Za-z][-–])(?:(?P<comma>{_COMMA})|(?P<digits>{_DIGITS}))"
    r"(?:\s?(?P<scale>k|thousand|hundred|million)\b)?"
    rf"|\b(?P<fraction>{'|'.join(FRACTIONS)})(?=\s(?:{_UNIT})\b)"
    rf"|\b(?P<word>{_WORD})(?:[-\s](?P<digit>one|two|three|four|five|six|seven|eight|nine))?"
    rf"(?:\s(?P<wordscale>hundred|thousand|million))?\b)"
    rf"(?P<unit>[\s-]*(?:{_UNIT})(?![A-Za-z0-9]))?",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s*(?:-|–|—|to|and|until|through|up to|\.\.\.?)\s*", re.IGNORECASE)


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
    found = [_mention(match) for match in _NUMBER.finditer(text) if _stands_alone(text, match)]
    for i in range(len(found) - 2, -1, -1):
        left, right = found[i], found[i + 1]
        if not left.unit and right.unit and _BETWEEN.fullmatch(text[left.end : right.start]):
            found[i] = Mention(left.value, right.unit, left.start, left.end, left.spelled, left.text)
    return tuple(found)


def _stands_alone(text: str, match: re.Match[str]) -> bool:
    behind = text[match.end() : match.end() + 1]
    if match["unit"] is None and match["scale"] is None and match["digits"] is not None and behind.isalnum():
        return False
    return not (behind == "/" or text[: match.start()].rstrip().endswith("/"))


def _mention(match: re.Match[str]) -> Mention:
    digits = match["comma"].replace(",", ".") if match["comma"] is not None else match["digits"]
    if digits is not None:
        value = float(digits.replace(",", "").replace("−", "-"))
        value *= SCALES[match["scale"].lower()] if match["scale"] else 1
    elif match["fraction"] is not None:
        value = FRACTIONS[match["fraction"].lower()]
    else:
        value = float(WORDS[match["word"].lower()] + (WORDS[match["digit"].lower()] if match["digit"] else 0))
        value *= SCALES[match["wordscale"].lower()] if match["wordscale"] else 1
    unit = canonical_unit(match["unit"]) if match["unit"] else ""
    return Mention(value, unit, match.start(), match.end(), digits is None, match.group())
