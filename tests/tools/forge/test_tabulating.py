"""CSV tables of results: columns by their words, further axes spread, what nothing fits said to be missing."""

from __future__ import annotations

import csv
import io

from labwright.tools.forge.results import Axis, Record, Results
from labwright.tools.forge.tabulating import csv_of

TIME = Axis(name="time", values=[0.0, 0.5, 1.0], unit="us")
SITE = Axis(name="site", values=[0.0, 1.0], unit="")
RESULTS = Results(
    records=[
        Record(quantity="population", labels={"level": "e"}, axes=[TIME], value=[1.0, 0.6, 0.4]),
        Record(quantity="population", labels={"level": "g"}, axes=[TIME], value=[0.0, 0.4, 0.6]),
        Record(quantity="purity", axes=[TIME], value=[1.0, 0.52, 0.52]),
        Record(quantity="magnetisation", labels={"axis": "z"}, axes=[TIME, SITE], value=[[1, -1], [0.8, -0.8], [0, 0]]),
        Record(quantity="half_life", value=0.7, unit="us"),
    ]
)


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_named_columns_are_found_by_symbol_label_and_quantity() -> None:
    text, missing = csv_of(RESULTS, ["t", "P_e", "population g", "purity"])
    assert not missing
    assert rows(text) == [
        ["t", "P_e", "population g", "purity"],
        ["0.0", "1.0", "0.0", "1.0"],
        ["0.5", "0.6", "0.4", "0.52"],
        ["1.0", "0.4", "0.6", "0.52"],
    ]


def test_a_column_that_nothing_fits_is_missing_and_is_not_guessed() -> None:
    text, missing = csv_of(RESULTS, ["time", "entropy"])
    assert missing == ["entropy"]
    assert rows(text)[0] == ["time"]


def test_without_names_everything_along_the_common_axis_is_written() -> None:
    text, missing = csv_of(RESULTS, [])
    assert not missing
    head = rows(text)[0]
    assert head[0] == "time (us)"
    assert "magnetisation [axis=z] site 1" in head
    assert rows(text)[2][head.index("magnetisation [axis=z] site 1")] == "-0.8"


def test_numbers_without_an_axis_are_listed_one_a_row() -> None:
    single = Results(records=[Record(quantity="energy", labels={"method": "hf"}, value=-1.1, unit="hartree")])
    assert rows(csv_of(single, [])[0]) == [["quantity", "method", "value", "unit"], ["energy", "hf", "-1.1", "hartree"]]


def test_methods_and_temperatures() -> None:
    far = Axis(name="distance", values=[0.7, 0.8], unit="angstrom")
    curves = Results(
        records=[
            Record(quantity="energy_variance", labels={"method": "hf"}, axes=[far], value=[0.0, 0.0]),
            Record(quantity="energy", labels={"method": "hf", "basis": "sto-3g"}, axes=[far], value=[-1.0, -1.1]),
            Record(quantity="energy", labels={"method": "fci", "basis": "sto-3g"}, axes=[far], value=[-1.2, -1.3]),
        ]
    )
    text, missing = csv_of(curves, ["R (angstrom)", "energy of RHF", "FCI energy"])
    assert not missing
    assert rows(text)[1] == ["0.7", "-1.0", "-1.2"]


def test_roots_that_only_number_do_not_make_the_table() -> None:
    root = Axis(name="root", values=[0.0, 1.0], unit="")
    mixed = Results(
        records=[
            Record(quantity="casci_energies", axes=[root], value=[-1.0, -0.9], unit="hartree"),
            Record(quantity="energy", labels={"method": "hf"}, value=-0.98, unit="hartree"),
        ]
    )
    assert rows(csv_of(mixed, [])[0])[1] == ["energy", "hf", "-0.98", "hartree"]
