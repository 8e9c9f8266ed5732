"""Duration, slices, bounds and fidelity of the pulses of a control task, and the levels that they should keep empty."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.control.pulses import bounds, fidelity_goal
from labwright.agents.tool_forging.readers.control.slots import SLOTS
from labwright.agents.tool_forging.readers.control.told import ToldWords
from labwright.agents.tool_forging.readers.language.quantities import Quantity
from labwright.agents.tool_forging.readers.language.units import angular, converted
from labwright.tools.forge.families.control.spec import Penalty

_PENALTY = 1.0
_PARTS = {"half": 2, "quarter": 4, "fifth": 5, "tenth": 10, "hundredth": 100}
_LETTERS = {"second": "s", "nano": "n", "micro": "u", "pico": "p", "femto": "f", "milli": "m"}
_KEEP_EMPTY = re.compile(
    r"minimi[sz]|kept? (?:\w+ )?(?:small|low|empty)|penal|suppress|avoid|as little as possible|reduc|unpopulated|"
    r"unoccupied|keep|empty|dark|untouched|stay(?:s)? (?:out|clear)",
    re.I,
)
_MUST_BE_EMPTY = re.compile(r"\b(?:empty|unpopulated|unoccupied|penali[sz]\w*|leakage)\b", re.I)
_TWO = 2
_NO_PENALTY = re.compile(r"\b(?:without|no) (?:a )?penalt|\b(?:need|do|does) not\b|\bno need\b", re.I)
_HELD = r"(?:occup\w*|popul\w*|leak\w*)"
_GOES = r"\b(?:from|goes|moves?|transfer\w*)\b"
_SMALL = (
    r"\b(?:minimi\w*|minimal|small|low|avoid\w*|penali\w*|suppress\w*|reduc\w*|no|little|keep\w*|kept|negligible|"
    r"zero|empty|as possible)\b"
)
_STAYS = (
    r"\s*(?:(?:stays?|remains?|is|are|be|to|has|kept|keep|should|must|shall|as|left|always|mostly|nearly)\s+){0,6}"
    r"(?:empty|unpopulated|unoccupied|dark|untouched)"
)


class PulseWords(ToldWords):
    """Reads what the pulses have to keep."""

    def grid(self) -> tuple[float, str, int] | Question:
        """Duration, its unit, number of slices."""
        told = self.duration()
        if isinstance(told, Question):
            return told
        duration, unit = told
        slices = self.slices(duration, unit)
        if isinstance(slices, Question):
            return slices
        if slices is None:
            slices = 100
            self.assumed.append("No number of time slots is given; 100 are used.")
        return duration, _short(unit or self.unit_of_time), round(slices)

    def duration(self) -> tuple[float, str] | Question:
        """How long the pulses are, in the task's unit of time; empty for none."""
        told = self.filled.of("duration")
        if not told:  # "we have 5 us for it": the only time that is nothing else
            told = [one for one in self.filled.rest if one.kind == "time" and len(one.numbers.items) == 1]
        spans = {
            (self.in_unit(value, one.numbers.unit), self.unit_of_time if one.numbers.unit else "")
            for one in told
            for value in [item.value_or_none(self.values) for item in one.numbers.items]
            if value is not None and value > 0
        }
        if not spans:
            return Question(text="How long are the pulses (the duration T)?")
        if len(spans) > 1:
            return Question(text="The task gives several durations. How long are the pulses?")
        for one in told:
            self.account.use(one.start, one.end)
        return spans.pop()

    def in_unit(self, value: float, unit: str) -> float:
        """A time in the task's unit of time."""
        if not unit or unit == self.unit_of_time:
            return value
        return round(converted(value, unit, self.unit_of_time), 12)

    def slices(self, duration: float, unit: str) -> float | Question | None:
        """How many slices: told, or by their length; None if the text does not say."""
        slices, length = self.number("slices", 2, 1e5), self.number("length", 0)
        if length:
            own = next(one.numbers.unit for one in self.filled.of("length"))
            length = converted(length, own, unit) if own and unit else length
            if slices is not None and not math.isclose(slices * length, duration, rel_tol=0.01):
                return Question(
                    text=f"{slices:g} slices of {length:g} last {slices * length:g}, not {duration:g}. Which of the "
                    "duration, the number of slices and their length holds?"
                )
            slices = duration / length if slices is None else slices
        part = self.account.find(
            r"\bevery\s+(?:an?\s+)?(half|quarter|fifth|tenth|"
            r"hundredth)\s+(?:of\s+)?(?:an?\s+)?(?:time )?(?:unit|ns|us|nanosecond|microsecond)\b"
        )
        return duration * _PARTS[part[1].lower()] if slices is None and part else slices

    def bounds(self) -> tuple[float | None, float | None] | Question:
        """Of all amplitudes, in radian per unit of time if they have a unit: two ends, or one size for both signs."""
        ends: list[float] = []
        of_bounds = next(slot.symbols for slot in SLOTS if slot.name == "bound")
        of_others = {one.key for one in self.sets} - {"u", *of_bounds}
        for one in self.filled.of("bound"):
            if one.symbol in of_others:
                continue
            values = [item.value_or_none(self.values) for item in one.numbers.items]
            made = [self.rate(value, one) for value in values if value is not None]
            if len(made) == 2 and made[0] < made[1]:
                return made[0], made[1]
            ends += made if len(made) == 1 else []
        if not ends:
            return bounds(self.account)
        sizes = {round(abs(one), 9) for one in ends}
        if len(sizes) > 1:
            told = ", ".join(f"{one:g}" for one in sorted(sizes))
            return Question(text=f"The task gives several bounds ({told}). Which one holds for all amplitudes?")
        return -abs(ends[-1]), abs(ends[-1])

    def rate(self, value: float, one: Quantity) -> float:
        """An amplitude as angular frequency; cycles behind a written 2 pi are not multiplied again."""
        unit = one.numbers.unit
        if unit == f"radian/{self.unit_of_time}":
            return value
        made = angular(value, unit, self.unit_of_time)
        cycles = one.kind == "frequency" and self.unit_of_time
        return made / (2 * math.pi) if cycles and any("pi" in item.text for item in one.numbers.items) else made

    def fidelity_goal(self) -> float:
        """The fidelity to reach; of several the highest that is named."""
        reached = self.number("fidelity", 0.5, 100)
        missed = self.number("infidelity", 0, 0.5)
        if reached is not None and 0.5 < reached <= 1:
            return reached
        return 1 - missed if missed is not None else fidelity_goal(self.account)

    def penalties(self, spared: Collection[int]) -> list[Penalty] | Question:
        """Levels that the text wants kept empty; those that the transfer begins or ends in are `spared`."""
        found: list[int] = []
        empty = _emptied(self.levels)
        for sentence in self.body.sentences:
            if not _KEEP_EMPTY.search(sentence.text) or _NO_PENALTY.search(sentence.text):
                continue
            for match in empty.finditer(sentence.text):
                name = next(one for one in match.groups() if one)
                if self.levels.index(name) not in (*found, *spared):
                    found.append(self.levels.index(name))
                    self.account.use(sentence.start + match.start(), sentence.start + match.end())
                    why = re.match(r",\s*(?:as|because|since)\s+[^.;,\d]*", sentence.text[match.end() :])
                    self.account.use(
                        sentence.start + match.end(), sentence.start + match.end() + (why.end() if why else 0)
                    )
            if not found and _MUST_BE_EMPTY.search(sentence.text) and len(self.levels) > _TWO and not self.qubits:
                return Question(text="Which levels should stay empty?", options=self.levels)
        weight = self.value(r"penalty (?:weight|factor|strength)|weight", ("w", "alpha", "mu"))
        size = weight.values()[0] if weight and weight.kind == "single" else _PENALTY
        return [Penalty(level=one, weight=size) for one in found]


def _emptied(levels: Sequence[str]) -> re.Pattern[str]:
    """Where a text says which of these levels should be empty."""
    one = "|".join(re.escape(name) for name in levels)
    level = rf"(?:\|({one})>|\b(?:levels?|states?)\s+({one}))(?![\w>])"
    return re.compile(
        rf"{_SMALL}[^.;:]{{0,40}}?{_HELD}(?:(?!{_GOES})[^.;:]){{0,40}}?{level}|"
        rf"{_HELD}(?:(?!{_GOES})[^.;:|]){{0,40}}?{level}[^.;:]{{0,40}}?{_SMALL}|"
        rf"(?:intermediate|middle|leakage|upper|excited)[^.;]{{0,20}}?{level}|{level}{_STAYS}|"
        rf"(?:empty|avoid\w*|penali[sz]e\w*|suppress\w*|unpopulated|clear of)\b[^.;|\d]{{0,24}}{level}",
        re.I,
    )


def _short(unit: str) -> str:
    """``ns`` for a nanosecond."""
    for long, letter in _LETTERS.items():
        unit = unit.replace(long, letter)
    return unit
