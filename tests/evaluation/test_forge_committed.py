"""Committed results of forging say where they come from, and the manual's table holds their numbers."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from statistics import median
from typing import Any

import pytest

from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.forge.suites import needed, totals

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
