"""The stage table is made of events alone."""

from __future__ import annotations

import io
import math

import pytest
from rich.console import Console

from labwright.apps.exits import Watch
from labwright.apps.numbers import seconds, with_error
from labwright.apps.progress import Progress, StageTable

MEASURED = {"estimates": {"detuning": {"value": 1.5021, "error": 0.0031, "unit": "MHz"}}}
EVENTS = [
    {"kind": "run_started", "run_id": "r1"},
    {"kind": "stage_started", "instruction": "Ramsey [bold] on\nQ1", "attempt": 1},
    {"kind": "question", "agent": "x.select_one", "reason": ""},
    {"kind": "translated", "call": "ramsey(stop=0.5)"},
    {"kind": "measured", "experiment": "ramsey"},
    {"kind": "inspected", "verdict": "adjust", "diagnosis": "too few oscillations", **MEASURED},
    {"kind": "decided", "changes": {"stop": 2.0}},
    {"kind": "stage_started", "instruction": "Ramsey again", "attempt": 2},
]


def test_rows_fill_as_events_come() -> None:
    table = StageTable()
    for now, event in enumerate(EVENTS):
        table.hear(event, float(now))
    first, second = table.rows
    assert (first.experiment, first.verdict, first.seconds) == ("ramsey", "adjust", 5.0)
    assert first.numbers == "detuning 1.502(3) MHz"
    assert first.note == "too few oscillations → stop = 2"
    assert (second.attempt, second.verdict, second.seconds) == (2, "", None)
    assert first.instruction == "Ramsey [bold] on Q1"


def test_unknown_and_early_events_are_harmless() -> None:
    table = StageTable()
    for event in ({"kind": "decided", "changes": {}}, {"kind": "new"}, {}, {"agent": "a", "kind": "answer"}):
        table.hear(event, 0.0)
    assert table.rows == []


@pytest.mark.parametrize("width", [80, 120, 160])
def test_terminal_screen(width: int) -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=width, height=24, color_system=None)
    watch = Watch()
    with Progress(console, watch) as progress:
        for event in EVENTS:
            progress.hear(event)
        with progress.aside():
            console.print("a question")
    assert watch.run_id == "r1"
    last = file.getvalue().rpartition("instruction")[2]
    for shown in ("Ramsey [bold]", "ramsey", "adjust", "oscillations", "Ramsey again"):
        assert shown in last
    assert all(len(line) <= width for line in last.splitlines())


@pytest.mark.parametrize(
    ("value", "error", "shown"),
    [
        (1.5021, 0.0031, "1.502(3)"),
        (7.66e-4, 2e-5, "7.7(2)e-04"),
        (4870.2004, 0.00096, "4870.200(1)"),
        (0.0, 0.01, "0.00(1)"),
        (52.3, 12.0, "52(12)"),
        (1.5, 0.0, "1.5"),
        (1.5, math.nan, "1.5"),
        (math.nan, 1.0, "-"),
        (None, None, "-"),
        (-0.31, 0.02, "-0.31(2)"),
    ],
)
def test_numbers_as_a_physicist_writes_them(value: float, error: float, shown: str) -> None:
    assert with_error(value, error) == shown


def test_seconds() -> None:
    assert [seconds(t) for t in (0.416, 12.3, 200.0)] == ["0.42 s", "12 s", "3 min 20 s"]
