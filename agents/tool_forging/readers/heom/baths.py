"""Baths of a HEOM task and the hierarchy that solves it."""

from __future__ import annotations

import re
from itertools import product

import numpy as np

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import Unread
from labwright.agents.tool_forging.readers.heom.words_of_task import Quantity, Words
from labwright.agents.tool_forging.readers.language.deliverables import wanted
from labwright.agents.tool_forging.readers.language.numbers import integer
from labwright.agents.tool_forging.readers.language.units import converted, kind
from labwright.tools.forge.families.heom.spec import BathCase

_MEANT = re.compile(
    r"\bHEOM\b|hierarch(?:y|ical)[- ]equations?[- ]of[- ]motion|hierarchical equations|"
    r"\bDrude\b(?=.*\b(?:tiers?|Matsubara|hierarchy|depth)\b)|\b(?:tiers?|Matsubara|hierarchy)\b(?=.*\bDrude\b)",
    re.I | re.S,
)
_OTHER = re.compile(
    r"\b(?:Brownian|underdamped|Ohmic|sub-?Ohmic|super-?Ohmic|Lorentzian bath|Redfield|Lindblad|Förster|Forster|TEDOPA"
    r"|path integral|fermionic|vibronic|absorption spectr\w+|2D spectr\w+|trapping|sink|static disorder)\b",
    re.I,
)
_PER_CM = 8065.543937  # 1/cm in one eV
_FS = 1e15 / (2 * np.pi * 2.99792458e10)  # fs of the inverse of 1/cm as an angular frequency
_LENGTHS = {"dimer": 2, "trimer": 3, "tetramer": 4, "pentamer": 5, "hexamer": 6}


class Baths(Words):
    """Reads baths, temperatures, depth and terms."""

    def cutoffs(self) -> Quantity | None:
        """Cutoff times in fs."""
        time = self.numbers(
            (
                r"(?:bath )?(?:cut-?off|correlation|relaxation|memory|Debye)[- ]times?|correlations?(?: "
                r"function)?(?: decays?| relaxes)?(?: with)?"
            ),
            ("1/gamma", "tauc", "taub", "tau", "gamma^-1"),
        )
        if time is not None and kind(time.unit) == "time":
            return Quantity(tuple(converted(one, time.unit, "femtosecond") for one in time.values()), "fs")
        rate = self.numbers(
            r"(?:bath )?(?:cut-?off|relaxation|Debye|damping)[- ](?:frequenc(?:y|ies)|rates?)|cut-?off",
            ("gamma", "omegac", "Lambda", "omegaD", "gammac"),
        )
        if rate is None:
            return None
        what = kind(rate.unit) if rate.unit else ""
        if what == "time":
            return Quantity(tuple(converted(one, rate.unit, "femtosecond") for one in rate.values()), "fs")
        if what == "wavenumber":
            return Quantity(tuple(_FS / one for one in rate.values()), "1/cm")
        if what in {"rate", "angular"}:
            per = converted(1.0, rate.unit.split("/")[1], "femtosecond")
            return Quantity(tuple(per / one for one in rate.values()), "rate")
        return None

    def cases(self, size: int) -> list[BathCase] | Question | Unread:
        strength = self.energy(r"reorgani[sz]ation energ(?:y|ies)", ("lambda", "lam", "E_R", "ER"))
        if strength is None:
            return Question(text="What is the reorganization energy of the baths (1/cm)?")
        cutoff = self.cutoffs()
        if cutoff is None:
            return Question(text="What is the cutoff of the Drude-Lorentz baths: 1/gamma in fs, or gamma in 1/cm?")
        warm = self.numbers(r"temperatures?|\bat (?=\d+(?:\.\d+)?\s*K\b)", ("T",))
        if warm is None:
            loose = re.search(r"\b(\d+(?:\.\d+)?)\s*K\b", self.text)
            if loose is None:
                return Question(text="What is the temperature of the baths (K)?")
            temperatures = [float(loose[1])]
            self.account.use(*loose.span())
        else:
            temperatures = warm.values()
        # "300 K and 77 K", "T = 77 K" told twice
        for match in self.account.every(r"\b\d+(?:\.\d+)?\s*K\b"):
            value = float(match[0].split("K")[0])
            if value not in temperatures:
                temperatures.append(value)
        per_site = [bool(re.search(words, self.text, re.I)) for words in (r"respectively", r"for sites? \d and")]
        sweeps = re.search(r"\b(?:for each|sweep|vary|scan|compare|each of|three|several|values)\b", self.text, re.I)
        for one, name in ((strength, "reorganization energies"), (cutoff, "cutoff times")):
            if len(one.values) == size and len(one.values) > 1 and not any(per_site) and not sweeps:
                return Question(
                    text=f"Are the {size} {name} those of the {size} sites, or values of a comparison?",
                    options=["sites", "comparison"],
                )
        local = any(per_site) and not sweeps
        rows = [strength.values] if local and len(strength.values) == size else [(v,) * size for v in strength.values]
        times = [cutoff.values] if local and len(cutoff.values) == size else [(v,) * size for v in cutoff.values]
        names = self.label_names()
        made = []
        for lam, tau, kelvin in product(rows, times, temperatures):
            labels = {names[0]: kelvin}
            if len(rows) > 1:
                labels[names[1]] = lam[0]
            if len(times) > 1:
                labels[names[2]] = tau[0]
            made.append(BathCase(labels=labels, temperature=kelvin, reorganization=list(lam), cutoff_times=list(tau)))
        return made

    def label_names(self) -> tuple[str, str, str]:
        names = [name for item in wanted(self.body.wanted, "population") for name in item.labels]
        strength = next((one for one in names if re.search(r"lam|reorg", one, re.I)), "reorganization_energy")
        cutoff = next((one for one in names if re.search(r"gamma|cut|tau", one, re.I)), "cutoff_time")
        heat = next((one for one in names if re.search(r"temp|^T$", one)), "temperature")
        return heat, strength, cutoff

    def hierarchy(self) -> tuple[int, int] | Question:
        number = r"(\d+|one|two|three|four|five|six|seven|eight|no)"
        behind = r"[\s_]*(?:\(?[A-Za-z]\w{0,3}\)?\s*)?(?:=|:|of|is|to|equal to)?\s*"
        depth = self.count_of(
            (
                rf"(?:depth|tiers?\)?|max_?depth|truncation level|cut-?off(?= at (?:tier|level)))(?: at (?:tier|"
                rf"level))?{behind}{number}\b"
            ),
            rf"{number}[\s-]+(?:tiers?|levels? deep)\b",
        )
        kinds = r"(?:Matsubara|Pad[eé]|exponential)"
        terms = self.count_of(
            rf"{kinds}[\s-]+(?:terms?|frequenc(?:y|ies)|exponents?|modes?|cutoff){behind}{number}\b(?!\s*{kinds})",
            rf"{number}\s+(?:\w+\s+)?{kinds}",
            rf"\bN_?\{{?k\}}?\s*=\s*{number}\b",
        )
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

    def count_of(self, *patterns: str) -> int | None:
        """The one number that the patterns find; None without any, -1 for several."""
        found = [match for pattern in patterns for match in self.account.every(pattern)]
        values = {0 if match[1].lower() == "no" else integer(match[1]) for match in found}
        if len(values) > 1:
            return -1
        return values.pop() if values else None

    def terminator(self) -> bool:
        without = self.account.find(r"(?:without|no) (?:a |the )?(?:Tanimura |Ishizaki[- ]Tanimura )?terminator")
        if without:
            return False
        if self.account.find(r"(?:with|using|include|add)[^.;]{0,20}terminator"):
            return True
        self.assumed.append(
            "No terminator is asked for, so that the bath is cut at the given terms; its effect is reported."
        )
        return False
