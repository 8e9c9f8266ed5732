"""Areas, peaks and places of the shapes."""

import math

import pytest
from pydantic import ValidationError

from tools.shaped_pulses import ShapedPulsesInput, shaped_pulses


def _made(*shapes, slots=200, duration=4.0):
    return shaped_pulses(ShapedPulsesInput(duration=duration, slots=slots, shapes=list(shapes)))


def test_invariant_areas():
    made = _made(
        {"kind": "constant", "peak": 0.5},
        {"kind": "sine_squared", "peak": 3.0},
        {"kind": "gaussian", "peak": 2.0, "centre": 0.4, "width": 0.05},
    )
    assert made.areas == pytest.approx([2.0, 6.0, 2.0 * math.sqrt(2 * math.pi) * 0.05 * 4.0])
    assert len(made.amplitudes) == 200
    assert {row[0] for row in made.amplitudes} == {0.5}


def test_shapes_at_the_middle_of_slots():
    made = _made({"kind": "sine_squared", "peak": 3.0}, {"kind": "gaussian", "peak": -2.0, "centre": 0.25, "width": 0.2},
                 slots=2)  # fmt: skip
    assert made.times == pytest.approx([1.0, 3.0])
    assert made.amplitudes[0] == pytest.approx([1.5, -2.0])
    assert made.amplitudes[1] == pytest.approx([1.5, -2.0 * math.exp(-(0.5**2) / (2 * 0.2**2))])


def test_error_centre_outside():
    with pytest.raises(ValidationError, match="fraction of the duration"):
        _made({"kind": "gaussian", "peak": 1.0, "centre": 1.5})
    with pytest.raises(ValidationError, match="greater than 0"):
        _made({"kind": "gaussian", "peak": 1.0, "width": 0.0})
