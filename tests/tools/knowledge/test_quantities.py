import pytest
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.knowledge.quantities import UNITS, converted, mentions, same


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ramsey on Q1 with 3 MHz offset and stop=0.5us", [(3, "MHz"), (0.5, "us")]),
        ("from 4.8 to 4.9 GHz", [(4.8, "GHz"), (4.9, "GHz")]),
        ("1-20 us", [(1, "us"), (20, "us")]),
        ("4,000 shots, 2k shots", [(4000, ""), (2000, "")]),
        ("half a microsecond", [(0.5, "us")]),
        ("twenty-five points", [(25, "")]),
        ("-0.5 to −0.1", [(-0.5, ""), (-0.1, "")]),
        ("35 microseconds, 500 kHz, 20 %", [(35, "us"), (500, "kHz"), (20, "%")]),
        ("T1 of Q2, pi/2 and T2* on Q8", []),
        ("1e-3 s", [(1e-3, "s")]),
        ("a 50-point scan", [(50, "")]),
        ("offset 0,5 MHz bis 10,5 us", [(0.5, "MHz"), (10.5, "us")]),
        ("1,2,3 us", [(1, ""), (2, ""), (3, "us")]),
        ("1,500 ns and 2,000 shots", [(1500, "ns"), (2000, "")]),
        ("+-5 MHz, +/-4 MHz, -3 MHz", [(5, "MHz"), (4, "MHz"), (-3, "MHz")]),
    ],
)
def test_mentions_are_read_with_their_units(text, expected):
    assert [(m.value, m.unit) for m in mentions(text)] == expected


def test_a_mention_knows_its_place():
    (mention,) = mentions("stop at 0.5 us, please")
    assert "stop at 0.5 us, please"[mention.start : mention.end] == "0.5 us"


@given(st.floats(1e-6, 1e6), st.sampled_from(sorted(UNITS)), st.sampled_from(sorted(UNITS)))
def test_conversion_there_and_back_is_the_identity(value, unit, other):
    there = converted(value, unit, other)
    if UNITS[unit][0] != UNITS[other][0]:
        assert there is None
    else:
        assert same(converted(there, other, unit), value)


def test_unit_conversion_leaves_no_rounding_dust():
    assert converted(4.9, "GHz", "MHz") == 4900.0
    assert converted(300, "ns", "us") == 0.3
