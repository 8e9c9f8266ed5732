"""Units of a control task, values of its symbols in them, and stretches of it that are formulas."""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np

from labwright.agents.tool_forging.readers.control.formula import Driven, driven
from labwright.agents.tool_forging.readers.control.words_of_task import Words
from labwright.agents.tool_forging.readers.language.quantities import quantities
from labwright.agents.tool_forging.readers.language.units import angular, canonical, converted, kind

FORMULAS = re.compile(
    r"\bexp\([^()]*(?:\([^()]*\)[^()]*)*\)|\be\^\{[^{}]*\}|"
    r"\|?\s*Tr\s*[\[(][^\])]*[\])]\s*\|?\s*(?:\^2)?\s*/\s*\(?d?\^?\d*\)?|"
    r"\|\s*<[^|<>]*\|[^|<>]*>\s*\|(?:\^2)?|sqrt\(?\s*2\s*\)?"
)
_TIMES_IN = re.compile(r"\b(?:rad(?:ians?)?\s*/\s*|times?\s+(?:(?:is|are)\s+)?in\s+)(?P<unit>[munpf]s)\b")
RATES = frozenset({"frequency", "angular", "rate", "energy", "wavenumber"})
_LADDER = re.compile(r"\belements\s+(?:are\s+)?1(?:\s*,\s*(?:and\s+)?sqrt\s*\(?\s*\d\s*\)?)+")


class MeasuredWords(Words):
    """Reads units and formulas."""

    @cached_property
    def formulas(self) -> list[tuple[int, int]]:
        """Stretches that are targets or figures of merit."""
        found = [match.span() for match in FORMULAS.finditer(self.text)]
        found += [match.span() for match in _LADDER.finditer(self.text) if _is_ladder(match)]
        return found if self.formula is None else [*found, (self.formula.start, self.formula.end)]

    @cached_property
    def formula(self) -> Driven | None:
        """The Hamiltonian as one formula of time."""
        return driven(self.text, self.with_units(), self.space, self.unit_of_time)

    @cached_property
    def unit_of_time(self) -> str:
        """That of the longest time, else the one that the text says; empty for none."""
        times = [one for one in quantities(self.body) if one.kind == "time"]
        if times:
            longest = max(times, key=lambda one: converted(one.numbers.values({})[-1], one.numbers.unit, "second"))
            return longest.numbers.unit
        said = _TIMES_IN.search(self.text)
        return canonical(said["unit"]) if said else ""

    def with_units(self) -> dict[str, float]:
        """Values of symbols; what is told with a unit of frequency or energy is in radian per unit of time."""
        made = dict(self.values)
        for one in self.sets:
            unit = one.numbers.unit
            if one.key not in made or kind(unit) not in RATES or len(one.numbers.items) != 1:
                continue
            item = one.numbers.items[0]
            value = item.value_or_none(made)
            if value is not None:
                written = kind(unit) == "frequency" and "pi" in item.text and bool(self.unit_of_time)
                made[one.key] = angular(value, unit, self.unit_of_time) / (2 * np.pi if written else 1)
        for one in self.sets:  # those that others are told by
            if one.key in made and not one.numbers.unit and len(one.numbers.items) == 1 and one.numbers.items[0].names:
                value = one.numbers.items[0].value_or_none(made)
                made[one.key] = made[one.key] if value is None else value
        return made


def _is_ladder(match: re.Match[str]) -> bool:
    """Whether the elements are 1, sqrt 2, sqrt 3 and so on."""
    roots = [int(one) for one in re.findall(r"sqrt\W*(\d)", match[0])]
    return roots == list(range(2, len(roots) + 2))
