"""Results under names of one's own: picked by labels and positions, or refused with what there is."""

from __future__ import annotations

from typing import Any

import pytest

from labwright.tools.errors import InputError
from labwright.tools.forge.tasks.results import Axis, Record, Results, picked

TIME, SITE = Axis(name="time", values=[0, 0.5, 1], unit="us"), Axis(name="site", values=[1, 2])
RESULTS = Results(
    records=[
        Record(quantity="energy", labels={"size": 8}, value=-10.1, unit="eV", uncertainty=1e-9),
        Record(quantity="energy", labels={"size": 12}, value=-15.3, unit="eV"),
        Record(quantity="Z", axes=[TIME, SITE], value=[[1, 2], [3, 4], [5, 6]]),
    ]
)


@pytest.mark.parametrize(
    ("of", "labels", "at", "value"),
    [
        ("energy", {"size": 8.0}, {}, -10.1),
        ("Z", {}, {"time": 0.5, "site": 2}, 4),
        ("Z", {}, {"time": 1}, [5, 6]),
        ("Z", {}, {"site": 1}, [1, 3, 5]),
    ],
)
def test_a_result_is_picked(of: str, labels: dict[str, Any], at: dict[str, float], value: Any) -> None:
    found = picked(RESULTS, "mine", of, labels, at)
    assert (found.quantity, found.value) == ("mine", value)
    assert [axis.name for axis in found.axes] == [name for name in ("time", "site") if of == "Z" and name not in at]


@pytest.mark.parametrize(
    ("of", "at", "said"),
    [
        ("energy", {}, "2 fit"),
        ("energi", {}, "There are: Z, energy"),
        ("Z", {"time": 0.7}, "Put it on the grid"),
        ("Z", {"place": 1}, "0 fit"),
    ],
)
def test_what_is_not_one_point_is_refused(of: str, at: dict[str, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        picked(RESULTS, "mine", of, {}, at)
