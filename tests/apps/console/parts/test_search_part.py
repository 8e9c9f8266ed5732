"""What the search's part makes of a log: trajectory, leaderboard, kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from console_logs import HOSTILE, harmless, numbered, words

from labwright.apps.console.parts.accuracy_chart import best_so_far, chart, rivals
from labwright.apps.console.parts.search import Search, kernels
from labwright.tools.runs import Run, create_run


def tried(name: str, validation: float | None, selection: float | None, **more: Any) -> dict[str, Any]:
    outcome = "evaluated" if selection is not None else "illegal"
    words = {"kind": "tried", "trial": 1, "name": name, "outcome": outcome, "reason": "", "file": ""}
    return {**words, "validation": validation, "selection": selection, **more}


TRIALS = [
    {"kind": "trial_started", "trial": 1, "of": 2},
    tried("A", 0.90, 0.91),
    tried("B", None, None, reason="gate not allowed"),
    tried("C", 0.95, 0.90),  # better on the validation part, but not by what is chosen
    tried("D", 0.94, 0.93),
]
BASELINES = {
    "linear": {"validation_accuracy": 0.96, "test_accuracy": 0.95},
    "rbf_tuned": {"validation_accuracy": 0.97, "test_accuracy": 0.93},
    "zz": {"validation_accuracy": 0.92, "test_accuracy": 0.91},
}
RESULT = {
    "validation_accuracy": 0.94,
    "test_accuracy": 0.94,
    "baselines": BASELINES,
    "data": {"n_train": 3, "n_test": 1},
}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return create_run(tmp_path, "feature_map_search", "Find a map", {}, 0)


@pytest.fixture
def watched(run: Run) -> Search:
    search = Search(run)
    search.take(numbered(*TRIALS))
    return search


def test_best_so_far_follows_what_the_search_chooses_by(watched: Search) -> None:
    assert best_so_far(watched.trials.rows) == [0.90, 0.90, 0.90, 0.94]


def test_the_leaderboard_ranks_by_selection_with_failures_last(watched: Search) -> None:
    rows = words(watched.html("leaderboard"), "//tbody/tr")
    assert [row.split()[:2] for row in rows] == [["1", "D"], ["2", "A"], ["3", "C"], ["–", "B"]]
    assert "★ best" in rows[0]
    assert "✘ illegal gate" in rows[3]
    assert "gate not allowed" in rows[3]


def test_the_chart_has_a_gap_where_a_map_has_no_number(watched: Search) -> None:
    options = chart(watched.trials.rows, BASELINES)
    points, best, classical, quantum = (one["data"] for one in options["series"])
    assert points == [90.0, None, 95.0, 94.0]
    assert best == [90.0, 90.0, 90.0, 94.0]
    assert (set(classical), set(quantum)) == ({97.0}, {92.0})
    assert len({str(one.get("lineStyle", {}).get("type")) + one["type"] for one in options["series"]}) == 4
    assert "D with 94.00 %" in options["aria"]["label"]["description"]
    assert "C did better there, but not by selection" in options["aria"]["label"]["description"]


def test_rivals_are_the_best_of_either_kind() -> None:
    assert rivals(BASELINES) == [("RBF, tuned", 0.97), ("ZZ", 0.92)]
    outside = {"gradient_boosting": {"validation_accuracy": 0.99}, "listing22": {"validation_accuracy": None}}
    assert rivals(BASELINES | outside) == [("gradient boosting on raw features", 0.99), ("ZZ", 0.92)]
    assert rivals({}) == []


def test_kernels_are_ordered_by_the_test_part() -> None:
    rows = kernels(RESULT)
    assert [(row["name"], row["test"], row["gap"]) for row in rows] == [
        ("linear", "95.00", "-1.00"),
        ("map that was found", "94.00", ""),
        ("RBF, tuned", "93.00", "+1.00"),
        ("ZZ", "91.00", "+3.00"),
    ]


def test_sizes_come_from_the_record_and_from_nowhere_else(run: Run, tmp_path: Path) -> None:
    record = {"tried": {"gates": 80, "two_qubit_gates": 30, "depth": 35, "name": "A"}}
    run.save_json("data/candidates/1-1.json", record)
    (tmp_path / "outside.json").write_text((run.folder / "data/candidates/1-1.json").read_text())
    watched = Search(run)
    files = ("data/candidates/1-1.json", "../outside.json", "/etc/hostname", "nowhere.json")
    watched.take(numbered(*(tried("A", 0.9, 0.9, file=file) for file in files)))
    assert watched.sizes == {
        files[0]: {"gates": 80, "two_qubit_gates": 30, "depth": 35},
        **{file: {} for file in files[1:]},
    }


def test_baselines_are_shown_as_they_come(watched: Search) -> None:
    assert watched.html("kernels") == ""
    watched.take(numbered({"kind": "baseline", "name": "zz", "test": 0.91}, after=len(TRIALS)))
    assert words(watched.html("kernels"), "//tbody/tr") == ["ZZ 91.00"]


def test_nothing_said_becomes_markup(run: Run) -> None:
    watched = Search(run)
    watched.take(numbered(TRIALS[0], tried(HOSTILE, 0.9, 0.9, outcome=HOSTILE, reason=HOSTILE)))
    assert all(harmless(watched.html(section)) for section in watched.SECTIONS)
    assert "onerror=alert(1)" in watched.html("leaderboard")
