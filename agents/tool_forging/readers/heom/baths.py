"""Baths of a HEOM task and the hierarchy that solves it."""

from __future__ import annotations

import re
from itertools import product
from typing import Literal

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.heom.starts import Starts
from labwright.agents.tool_forging.readers.heom.words_of_task import FS
from labwright.agents.tool_forging.readers.language.deliverables import wanted
from labwright.agents.tool_forging.readers.language.quantities import Quantity
from labwright.agents.tool_forging.readers.language.units import converted, kind
from labwright.tools.forge.families.heom.spec import BathCase

_ROOM = r"\broom temperature\b"
_SWEEP = (
    r"\b(?:sweep|vary|varied|scan|compare[sd]?|comparing|in turn|one after (?:the other|another)|take the \w+ "
    r"\w+ to be|values|strengths|"
    r"(?:three|several|four|five|two) (?:cut-?offs|reorgani[sz]ation|couplings to|temperatures|runs)|curves?|"
    r"for each of|first run)\b"
)


class Baths(Starts):
    """Reads baths, temperatures, depth and terms."""

    def temperatures(self) -> list[float] | Question:
        """In kelvin, each once, in the order of the text."""
        made: list[float] = []
        for one in self.filled.of("temperature"):
            for value in one.numbers.values({}):
                kelvin = converted(value, one.numbers.unit, "kelvin")
                if not any(abs(kelvin - other) < 1e-6 for other in made):
                    made.append(round(kelvin, 6))
        if not made and self.account.find(_ROOM):
            made = [298.15]
            self.assumed.append("Room temperature is taken as 298.15 K.")
        if not made:
            return Question(text="What is the temperature of the baths (K)?")
        wrong = [one for one in made if one <= 0]
        return Question(text=f"A temperature of {wrong[0]:g} K is none. Which is meant?") if wrong else made

    def cutoffs(self) -> list[tuple[float, Quantity]]:
        """Cutoff times in fs."""
        made: list[tuple[float, Quantity]] = []
        for one in self.filled.of("cutoff"):
            for value in one.numbers.values({}):
                time = self.cutoff_time(value, one)
                if time is not None and time > 0:
                    made.append((time, one))
        return made

    def cutoff_time(self, value: float, one: Quantity) -> float | None:
        what, unit = one.kind, one.numbers.unit
        if what == "time":
            return converted(value, unit, "femtosecond")
        if what in {"wavenumber", "energy"}:
            return FS / self.wavenumber(value, unit)
        if what in {"rate", "angular"}:
            return converted(1.0, unit.split("/")[1], "femtosecond") / value
        return FS / self.wavenumber(value, unit) if what == "frequency" else None

    def cases(self, size: int) -> list[BathCase] | Question | Unread:
        strength = self.energies("reorganization")
        if not strength:
            return Question(text="What is the reorganization energy of the baths (1/cm)?")
        cutoff = self.cutoffs()
        if not cutoff:
            return Question(text="What is the cutoff of the Drude-Lorentz baths: 1/gamma in fs, or gamma in 1/cm?")
        temperatures = self.temperatures()
        if isinstance(temperatures, Question):
            return temperatures
        rows = self.rows(strength, size, "reorganization energies")
        times = self.rows(cutoff, size, "cutoff times")
        if isinstance(rows, Question):
            return rows
        if isinstance(times, Question):
            return times
        names = self.label_names()
        made = []
        for lam, tau, kelvin in product(rows, times, temperatures):
            labels = {names[0]: kelvin}
            if len(rows) > 1:
                labels[names[1]] = self.written("reorganization", lam[0], strength)
            if len(times) > 1:
                labels[names[2]] = self.written("cutoff", tau[0], cutoff)
            made.append(BathCase(labels=labels, temperature=kelvin, reorganization=list(lam), cutoff_times=list(tau)))
        return made

    def written(self, slot: str, value: float, told: list[tuple[float, Quantity]]) -> float:
        """A value as the text gives it: a cutoff in 1/cm is labelled so."""
        for one in self.filled.of(slot):
            for own in one.numbers.values({}):
                unit = one.numbers.unit or self.energy_unit
                same = self.cutoff_time(own, one) if slot == "cutoff" else self.wavenumber(own, unit)
                if same is not None and abs(same - value) < 1e-9:
                    return own
        return value

    def rows(self, told: list[tuple[float, Quantity]], size: int, name: str) -> list[tuple[float, ...]] | Question:
        """Values as cases, or as one row with a value for each site."""
        values = list(dict.fromkeys(value for value, _ in told))
        if len(values) == 1:
            return [(values[0],) * size]
        single = all(len(one.numbers.items) == 1 for _, one in told)
        owners: list[int | None] = self.owners([one for _, one in told]) if single else [None]
        if len(told) == size and None not in owners and len(set(owners)) == size:
            return [tuple(told[owners.index(k)][0] for k in range(size))]
        around = " ".join(self.text[max(0, one.start - 80) : one.end + 60] for _, one in told)
        local = re.search(
            r"\brespectively\b|\bfor sites? \d and|of the (?:first|donor|left)\b|\bof sites?\b", around, re.I
        )
        sweeps = re.search(_SWEEP, self.text, re.I)
        if len(told) == size and local and not (sweeps and not re.search(r"respectively", around)):
            return [tuple(value for value, _ in told)]
        if len(values) == size and not sweeps:
            return Question(
                text=f"Are the {size} {name} those of the {size} sites, or values of a comparison?",
                options=["sites", "comparison"],
            )
        return [(value,) * size for value in values]

    def label_names(self) -> tuple[str, str, str]:
        names = [name for item in wanted(self.body.wanted, "population") for name in item.labels]
        strength = next((one for one in names if re.search(r"lam|reorg", one, re.I)), "reorganization_energy")
        told = self.filled.of("cutoff")
        usual = "cutoff_time" if not told or told[0].kind == "time" else "cutoff"
        cutoff = next((one for one in names if re.search(r"gamma|cut|tau", one, re.I)), usual)
        heat = next((one for one in names if re.search(r"temp|^T$", one)), "temperature")
        return heat, strength, cutoff

    def hierarchy(self) -> tuple[int, int] | Question:
        depth, terms = self.count_of("depth"), self.count_of("terms")
        if self.account.find(r"\bno (?:Matsubara|Pad[eé])"):
            terms = 0 if terms is None else terms
        if depth == -1 or terms == -1:
            return Question(
                text="The task gives several values for the depth or the terms of the hierarchy. Which one?"
            )
        if depth is None:
            depth = 4
            self.assumed.append("No depth of the hierarchy is given; 4 is used and compared with a shallower one.")
        if terms is None:
            terms = 2
            self.assumed.append(
                "No number of Matsubara terms is given; 2 are used, and what more would do is reported."
            )
        return depth, terms

    def expansion(self) -> Literal["matsubara", "pade"]:
        """The series of the bath's correlation function; the one that is told to be left out is not meant."""
        self.account.every(r"\b(?:no|not|without) (?:a |the )?(?:Matsubara|Pad[eé])(?: (?:terms?|expansion|series))?")
        return "pade" if re.search(r"(?<!\bno )(?<!\bnot )(?<!\bwithout )\bPad[eé]\b", self.text, re.I) else "matsubara"

    def count_of(self, slot: str) -> int | None:
        """The one whole number in a slot; None without any, -1 for several."""
        values = {
            round(value)
            for one in self.filled.of(slot)
            for value in one.numbers.values({})
            if kind(one.numbers.unit or "") == ""
        }
        if len(values) > 1:
            return -1
        return values.pop() if values else None

    def terminator(self) -> bool:
        without = self.account.find(
            r"\b(?:without|no|not|omit\w*|leave out|excluding)\s+(?:(?:using|include|including|with|the|a|any)\s+){0,2}"
            r"(?:Tanimura |Ishizaki[- ]Tanimura )?terminator|terminator\s*[:=]\s*(?:no|none|off|false)\b"
        )
        if without:
            return False
        if self.account.every(r"\bterminators?\b"):
            return True
        self.assumed.append(
            "No terminator is asked for, so that the bath is cut at the given terms; its effect is reported."
        )
        return False
