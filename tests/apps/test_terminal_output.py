"""What the command line takes, completes and shows; what a document or a model says is never obeyed by the terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from labwright.apps.calibration_summary import measured_line, qubit_table
from labwright.apps.progress import StageTable
from labwright.apps.request_text import request_text
from labwright.apps.terminal_output import escape, legible
from labwright.apps.terminal_questions import show
from labwright.graphs.questions import Option, Question
from labwright.tools.errors import InputError

HOSTILE = "T1 of Q1\x1b[2K\x1b[1A\x9b31m\r\u202e[red]"


def test_what_a_terminal_would_obey_is_replaced_and_the_rest_kept() -> None:
    assert legible("10 µs ± 1\tüber\nnächste") == "10 µs ± 1\tüber\nnächste"
    assert not set(legible(HOSTILE)) & set("\x1b\x9b\r\u202e")
    assert escape("[red]") == r"\[red]"


@pytest.mark.parametrize("terminal", [False, True])
def test_a_question_shows_no_sequence_of_a_document(terminal: bool) -> None:
    console = Console(file=StringIO(), force_terminal=terminal, color_system=None, width=100)
    options = [Option(value=f"run{HOSTILE}", label=HOSTILE)]
    show(Question(id="a", kind="approve", title=HOSTILE, body_markdown=HOSTILE, options=options), console, HOSTILE)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "T1 of Q1" in shown
    assert "\x1b[2K" not in shown
    assert not set(shown) & set("\x9b\r\u202e")


def test_the_stage_table_shows_none_either() -> None:
    table = StageTable()
    table.hear({"kind": "stage_started", "instruction": HOSTILE}, 0.0)
    table.hear({"kind": "translated", "call": f"t1(qubit='{HOSTILE}')"}, 0.0)
    table.hear({"kind": "inspected", "verdict": "adjust", "diagnosis": HOSTILE}, 0.0)
    console = Console(file=StringIO(), force_terminal=True, color_system=None, width=160)
    console.print(table.render(table.rows, 160, live=False))
    assert "\x1b[2K" not in console.file.getvalue()  # type: ignore[attr-defined]


def test_words_are_taken_as_they_are_however_long() -> None:
    for words in ("Calibrate Q1", "Calibrate Q1. " * 40, "a\nb"):
        assert request_text(words, (".md",), "") == words


def test_a_file_is_read_and_a_missing_one_named(tmp_path: Path) -> None:
    (tmp_path / "plan").write_text("Measure T1 of Q1")
    assert request_text(str(tmp_path / "plan"), (".md",), "") == "Measure T1 of Q1"
    with pytest.raises(InputError, match="cannot be read"):
        request_text(str(tmp_path / "none.md"), (".md",), "")


def test_nothing_asked_says_what_to_ask() -> None:
    with pytest.raises(InputError, match="Say so"):
        request_text("  ", (), "Say so.")


LABWRIGHT = Path(sys.executable).parent / "labwright"


def completed(words: str) -> list[str]:
    asked = {"_LABWRIGHT_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    done = subprocess.run(
        [str(LABWRIGHT)], env={**os.environ, **asked}, capture_output=True, text=True, timeout=600, check=False
    )
    return done.stdout.split()


def test_commands_and_options_are_completed() -> None:
    assert completed("labwright cal") == ["calibrate"]
    assert "--approve" in completed("labwright calibrate --app")


T1 = {"value": 120.8, "error": 1.6, "unit": "us", "main": True}
ENTRY = {
    "before": {"drag": 0.1},
    "after": {"drag": 0.1},
    "rb_error_per_gate": None,
    "measured": {
        "t1.t1": T1,
        "t1.contrast": {**T1, "main": False},
        "drag_calibration.optimum": {"value": 0.1, "error": 0.01, "unit": "", "main": True},
    },
}


def test_a_measurement_that_changes_nothing_shows_its_number_and_no_empty_table() -> None:
    assert qubit_table("Q1", ENTRY) is None
    assert measured_line("Q1", ENTRY) == "Q1 measured: t1 121(2) us"


def test_a_limit_stands_only_beside_a_measured_error() -> None:
    calibrated = {**ENTRY, "after": {"drag": 0.4}}
    plain = qubit_table("Q1", calibrated)
    assert [column.header for column in plain.columns] == ["Q1", "before", "after"]
    assert qubit_table("Q1", {**calibrated, "rb_error_per_gate": 1e-4}).columns[-1].header == "limit"


def test_nothing_measured_says_nothing() -> None:
    assert measured_line("Q1", {"measured": {}}) == ""
