"""Measured numbers as a physicist writes them: 1.502(3) MHz."""

from __future__ import annotations

import math
from typing import Any


def with_error(value: float | None, error: float | None, unit: str = "") -> str:
    """`value` with the one-sigma `error` of its last digit in brackets; a dash if there is no value."""
    if value is None or not math.isfinite(value):
        return "-"
    shown = _bracketed(value, error) if error and math.isfinite(error) and error > 0 else f"{value:.6g}"
    return f"{shown} {unit}".rstrip()


def _bracketed(value: float, error: float) -> str:
    # Below 1e-3 the common power of ten is written once: 7.66(2)e-04.
    power = math.floor(math.log10(max(abs(value), error)))
    if power < -3 or power >= 7:
        return f"{_bracketed(value / 10**power, error / 10**power)}e{power:+03d}"
    digits = max(0, -math.floor(math.log10(error)))
    last = round(error * 10**digits)
    if last >= 10 and digits:  # 0.096 rounds to 0.10: one digit fewer
        digits, last = digits - 1, last // 10
    return f"{value:.{digits}f}({last})"


def key_numbers(estimates: dict[str, dict[str, Any]], most: int = 2) -> str:
    """The first `most` estimates of a report in one line."""
    known = [(name, item) for name, item in estimates.items() if item.get("value") is not None][:most]
    shown = [(name, with_error(item["value"], item.get("error"), item.get("unit", ""))) for name, item in known]
    return ", ".join(f"{name.replace('_', ' ')} {number}" for name, number in shown)


def seconds(duration: float) -> str:
    """A wall time: 0.42 s, 12 s, 3 min 20 s."""
    if duration < 10:
        return f"{duration:.2f} s"
    if duration < 120:
        return f"{duration:.0f} s"
    return f"{duration // 60:.0f} min {duration % 60:.0f} s"
