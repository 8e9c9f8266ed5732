"""What a document, a file name or a model says is shown, and never obeyed, by the terminal."""

from io import StringIO

import pytest
from rich.console import Console

from labwright.apps.progress import StageTable
from labwright.apps.terminal_output import escape, legible
from labwright.apps.terminal_questions import show
from labwright.graphs.questions import Option, Question

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
