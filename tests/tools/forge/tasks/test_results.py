"""Results under names of one's own and in tables: picked exactly, or refused with what there is."""

from __future__ import annotations

import math
from typing import Any

import pytest
from pydantic import ValidationError

from labwright.tools.errors import InputError
from labwright.tools.forge.tasks.results import (
    Axis,
    Record,
    Results,
    computed,
    csv_of,
    fitted,
    in_unit,
    picked,
    quantities,
)
from labwright.tools.specifications.task import Named

TIME, SITE = Axis(name="time", values=[0, 0.5, 1], unit="us"), Axis(name="site", values=[1, 2])
RESULTS = Results(
    records=[
        Record(quantity="energy", labels={"size": 8}, value=-10.1, unit="eV", uncertainty=1e-9),
        Record(quantity="energy", labels={"size": 12}, value=-15.3, unit="eV"),
        Record(quantity="frequencies", value=[1600, 3700, 3800], unit="1/cm"),
        Record(quantity="Z", axes=[TIME, SITE], value=[[1, 2], [3, 4], [5, 6]]),
        *(Record(quantity="gap", labels={"bias": x}, value=x * x) for x in (1.0, 2.0)),
        Record(quantity="gap", axes=[Axis(name="bias", values=[1.0, 2.0])], value=[1.0, 4.0]),
    ]
)


@pytest.mark.parametrize(
    ("of", "labels", "at", "value"),
    [
        ("energy", {"size": 8.0}, {}, -10.1),
        ("Z", {}, {"time": 0.5, "site": 2}, 4),
        ("Z", {}, {"time": 1}, [5, 6]),
        ("Z", {}, {"site": 1}, [1, 3, 5]),
        ("frequencies", {}, {"index": 2}, 3800),
        ("gap", {}, {}, [1.0, 4.0]),
        ("gap", {"bias": 2}, {}, 4.0),
    ],
)
def test_a_result_is_picked(of: str, labels: dict[str, Any], at: dict[str, float], value: Any) -> None:
    found = picked(RESULTS, "mine", of, labels, at)
    assert (found.quantity, found.value) == ("mine", value)
    if of == "Z":
        assert [axis.name for axis in found.axes] == [name for name in ("time", "site") if name not in at]


@pytest.mark.parametrize(
    ("of", "at", "said"),
    [
        ("energy", {}, "2 fit"),
        ("energi", {}, "There are Z, energy, frequencies, gap"),
        ("Z", {"time": 0.7}, "Put it on the grid"),
        ("Z", {"place": 1}, r"not run along place, but along time \(0 to 1 us, 3 points\) and site"),
        ("Z", {"time": 0.6}, "nearest points are 0.5, 1"),
    ],
)
def test_what_is_not_one_point_is_refused(of: str, at: dict[str, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        picked(RESULTS, "mine", of, {}, at)


CURVE = Record(quantity="p", axes=[TIME], value=[0.0, 0.6, 0.4], uncertainty=0.01)
NAMED = {"p": CURVE, "E": RESULTS.records[0], "q": CURVE.model_copy(update={"axes": [SITE], "value": [1.0, 2.0]})}


@pytest.mark.parametrize(
    ("expression", "value", "error"),
    [
        ("2*E + 1", -19.2, 2e-9),
        ("max(p)", 0.6, 0.11),  # the curvature of its three points allows 0.1 between them
        ("where_max(p)", 0.5, 0.25),
        ("min(p)", 0.0, 0.61),  # an end is lowest: what lies beyond it is not known
        ("max(q)", 2.0, 0.01),  # nothing lies between sites
        ("crossing(p, 0.3)", 0.25, 0.01 / 1.2),
        ("p/max(p)", [0.0, 1.0, 2 / 3], 0.17),
    ],
)
def test_a_result_is_computed_from_named_ones_with_its_error(expression: str, value: Any, error: float) -> None:
    found = computed("mine", expression, NAMED)
    assert found.value == pytest.approx(value)
    assert found.uncertainty == pytest.approx(error, rel=0.2)
    assert found.axes == ([TIME] if isinstance(value, list) else [])


@pytest.mark.parametrize(("expression", "value"), [("mean(energy)", -12.7), ("max(gap)", 4.0), ("where_max(gap)", 2.0)])
def test_an_expression_takes_a_quantity_in_all_its_cases(expression: str, value: float) -> None:
    mean = Record(quantity="mean", value=1.0)
    assert computed("mine", expression, quantities(RESULTS) | {"mean": mean}).value == pytest.approx(value)


def _decay(window: tuple[float, float] | None, formula: str = "a*exp(-x/tau)", tolerance: float = 0.02) -> Record:
    x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    curve = Record(
        quantity="p", axes=[Axis(name="time", values=x)], value=[9.0, *(2 * math.exp(-t / 3) for t in x[1:])]
    )
    return fitted(
        curve, "tau", Named(of="p", fit=formula, guess={"a": 1, "tau": 1}, window=window, tolerance=tolerance)
    )


def test_a_formula_is_fitted_to_a_result() -> None:
    found = _decay((1, 5))
    assert (found.quantity, found.value, found.uncertainty) == ("tau", pytest.approx(3), pytest.approx(0, abs=1e-6))
    assert abs(_decay(None, tolerance=1).value - 3) > 0.1
    sizes = [Record(quantity="E", labels={"size": n}, value=-2.0 + 3 / n) for n in (4, 6, 8, 12)]
    curve = computed("E0", "E", quantities(Results(records=sizes)))
    assert fitted(curve, "e", Named(of="E", fit="e + c/x", guess={"e": 0, "c": 0})).value == pytest.approx(-2)


@pytest.mark.parametrize(
    ("window", "formula", "said"),
    [
        (None, "a*exp(-x/tau)", "misses the curve by"),
        ((1, 5), "a*tau*exp(-x/3)", "does not fix"),
        ((1, 5), "a*sqrt(-x)*tau", "cannot be fitted"),
        ((4, 5), "a*exp(-x/tau)", "2 points"),
    ],
)
def test_a_fit_without_meaning_is_refused(window: tuple[float, float] | None, formula: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        _decay(window, formula)


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("a*exp(-x/T)", "T is not in guess"),
        ("exp(-x/tau)", "a is not in it"),
        ("a/tau", "x is not in it"),
        ("a*", "not an"),
    ],
)
def test_a_formula_that_cannot_be_fitted_is_refused_before_anything_runs(formula: str, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Named(of="p", fit=formula, guess={"a": 1, "tau": 1})
    with pytest.raises(ValidationError, match="a fit needs"):
        Named(of="p", fit="a*x")


@pytest.mark.parametrize(
    ("expression", "said"), [("2*F", "no 'F'"), ("p + q", "different axes"), ("crossing(p, 2)", "never crosses")]
)
def test_an_expression_that_has_no_value_is_refused(expression: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        computed("mine", expression, NAMED)


@pytest.mark.parametrize(
    ("unit", "other", "value"),
    [
        ("hartree", "eV", -27.2114 * 10.1),
        ("hartree", "kJ/mol", -2625.4996 * 10.1),
        ("kcal/mol", "eV", -0.0433641 * 10.1),
        ("eV", "1/cm", -8065.544 * 10.1),
        ("eV", "THz", -241.7989 * 10.1),
        ("GHz", "1/cm", -0.03335641 * 10.1),
        ("rad/us", "rad/ns", -0.0101),
    ],
)
def test_a_result_is_given_in_another_unit(unit: str, other: str, value: float) -> None:
    found = in_unit(RESULTS.records[0].model_copy(update={"unit": unit}), other)
    assert (found.value, found.unit) == (pytest.approx(value, rel=1e-5), other)
    assert found.uncertainty == pytest.approx(1e-9 * abs(value) / 10.1, rel=1e-5)


@pytest.mark.parametrize(("unit", "other"), [("eV", "debye"), ("rad/us", "MHz"), ("1/us", "MHz"), ("eV", "parsnips")])
def test_what_measures_something_else_keeps_its_unit(unit: str, other: str) -> None:
    with pytest.raises(InputError, match="not told in"):
        in_unit(RESULTS.records[0].model_copy(update={"unit": unit}), other)


BIAS = Axis(name="bias", values=[-1.0, 1.0])
TABLED = Results(
    records=[
        Record(quantity="population", labels={"level": "e"}, axes=[TIME], value=[1.0, 0.6, 0.4]),
        Record(quantity="population", labels={"level": "g"}, axes=[TIME], value=[0.0, 0.4, 0.6]),
        Record(quantity="purity", axes=[TIME], value=[1.0, 0.52, 0.52]),
        Record(quantity="gap", axes=[BIAS], value=[2.0, 3.0]),
        Record(quantity="half_life", value=0.7, unit="us"),
    ]
)


def test_columns_are_the_axis_quantities_and_values_of_labels() -> None:
    text, missing = csv_of(TABLED, ["time", "population e", "purity"])
    assert not missing
    assert text.splitlines() == ["time,population e,purity", "0.0,1.0,1.0", "0.5,0.6,0.52", "1.0,0.4,0.52"]
    assert csv_of(TABLED, ["bias", "gap"]) == ("bias,gap\n-1.0,2.0\n1.0,3.0\n", [])


def test_what_is_missing_or_ambiguous_is_said_and_not_guessed() -> None:
    text, missing = csv_of(TABLED, ["time", "population", "entropy", "purity"])
    assert text.splitlines()[0] == "time,purity"
    assert missing[0] == "'population' must be one result along time, but 2 fit; there are: population e, population g"
    assert missing[1].startswith("'entropy' must be one result along time, but 0 fit; there are: population e")
    assert csv_of(Results(records=TABLED.records[-1:]), ["t"])[1] == ["'t': no result runs along an axis"]
