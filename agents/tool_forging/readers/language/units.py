"""Units of physics tasks: times, frequencies, energies, temperatures. Pint converts."""

from __future__ import annotations

import math
import re
from functools import cache

from labwright.tools.chemistry.quantities import registry
from labwright.tools.errors import InputError

_POWERS = {"": 0, "kilo": 3, "mega": 6, "giga": 9, "tera": 12}
_SMALL = {"f": "femto", "p": "pico", "n": "nano", "u": "micro", "m": "milli", "": ""}
_LARGE = {"": "", "k": "kilo", "M": "mega", "G": "giga", "T": "tera"}
# how a unit may be written -> (kind, what pint calls it)
_UNITS: dict[str, tuple[str, str]] = {
    **{f"{short}s": ("time", f"{name}second") for short, name in _SMALL.items()},
    **{f"{name}seconds?": ("time", f"{name}second") for name in _SMALL.values()},
    "minutes?": ("time", "minute"), "min": ("time", "minute"), "hours?": ("time", "hour"),
    **{f"{short}Hz": ("frequency", f"{name}hertz") for short, name in _LARGE.items()},
    **{
        rf"(?:rad|radians?)\s*(?:(?:/|per\s+)\s*{short}s|{short}s\^?-1)": ("angular", f"radian/{name}second")
        for short, name in _SMALL.items()
    },
    **{
        rf"(?:(?:1\s*/|/|per\s+)\s*{short}s|{short}s\^?-1)": ("rate", f"1/{name}second")
        for short, name in _SMALL.items()
    },
    r"(?:1\s*/\s*cm|/\s*cm|cm\^?-1|wavenumbers?)": ("wavenumber", "1/centimeter"),
    "eV": ("energy", "electron_volt"), "meV": ("energy", "millielectron_volt"),
    "ueV": ("energy", "microelectron_volt"), r"(?:[Hh]artrees?|Ha|Eh|a\.u\.)": ("energy", "hartree"),
    r"kcal\s*(?:/\s*mol|\*?\s*mol\^?\(?-1\)?|per mole?)": ("molar energy", "kilocalorie/mole"),
    r"kJ\s*(?:/\s*mol|\*?\s*mol\^?\(?-1\)?|per mole?)": ("molar energy", "kilojoule/mole"),
    "mK": ("temperature", "millikelvin"), "K": ("temperature", "kelvin"), "[Kk]elvins?": ("temperature", "kelvin"),
    "[Mm]illikelvins?": ("temperature", "millikelvin"),
    r"(?:°\s*C|deg\.?\s*C|degrees?\s*(?:C|[Cc]elsius|[Cc]entigrade)|[Cc]elsius)": ("temperature", "degC"),
    r"(?:[Aa]ngstroms?|Å|[Aa]ngström)": ("length", "angstrom"),
    r"(?:[Bb]ohrs?(?: radi(?:us|i))?|a_?0)": ("length", "bohr"),
    r"(?:nm|nano-?met(?:re|er)s?)": ("length", "nanometer"), r"(?:pm|pico-?met(?:re|er)s?)": ("length", "picometer"),
    "GPa": ("pressure", "gigapascal"), "MPa": ("pressure", "megapascal"), "kPa": ("pressure", "kilopascal"),
    "hPa": ("pressure", "hectopascal"), "Pa": ("pressure", "pascal"), "mbar": ("pressure", "millibar"),
    "bars?": ("pressure", "bar"), "(?:atm|atmospheres?)": ("pressure", "atmosphere"), "[Tt]orr": ("pressure", "torr"),
    "%": ("fraction", "percent"), "percent": ("fraction", "percent"), "per cent": ("fraction", "percent"),
    "mT": ("field", "millitesla"), "uT": ("field", "microtesla"), "T": ("field", "tesla"), "G": ("field", "gauss"),
}  # fmt: skip
# a bare T or G behind a number is more often a symbol than tesla or gauss
_DOUBTFUL = {"T", "G"}
UNIT = "|".join(sorted((u for u in _UNITS if u not in _DOUBTFUL), key=lambda u: -len(u)))
_UNIT = re.compile(rf"\s*[-]?\s*(?P<unit>{UNIT})(?![A-Za-z0-9_(])")


def unit_at(text: str, position: int) -> tuple[str, int]:
    """The unit that stands at `position`, as pint calls it, and where it ends; ``("", position)`` if there is none."""
    match = _UNIT.match(text, position)
    if match is None:
        return "", position
    return canonical(match["unit"]), match.end()


@cache
def canonical(unit: str) -> str:
    """A unit as pint calls it.

    Raises:
        InputError: no unit of physics tasks.
    """
    for spelling, (_kind, name) in _UNITS.items():
        if re.fullmatch(spelling, unit):
            return name
    raise InputError(f"{unit!r} is not a unit that readers of tasks know.")


@cache
def kind(unit: str) -> str:
    """What a unit of `unit_at` measures: ``time``, ``frequency`` (cycles), ``angular``, ``rate``, ``wavenumber``,
    ``energy``, ``temperature``, ``length``; empty for the empty unit."""
    return next((what for what, name in _UNITS.values() if name == unit), "")


def converted(value: float, unit: str, target: str) -> float:
    """A value in another unit of the same kind, both as pint calls them.

    Raises:
        InputError: they measure different things.
    """
    if kind(unit) != kind(target):
        raise InputError(f"{value:g} {unit} is a {kind(unit)} and cannot be given in {target}.")
    return float(registry().Quantity(value, unit).to(target).magnitude)


def angular(value: float, unit: str, time_unit: str) -> float:
    """A frequency, rate, wavenumber or energy as angular frequency in radian per `time_unit` (a unit of pint).

    Cycles (hertz) are multiplied by 2 pi; rates and radians are not; energies are divided by hbar, and wavenumbers
    multiplied by 2 pi c. An empty unit or time unit leaves the value as it is.

    Raises:
        InputError: the unit is none of these.
    """
    if not unit or not time_unit:
        return value
    what, ureg = kind(unit), registry()
    if what in {"frequency", "angular", "rate"}:
        # seconds by hand: pint takes one hertz for a radian per second
        seconds = float(ureg.Quantity(1.0, time_unit).to("second").magnitude)
        if what == "frequency":
            scale = next(10.0**power for prefix, power in _POWERS.items() if unit == f"{prefix}hertz")
            return value * scale * seconds * 2 * math.pi
        own = float(ureg.Quantity(1.0, unit.split("/")[1]).to("second").magnitude)
        return value / own * seconds
    if what == "wavenumber":
        product = ureg.Quantity(value, unit) * ureg("speed_of_light") * ureg(time_unit)
        return float(2 * math.pi * product.to("").magnitude)
    if what == "energy":
        return float((ureg.Quantity(value, unit) / ureg("hbar") * ureg(time_unit)).to("").magnitude)
    raise InputError(f"{value:g} {unit} is a {what or 'number'} and no frequency.")
