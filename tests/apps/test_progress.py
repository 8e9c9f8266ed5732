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
    {"kind": "decided", "changes": {"stop": 2.0, "update": False, "state": "bell"}},
    {"kind": "stage_started", "instruction": "Ramsey again", "attempt": 2},
]


def test_rows_fill_as_events_come() -> None:
    table = StageTable()
    for now, event in enumerate(EVENTS):
        table.hear(event, float(now))
    first, second = table.rows
    assert (first.experiment, first.verdict, first.seconds) == ("ramsey", "adjust", 5.0)
    assert first.numbers == "detuning 1.502(3) MHz"
    assert first.note == "too few oscillations → stop = 2, update = no, state = bell"
    assert (second.attempt, second.verdict, second.seconds) == (2, "", None)
    assert first.instruction == "Ramsey [bold] on Q1"


def test_procedure_is_a_heading_over_its_stages() -> None:
    table = StageTable()
    plan = {"kind": "planned", "stages": [{"label": "Stage 1", "instruction": "Ramsey on Q1"}]}
    measured = [{"kind": "inspected", "verdict": "success", "estimates": {}}, {"kind": "decided", "changes": {}}]
    events: list[dict[str, object]] = [
        {"kind": "stage_started", "instruction": "Calibrate Q1", "attempt": 1},
        {"kind": "translated", "call": "procedure('single', dut='Q1')", "stage": "Stage 1"},
        plan,
        {"kind": "translated", "call": "ramsey()", "stage": "Stage 1"},
        *measured,
        {"kind": "stage_started", "instruction": "Rabi on Q1", "attempt": 1},
        {"kind": "translated", "call": "rabi()", "stage": "Stage 2"},
        *measured,
        {"kind": "decided", "changes": {}},
    ]
    news = [table.hear(event, float(now)) for now, event in enumerate(events)]
    assert [(row.number, row.instruction) for row in table.rows] == [
        (0, "Calibrate Q1"),
        (1, "Ramsey on Q1"),
        (2, "Rabi on Q1"),
    ]
    assert all(row.seconds is not None for row in table.rows)
    assert [row.number for row in news if row] == [0, 1, 2]


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
    last = file.getvalue().rpartition("instruction" if width >= 100 else "stage")[2]
    for shown in ("ramsey", "adjust", "too few oscillations", "Ramsey again"):
        assert shown in last
    assert ("Ramsey [bold]" in last) == (width >= 100)
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
        (-0.0003, 0.0019, "-0.000(2)"),
        (0.0, 2e-6, "0(2)e-06"),
    ],
)
def test_numbers_as_a_physicist_writes_them(value: float, error: float, shown: str) -> None:
    assert with_error(value, error) == shown


def test_seconds() -> None:
    assert [seconds(t) for t in (0.416, 12.3, 200.0)] == ["0.42 s", "12 s", "3 min 20 s"]


def test_a_procedure_done_again_is_a_heading_too() -> None:
    table = StageTable()
    events: list[dict[str, object]] = [
        {"kind": "stage_started", "instruction": "Calibrate Q1", "attempt": 2, "depth": 1},
        {"kind": "stage_started", "instruction": "Rabi on Q1", "attempt": 1, "depth": 2},
    ]
    news = [table.hear(event, float(now)) for now, event in enumerate(events)]
    assert [(row.number, row.instruction) for row in table.rows] == [(0, "Calibrate Q1"), (1, "Rabi on Q1")]
    assert news[1] is table.rows[0]


@pytest.mark.parametrize(("width", "heads"), [(80, ["#", "stage", "try"]), (120, ["#", "instruction", "experiment"])])
def test_the_heads_name_what_the_columns_hold(width: int, heads: list[str]) -> None:
    table = StageTable().render([], width, live=False)
    assert [column.header for column in table.columns][:3] == heads


def test_what_was_noted_while_the_plan_was_read_stands_before_its_stages() -> None:
    noted = {"kind": "understood", "assumptions": ["frequency of Q1 was last [measured] 3.0 h ago"]}
    file = io.StringIO()
    with Progress(Console(file=file, width=100), Watch()) as progress:
        for event in ({"kind": "understood"}, noted):
            progress.hear(event)
    assert file.getvalue() == "note: frequency of Q1 was last [measured] 3.0 h ago\n"


def test_a_success_with_a_cause_says_what_it_is() -> None:
    file = io.StringIO()
    progress = Progress(Console(file=file, width=100), Watch())
    for event in (
        {"kind": "stage_started", "stage": "Stage 1", "instruction": "cpmg Q2"},
        {"kind": "inspected", "verdict": "success", "cause": "pulses_shorten", "diagnosis": "repeat it"},
        {"kind": "decided", "next": "COMPLETE"},
    ):
        progress.hear(event)
    assert "success  repeat it" in file.getvalue()
