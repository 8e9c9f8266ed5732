"""Values: numbers with units, arithmetic, names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.specifications.values import (
    Quantity,
    UnknownName,
    ValueProblem,
    evaluated,
    in_unit,
    names_in,
    shown,
)
from labwright.tools.units import UNITS

KNOWN = {"t1.t1": Quantity(60.0, "us"), "Q1.frequency": Quantity(5000.0, "MHz"), "drag": Quantity(0.5, "")}


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("0.5 us", 0.5, "us"),
        ("600 microseconds", 600, "us"),
        ("300ns", 300, "ns"),
        (".5", 0.5, None),
        ("1e3", 1000, None),
        ("-20 MHz", -20, "MHz"),
        ("+3 us", 3, "us"),
        ("90 °", 90, "deg"),
        ("3 * t1.t1", 180, "us"),
        ("half of t1.t1", 30, "us"),
        ("twice 100 us", 200, "us"),
        ("Q1.frequency + 80 MHz", 5080, "MHz"),
        ("2 * (1 us + 500 ns)", 3, "us"),
        ("10 - 2 - 3", 5, None),
        ("t1.t1 / 20 us", 3, None),
        ("8 us / 2 / 2", 2, "us"),
    ],
)
def test_what_a_text_stands_for(text: str, value: float, unit: str | None) -> None:
    found = evaluated(text, KNOWN)
    assert (found.value, found.unit) == (pytest.approx(value, rel=1e-14), unit)


@pytest.mark.parametrize("text", ["", "us", "3 us 4", "3 * * 4", "1_000", "٣ us", "(3", "3 parsecs", "nan nan", "0x10"])
def test_what_is_no_value_says_how_to_write_one(text: str) -> None:
    with pytest.raises(ValueProblem, match=r"not a value. Write a number with its unit|is not known"):
        evaluated(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("3 us + 2", "needs the unit on both"),
        ("3 us + 2 MHz", "us and MHz cannot be added"),
        ("3 us * 2 us", "not a parameter's unit"),
        ("3 us / 2 MHz", "cannot be divided by MHz"),
        ("1 / 0", "cannot be computed"),
        ("1 us / (2 us - 2 us)", "cannot be computed"),
        ("1e999", "not a finite number"),
        ("1e999 - 1e999", "not a finite number"),
        ("9" * 201, "at most 200 characters, but this one has 201"),
    ],
)
def test_what_cannot_be_computed_says_why(text: str, why: str) -> None:
    with pytest.raises(ValueProblem, match=why):
        evaluated(text)


def test_a_name_that_is_not_known_is_named_with_those_that_are() -> None:
    with pytest.raises(UnknownName, match=r"'t2.t2' is not known here. Known are: Q1.frequency, drag, t1.t1"):
        evaluated("2 * t2.t2", KNOWN)
    assert names_in("t1.t1 + 2 * t1.t1 - drag") == ["t1.t1", "drag"]


def test_another_dimension_is_told_with_the_unit_that_is_wanted() -> None:
    assert in_unit(evaluated("300 ns"), "us") == 0.3
    assert in_unit(evaluated("7"), "us") == 7
    with pytest.raises(ValueProblem, match="'5 MHz' is in MHz, but must be in us"):
        in_unit(evaluated("5 MHz"), "us", "5 MHz")
    with pytest.raises(ValueProblem, match="must be a plain number"):
        in_unit(evaluated("5 MHz"), "", "5 MHz")


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([*UNITS, "full scale"]))
def test_what_is_shown_reads_back_to_itself(value: float, unit: str) -> None:
    assert evaluated(shown(value, unit)).value == value
