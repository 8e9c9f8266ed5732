"""What documents say about the results is what the results say."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from labwright.evaluation import suites, tables
from labwright.evaluation.accuracy_spread import compared
from labwright.evaluation.arena.suite import table
from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.forge.suites import needed, totals
from labwright.evaluation.search_splits import made
from labwright.tools.errors import InputError

HERE = Path(tables.FOLDER).parent
ARENAS = [path.stem for path in tables.FOLDER.glob("arena*.json")]


def test_the_page_of_the_diagnosis_holds_the_committed_result_and_the_known_causes():
    text = (HERE.parent / "docs" / "diagnosis.md").read_text(encoding="utf-8")
    assert tables.diagnosis_table() in text
    assert tables.causes_table() in text


def test_the_page_of_the_arena_holds_the_committed_results():
    text = (HERE.parent / "docs" / "arena.md").read_text(encoding="utf-8")
    assert tables.arena_table() in text
    for name in ARENAS:
        assert tables.origin(name) in text


def test_the_table_follows_the_results(tmp_path):
    for path in tables.FOLDER.glob("*.json"):
        changed = path.read_text(encoding="utf-8").replace("of 35 (", "of 36 (")
        (tmp_path / path.name).write_text(changed, encoding="utf-8")
    assert "of 36 (" in tables.arena_table(tmp_path)
    assert "of 36 (" not in tables.arena_table()


def test_the_committed_tables_are_what_their_rows_come_to():
    for name in ARENAS:
        result = json.loads((tables.FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        assert table(result["rows"]) == result["table"]
        assert hashlib.sha256(result["secret"].encode()).hexdigest() == result["sealed"]
        assert result["crashed"] == 0


def test_accuracies_are_compared_in_pairs():
    rows = [
        {"set": "a", "test": 0.90, "rbf": 0.80},
        {"set": "a", "test": 0.80, "rbf": 0.68},
        {"set": "a", "case": "crashed", "test": None},
        {"set": "b", "test": 0.5, "rbf": 0.6},
    ]
    table = compared(rows, "set", ("rbf",))
    assert table["a"] == {
        "n": 2.0, "test": 0.85, "test sd": 0.070711, "rbf": 0.74, "rbf sd": 0.084853,
        "minus rbf": 0.11, "minus rbf se": 0.01291, "minus rbf p": 0.074375,
    }  # fmt: skip
    assert table["b"] == {"n": 1.0, "test": 0.5, "rbf": 0.6, "minus rbf": -0.1}


def test_tables_of_scikit_learn_are_data_sets():
    wine, cancer = made("wine", 0), made("breast-cancer", 0)
    assert (wine.X.shape, len(wine.classes)) == ((178, 13), 3)
    assert (cancer.X.shape, len(cancer.classes)) == ((569, 30), 2)
    with pytest.raises(InputError, match="no data set 'beer'"):
        made("beer", 0)


def test_every_suite_says_what_it_does():
    about = suites.about()
    assert about.keys() == suites.SUITES.keys()
    assert all(len(said) > 10 for said in about.values())


MANUAL = FOLDER.parents[1] / "docs" / "tool-forging.md"
NAMES = ("forge_dynamics", "forge_curriculum", "forge_chemistry")


def _kept(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_result_says_where_it_comes_from_and_adds_up(name: str) -> None:
    kept = _kept(name)
    assert kept["suite"] == name.replace("_", "-")
    assert re.fullmatch(r"[0-9a-f]{7,}\+?", kept["commit"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", kept["date"])
    assert kept["n"] == len(kept["rows"])
    assert kept["score"] == pytest.approx(sum(row["score"] for row in kept["rows"]) / kept["n"])
    for row in kept["rows"]:
        assert row["score"] == pytest.approx((row["accuracy"] + row["methodology"]) / 2, abs=1e-3)
        assert row["other_seconds"] == pytest.approx(row["seconds"] - row["science_seconds"], abs=0.02)


def test_the_second_pass_of_the_curriculum_makes_nothing_and_is_as_good() -> None:
    rows = _kept("forge_curriculum")["rows"]
    first, second = ([row for row in rows if row["pass"] == number] for number in (1, 2))
    assert [row["task"] for row in first] == [row["task"] for row in second]
    assert totals(first)["tools_made"] > 0
    assert totals(second)["tools_made"] == 0
    assert [row["score"] for row in second] == [row["score"] for row in first]
    before, after = (sum(row["other_seconds"] for row in half) for half in (first, second))
    assert after < 0.4 * before


@pytest.mark.parametrize("name", ["forge_dynamics", "forge_chemistry"])
def test_the_manual_holds_the_numbers(name: str) -> None:
    manual = MANUAL.read_text(encoding="utf-8")
    runs = defaultdict(list)
    for row in _kept(name)["rows"]:
        runs[row["task"].partition("/")[2]].append(row)
    for task, rows in runs.items():
        middle = [median(row[one] for row in rows) for one in ("accuracy", "methodology", "seconds", "science_seconds")]
        assert f"| {task} | {' | '.join(f'{value:.3g}' for value in middle)} |" in manual


def test_chemistry_that_was_not_run_says_what_it_takes() -> None:
    pytest.importorskip("pyscf")
    pytest.importorskip("rdkit")
    kept = _kept("forge_chemistry")
    assert kept["notes"] == needed("chemistry", kept["rows"])
    assert len(kept["notes"]) + len(kept["rows"]) == 13
