"""CSV tables of results: exact names of columns, and what is missing or ambiguous is said."""

from __future__ import annotations

from labwright.tools.forge.tasks.results import Axis, Record, Results, csv_of

TIME, BIAS = Axis(name="time", values=[0.0, 0.5, 1.0], unit="us"), Axis(name="bias", values=[-1.0, 1.0])
RESULTS = Results(
    records=[
        Record(quantity="population", labels={"level": "e"}, axes=[TIME], value=[1.0, 0.6, 0.4]),
        Record(quantity="population", labels={"level": "g"}, axes=[TIME], value=[0.0, 0.4, 0.6]),
        Record(quantity="purity", axes=[TIME], value=[1.0, 0.52, 0.52]),
        Record(quantity="gap", axes=[BIAS], value=[2.0, 3.0]),
        Record(quantity="half_life", value=0.7, unit="us"),
    ]
)


def test_columns_are_the_axis_quantities_and_values_of_labels() -> None:
    text, missing = csv_of(RESULTS, ["time", "population e", "purity"])
    assert not missing
    assert text.splitlines() == ["time,population e,purity", "0.0,1.0,1.0", "0.5,0.6,0.52", "1.0,0.4,0.52"]
    assert csv_of(RESULTS, ["bias", "gap"]) == ("bias,gap\n-1.0,2.0\n1.0,3.0\n", [])


def test_what_is_missing_or_ambiguous_is_said_and_not_guessed() -> None:
    text, missing = csv_of(RESULTS, ["time", "population", "entropy", "purity"])
    assert text.splitlines()[0] == "time,purity"
    assert missing[0] == "'population' must be one result along time, but 2 fit; there are: population e, population g"
    assert missing[1].startswith("'entropy' must be one result along time, but 0 fit; there are: population e")
    assert csv_of(Results(records=RESULTS.records[-1:]), ["t"])[1] == ["'t': no result runs along an axis"]
