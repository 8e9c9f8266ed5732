"""Numbers of a report that come from nowhere are found, and those that come from somewhere are let be."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from labwright.agents.tool_forging.report_numbers import told_numbers, unfounded
from labwright.tools.workspace.workspace import Workspace

RECORD = {
    "quantity": "energy",
    "labels": {"field": "0.7071"},
    "axes": [{"name": "time", "values": [0.0, 0.03125, 0.0625], "unit": "fs"}],
    "value": [27.0693, -1.13727, 0.000366218],
    "unit": "eV",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    for name, text in {
        "results.json": json.dumps({"parameters": {"rabi": 1.375}, "records": [RECORD]}),
        "question.md": "Take a gap of 5.125 eV and 1024 shots.",
        "inputs/data.csv": "1.5821,2\n",
        "script_1.py": "tolerance = 1.25e-7\n",
        "tools/optics/index.py": "HARTREE = 27.211386\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Workspace(tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        "27.07 eV", "27.1 eV", "27.069 eV", "-1.137", "\u22121.1373", "3.66e-4", "3.66 x 10^-4", "3.66 × 10⁻⁴",
        "$3.662 \\times 10^{-4}$", "0.0366 %", "0.366 meV", "1.375", "5.125 eV", "1.582", "1.25e-7", "27.2114",
        "3.142", "0.03125 fs", "from 1 to 99", "0.50", "in 1937, page 652", "arXiv:1804.11326",
        "10.1103/PhysRev.51.652", "numpy 1.26.4", "Python 3.12", "`run_31.62`", "| 1,024 |", "![x](img/f_31.62.png)",
        "```\n31.62\n```",
        "70.71 %",
    ],
)  # fmt: skip
def test_a_number_that_comes_from_somewhere_is_let_be(words: str, workspace: Workspace) -> None:
    workspace.files.write("report.md", f"# Report\n\nIt is\n{words}\n")
    assert unfounded(workspace, ["script_1.py"], ["index"]) == []


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("the peak is 31.62 eV", "31.62"),
        ("27.08 eV", "27.08"),
        ("| 4987 |", "4987"),
        ("1.14e-4", "1.14e-4"),
        ("2.66 x 10^-4", "2.66 x 10^-4"),
        ("41.3 %", "41.3 %"),
        ("27.2114 Ry", "27.2114"),  # of a tool that was not called
        ("the `31.62` of it", "31.62"),
    ],
)
def test_a_number_from_nowhere_is_found(words: str, found: str, workspace: Workspace) -> None:
    workspace.files.write("report.md", f"# Report\n\nIt is 27.07 eV.\n{words}\n")
    assert unfounded(workspace, ["script_1.py"]) == [found]


def test_numbers_without_digits_to_speak_of_are_not_asked_for() -> None:
    assert told_numbers("At 0.1, 20, 3.0 and 100 of 2000 there are 1.00 and 0.050.") == []


def test_a_long_hostile_report_is_read_in_time(workspace: Workspace) -> None:
    workspace.files.write("report.md", "1,234 " * 20_000 + "`" * 20_000 + "](" * 20_000 + "~" * 20_000 + "9" * 20_000)
    began = time.perf_counter()
    unfounded(workspace, [])
    assert time.perf_counter() - began < 5
