"""Files that a task asks for by name."""

from __future__ import annotations

import pytest

from labwright.agents.tool_forging.readers.language.clean import clean
from labwright.agents.tool_forging.readers.language.files import tables


@pytest.mark.parametrize(
    ("text", "path", "columns"),
    [
        ("Save everything to `decay.csv`.", "decay.csv", ()),
        ("Write out/pop.csv (columns: t, P_e, P_g).", "out/pop.csv", ("t", "P_e", "P_g")),
        ("A table in thermo.csv with columns T, dH and dG please.", "thermo.csv", ("T", "dH", "dG")),
        ("Store it as run1.csv; the plot may be any.", "run1.csv", ()),
    ],
)
def test_a_file_with_its_columns(text: str, path: str, columns: tuple[str, ...]) -> None:
    (found,) = tables(text)
    assert (found.path, found.columns) == (path, columns)


def test_a_file_that_is_read_is_not_written() -> None:
    assert tables("Read the file data.csv and inputs/spectrum.csv first.") == []


def test_the_name_of_a_file_is_no_word_of_the_task() -> None:
    assert "csv" not in clean("Write the populations to the file long_run.csv and plot them.").text
