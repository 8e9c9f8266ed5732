"""Units convert exactly, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.units import UNITS, canonical_unit, converted


@pytest.mark.parametrize(
    ("value", "unit", "target", "expected"),
    [
        (300, "ns", "us", 0.3),
        (0.5, "ms", "us", 500.0),
        (5, "GHz", "MHz", 5000.0),
        (20, "%", "", 0.2),
        (20, "%", "full scale", 0.2),
        (0.2, "", "full scale", 0.2),
        (90, "°", "rad", 1.5707963267949),
        (3, "µs", "us", 3),
        (600, "microseconds", "us", 600),
    ],
)
def test_a_number_in_another_unit(value: float, unit: str, target: str, expected: float) -> None:
    assert converted(value, unit, target) == expected


def test_what_measures_something_else_is_not_converted() -> None:
    assert converted(1, "us", "MHz") is None
    assert converted(1, "furlong", "us") is None
    assert canonical_unit("furlong") == "furlong"


@given(st.floats(-1e9, 1e9), st.sampled_from(sorted(UNITS)), st.sampled_from(sorted(UNITS)))
def test_there_and_back_is_the_same_number(value: float, unit: str, target: str) -> None:
    there = converted(value, unit, target)
    if there is None:
        assert UNITS[unit][0] != UNITS[target][0]
    else:
        assert converted(there, target, unit) == pytest.approx(value, rel=1e-12, abs=1e-300)
