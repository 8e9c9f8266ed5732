"""Units of the laboratory: what each symbol means, and conversion between them."""

from __future__ import annotations

import math

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
}
NAMES = {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second", "deg": "degree"}
SPELLINGS = {"µs": "us", "μs": "us", "°": "deg", "full scale": ""}
SPELLINGS |= {f"{name}{plural}": unit for unit, name in NAMES.items() for plural in ("", "s")}


def canonical_unit(text: str) -> str:
    """The symbol of `text` in `UNITS`; `text` itself if it is not a unit."""
    return SPELLINGS.get(text, text)


def dimension(unit: str) -> str:
    """What `unit` measures; "number" also for one that cannot be written."""
    return UNITS.get(canonical_unit(unit), ("number", 1.0))[0]


def converted(value: float, unit: str, target: str) -> float | None:
    """`value` in `unit` as a number in `target`; None if the two do not measure the same thing.

    A conversion by a power of ten is exact to the last digit: 300 ns is 0.3 us, not 0.30000000000000004.
    """
    unit, target = canonical_unit(unit), canonical_unit(target)
    if unit == target:
        return value
    if unit not in UNITS or target not in UNITS or UNITS[unit][0] != UNITS[target][0]:
        return None
    return float(f"{value * UNITS[unit][1] / UNITS[target][1]:.15g}")
