"""What symbols stand for in a task about few levels: numbers in one system of units, and which of them vary."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from labwright.agents.tool_forging.readers.language.assignments import Assignment, assignments, phrase
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.numbers import Numbers
from labwright.agents.tool_forging.readers.language.scalars import key
from labwright.agents.tool_forging.readers.language.units import angular, converted, kind
from labwright.agents.tool_forging.readers.open_system.named_quantities import KELVINS, called, further, temperatures
from labwright.agents.tool_forging.readers.open_system.owners import of_sites
from labwright.agents.tool_forging.readers.open_system.told_levels import level_names

_TIMES = ("t", "T1", "T2", "T2*", "Tphi", "tau", "T2star", "Ttotal", "tmax", "tf", "tend", "dt", "Tphi", "T_phi")
_SHORT = {
    "femtosecond": "fs",
    "picosecond": "ps",
    "nanosecond": "ns",
    "microsecond": "us",
    "millisecond": "ms",
    "second": "s",
}


@dataclass
class Symbols:
    """Values by name.

    Attributes:
        values: by `key`, one or several each; frequencies in radian per time unit, times in it.
        time_unit: as pint calls it; empty where the task has no units.
        ranges: names whose values are a range in time, which are no parameters.
        assumed: what was settled about units.
        spans: where symbols are set.
        taken: rates that were read without a symbol.
        spans_of: where each symbol is set for the first time.
        constants: those of them that are no times of the evolution.
        kelvins: symbols of temperatures -> one of their units in kelvin.
    """

    values: dict[str, list[float]] = field(default_factory=dict)
    time_unit: str = ""
    assumed: list[str] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    taken: list[float] = field(default_factory=list)
    spans_of: dict[str, tuple[int, int]] = field(default_factory=dict)
    constants: list[tuple[int, int]] = field(default_factory=list)
    kelvins: dict[str, float] = field(default_factory=dict)

    @property
    def unit(self) -> str:
        """The time unit as reports write it."""
        return _SHORT.get(self.time_unit, self.time_unit)

    def single(self) -> dict[str, float]:
        """First value of each name."""
        return {name: found[0] for name, found in self.values.items() if found}

    def varied(self) -> list[str]:
        """Names with several values."""
        return [name for name, found in self.values.items() if len(found) > 1]


def symbols(body: Body) -> Symbols:
    """All assignments of the text in one system of units; right sides may name other symbols."""
    written = [
        one
        for one in assignments(body.plain)
        if one.key
        not in {"H", "t", "C", "L", "rho", "hbar", "kB", "psi", "X", "Y", "Z", "pi", "sigmax", "sigmay", "sigmaz"}
    ]
    named = [*written, *called(body, written)]
    named += temperatures(body, named)
    found = of_sites(body, named, further(body, named))
    made = Symbols(time_unit=_time_unit(body, found))
    levels = {*level_names(body.text).names}
    found = [one for one in found if not (one.key in levels and kind(one.numbers.unit) == "time")]
    made.spans = [(one.start, one.end) for one in found]
    made.spans_of = {one.key: (one.start, one.end) for one in reversed(found)}
    made.constants = [
        (one.start, one.end) for one in found if not re.match(r"t|T$|T_?max|dt|tau$|N|n_|points|steps", one.key)
    ]
    for name in re.findall(r"in (?:the )?units? of (?:1\s*/\s*)?\(?\s*([A-Za-z]+(?:_\w+)?)\b", body.text):
        if not any(one.key == key(name) for one in found) and len(key(name)) < 8 and name not in {"the", "a"}:
            made.values[key(name)] = [1.0]
            made.assumed.append(f"Energies and times are in units of {name}, which is therefore 1.")
    for _ in range(len(found) + 1):
        for one in found:
            if one.key not in made.values:
                values = value_of(one.numbers, one.key, made)
                if values is not None:
                    made.values[one.key] = values
            elif one.numbers.kind == "single" and not one.numbers.items[0].names:
                values = value_of(one.numbers, one.key, made)
                if values and not _among(values[0], made.values[one.key]) and not _restated(one, body):
                    made.values[one.key] = [*made.values[one.key], *values]
    for name in [name for name in made.values if name.startswith("1/")]:
        made.values.setdefault(name[2:], [1 / value for value in made.values[name] if value])
        made.spans_of[name[2:]] = made.spans_of.pop(name)
        del made.values[name]
    made.kelvins = {one.key: KELVINS[one.numbers.unit] for one in found if one.numbers.unit in KELVINS}
    return made


def _among(value: float, others: list[float]) -> bool:
    """Whether a value was given before, perhaps with other digits or in another unit."""
    return any(math.isclose(value, other, rel_tol=1e-4) for other in others)


def _restated(one: Assignment, body: Body) -> bool:
    """Whether a symbol is set once more for something else than a comparison, such as ``at t = 3``."""
    return one.key in {"t", "T", "N"} or bool(re.search(r"\bat $", body.text[max(0, one.start - 3) : one.start]))


def _time_unit(body: Body, found: list[Assignment]) -> str:
    units = [one.numbers.unit for one in found if kind(one.numbers.unit) == "time"]
    spoken = phrase(body.plain, r"(?:from|up to|until|for|over|to|time of|duration of|total time)")
    text_units = re.findall(
        r"\d\s*-?(fs|ps|ns|us|ms|microseconds?|nanoseconds?|picoseconds?|femtoseconds?|milliseconds?)\b", body.text
    )
    text_units += (
        re.findall(
            r"(?:rad\s*(?:/|per )\s*|1\s*/\s*|per\s+)(fs|ps|ns|us|ms|microsecond|nanosecond|picosecond|femtosecond)\b",
            body.text,
        )
        if not text_units and not units
        else []
    )
    if spoken and kind(spoken[0].unit) == "time":
        units.append(spoken[0].unit)
    if text_units:
        long = {"fs": "femtosecond", "ps": "picosecond", "ns": "nanosecond", "us": "microsecond", "ms": "millisecond"}
        units.append(long.get(text_units[-1], text_units[-1].rstrip("s")))
    if units:
        # the unit of the longest times is the one people think in
        order = list(_SHORT)
        return max(units, key=lambda unit: order.index(unit) if unit in order else -1)
    frequencies = [one.numbers.unit for one in found if kind(one.numbers.unit) in ("frequency", "angular", "rate")]
    paired = {"giga": "nanosecond", "mega": "microsecond", "kilo": "millisecond"}
    for unit in frequencies:
        for prefix, time in paired.items():
            if unit.startswith(prefix):
                return time
        if "/" in unit:
            return unit.split("/")[1]
    return ""


def value_of(numbers: Numbers, name: str, known: Symbols, rate: bool = False) -> list[float] | None:
    """Numbers in the task's units; None while a symbol in them has no value.

    Args:
        rate: whether it is a rate of decay, whose hertz are no cycles.
    """
    try:
        values = numbers.values({**known.single()})
    except KeyError:
        return None
    unit, what = numbers.unit, kind(numbers.unit)
    if not unit or not known.time_unit:
        return values
    if what == "time":
        return [converted(value, unit, known.time_unit) for value in values]
    if what == "fraction":
        return [value / 100 for value in values]
    if what in ("frequency", "angular", "rate", "wavenumber", "energy"):
        cycles = what == "frequency" and not any("pi" in item.text for item in numbers.items)
        decay = rate or re.match(r"(?:gamma|Gamma|kappa)", name)
        if what == "frequency" and (not cycles or decay):
            plain = [angular(value, unit, known.time_unit) / (2 * 3.141592653589793) for value in values]
            if decay and cycles:
                known.assumed.append(f"The rate {name} in hertz is read as events per second, without 2 pi.")
            return plain
        if cycles:
            known.assumed.append(
                f"{name} in hertz is read as cycles per second; the Hamiltonian holds 2 pi times that."
            )
        return [angular(value, unit, known.time_unit) for value in values]
    return values
