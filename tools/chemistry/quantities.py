"""Quantities with units as a chemist writes them; pint converts, and temperatures are handled apart.

"80 deg" in a recipe is a temperature in Celsius, never an angle; a percent sign stays a percent until its
basis (w/w, w/v, v/v) is known.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache

import pint

from labwright.tools.errors import InputError

# canonical symbol -> (dimension, name that pint knows; None where pint is not asked)
UNITS: dict[str, tuple[str, str | None]] = {
    "kg": ("mass", "kilogram"), "g": ("mass", "gram"), "mg": ("mass", "milligram"), "ug": ("mass", "microgram"),
    "L": ("volume", "liter"), "mL": ("volume", "milliliter"), "uL": ("volume", "microliter"),
    "mol": ("moles", "mole"), "mmol": ("moles", "millimole"), "umol": ("moles", "micromole"),
    "nmol": ("moles", "nanomole"), "nM": ("molarity", "nanomole / liter"),
    "M": ("molarity", "mole / liter"), "mM": ("molarity", "millimole / liter"), "uM": ("molarity", "micromole / liter"),
    "s": ("time", "second"), "min": ("time", "minute"), "h": ("time", "hour"), "d": ("time", "day"),
    "degC": ("temperature", "degC"), "K": ("temperature", "kelvin"), "degF": ("temperature", "degF"),
    "degC/min": ("heating rate", "delta_degC / minute"), "degC/h": ("heating rate", "delta_degC / hour"),
    "rpm": ("rate", "revolution / minute"), "Hz": ("rate", "revolution / second"),
    "uL/s": ("flow", "microliter / second"), "uL/min": ("flow", "microliter / minute"),
    "mL/min": ("flow", "milliliter / minute"), "mL/s": ("flow", "milliliter / second"),
    "mL/h": ("flow", "milliliter / hour"),
    "g/mL": ("density", "gram / milliliter"), "g/L": ("density", "gram / liter"),
    "mg/mL": ("density", "milligram / milliliter"), "ug/mL": ("density", "microgram / milliliter"),
    "mg/L": ("density", "milligram / liter"),
    "g/mol": ("molar mass", "gram / mole"), "% w/v": ("density", "gram / deciliter"),
    "%": ("fraction", None), "% v/v": ("fraction", None), "% w/w": ("fraction", None), "ppm": ("fraction", None),
    "equiv": ("number", None), "mol%": ("number", None), "": ("number", None),
    "x": ("fold", None),  # how many times as strong as in use: a 10x buffer
}  # fmt: skip
SPELLINGS = {
    "kilogram": "kg", "kilograms": "kg", "gram": "g", "grams": "g", "gm": "g",
    "milligram": "mg", "milligrams": "mg", "microgram": "ug", "micrograms": "ug", "µg": "ug", "μg": "ug", "mcg": "ug",
    "l": "L", "liter": "L", "liters": "L", "litre": "L", "litres": "L",
    "ml": "mL", "milliliter": "mL", "milliliters": "mL", "millilitre": "mL", "millilitres": "mL", "cc": "mL",
    "ul": "uL", "µL": "uL", "μL": "uL", "µl": "uL", "μl": "uL", "microliter": "uL", "microliters": "uL",
    "microlitre": "uL", "microlitres": "uL",
    "mole": "mol", "moles": "mol", "millimole": "mmol", "millimoles": "mmol", "micromole": "umol",
    "micromoles": "umol", "µmol": "umol", "μmol": "umol",
    "ul/s": "uL/s", "µL/s": "uL/s", "μL/s": "uL/s", "µl/s": "uL/s", "uL/sec": "uL/s", "ul/sec": "uL/s",
    "ul/min": "uL/min", "µL/min": "uL/min", "µl/min": "uL/min", "ml/min": "mL/min", "ml/s": "mL/s", "ml/h": "mL/h",
    "molar": "M", "mol/L": "M", "mol/l": "M", "millimolar": "mM", "mmol/L": "mM", "mmol/mL": "M", "micromolar": "uM",
    "µM": "uM", "μM": "uM",
    "sec": "s", "secs": "s", "second": "s", "seconds": "s", "mins": "min", "minute": "min", "minutes": "min",
    "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "day": "d", "days": "d",
    "°C": "degC", "℃": "degC", "C": "degC", "deg": "degC", "deg C": "degC", "degrees": "degC", "degree": "degC",
    "degrees C": "degC", "degrees Celsius": "degC", "celsius": "degC", "Celsius": "degC", "°": "degC",
    "K/min": "degC/min", "°C/min": "degC/min", "C/min": "degC/min", "K/h": "degC/h", "°C/h": "degC/h", "C/h": "degC/h",
    "kelvin": "K", "°F": "degF", "F": "degF", "RPM": "rpm",
    "g/ml": "g/mL", "g/cm3": "g/mL", "mg/ml": "mg/mL", "g/l": "g/L", "mg/l": "mg/L", "ug/ml": "ug/mL", "µg/mL": "ug/mL",
    "percent": "%", "per cent": "%", "mol %": "mol%", "%w/v": "% w/v", "% (w/v)": "% w/v", "w/v": "% w/v",
    "%v/v": "% v/v", "% (v/v)": "% v/v", "v/v": "% v/v", "vol%": "% v/v", "vol %": "% v/v", "%w/w": "% w/w",
    "% (w/w)": "% w/w", "w/w": "% w/w", "wt%": "% w/w", "wt %": "% w/w", "nanomole": "nmol", "nanomoles": "nmol",
    "eq": "equiv", "eq.": "equiv", "equivalents": "equiv", "equivalent": "equiv", "X": "x", "×": "x",
}  # fmt: skip

_QUANTITY = re.compile(r"\s*(?P<value>[+\-−]?(?:\d+(?:,\d{3})*(?:\.\d*)?|\.\d+)(?:[eE][+\-]?\d+)?)\s*(?P<unit>.*?)\s*")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with a unit of `UNITS`."""

    value: float
    unit: str

    def to(self, unit: str) -> float:
        """The value in another unit of the same dimension.

        Raises:
            InputError: the two units measure different things.
        """
        return convert(self.value, self.unit, unit)

    def __str__(self) -> str:
        return f"{self.value:g} {self.unit}".strip()


@cache
def registry() -> pint.UnitRegistry:  # type: ignore[type-arg]
    """The one pint registry; made at first use, because reading its table takes a moment."""
    return pint.UnitRegistry(autoconvert_offset_to_baseunit=True)


def canonical_unit(text: str) -> str:
    """The unit's symbol in `UNITS`, however it is spelled.

    Raises:
        InputError: no such unit; the message says which exist.
    """
    stripped = " ".join(text.split())
    for spelling in (stripped, stripped.lower(), stripped.rstrip(".")):
        if spelling in UNITS:
            return spelling
        if spelling in SPELLINGS:
            return SPELLINGS[spelling]
    raise InputError(f"Unit {text!r} is not known. Use one of: {', '.join(filter(None, UNITS))}.")


def dimension(unit: str) -> str:
    """What a canonical unit measures: ``mass``, ``volume``, ``molarity``, ..."""
    return UNITS[canonical_unit(unit)][0]


def parse_quantity(text: str) -> Quantity:
    """A quantity from text such as ``"10 mL"``, ``"60 °C"`` or ``"0.5M"``; a bare number has the unit ``""``.

    Raises:
        InputError: no number at the beginning, or an unknown unit after it.
    """
    matched = _QUANTITY.fullmatch(text)
    if matched is None:
        raise InputError(f"{text!r} is not a quantity. Write a number and a unit, such as '10 mL'.")
    value = float(matched["value"].replace(",", "").replace("−", "-"))
    if not math.isfinite(value):
        raise InputError(f"{text!r} is too large to be a quantity.")
    return Quantity(value, canonical_unit(matched["unit"]))


def convert(value: float, unit: str, target: str) -> float:
    """A value in another unit of the same dimension; temperatures convert with their offset.

    Raises:
        InputError: the two units measure different things.
    """
    unit, target = canonical_unit(unit), canonical_unit(target)
    if unit == target:
        return value
    # A percentage is a number too; which basis it has is for the caller to know.
    if UNITS[unit][0] != UNITS[target][0] and {UNITS[unit][0], UNITS[target][0]} != {"fraction", "number"}:
        raise InputError(
            f"{value:g} {unit} is a {UNITS[unit][0]} and cannot be given in {target or 'a bare number'},"
            f" which is a {UNITS[target][0]}. Give the quantity in a unit of {UNITS[target][0]}."
        )
    if UNITS[unit][0] == "temperature":
        return float(registry().Quantity(value, UNITS[unit][1]).to(UNITS[target][1]).magnitude)
    return value * _factor(unit, target)


@cache
def _factor(unit: str, target: str) -> float:
    """What to multiply by; asked of pint once a pair."""
    if UNITS[unit][1] is None:
        sizes = {"%": 1e-2, "% v/v": 1e-2, "% w/w": 1e-2, "ppm": 1e-6, "mol%": 1e-2, "equiv": 1.0, "": 1.0, "x": 1.0}
        return sizes[unit] / sizes[target]
    return float(registry().Quantity(1.0, UNITS[unit][1]).to(UNITS[target][1]).magnitude)
