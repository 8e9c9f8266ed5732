"""The report shows foreign words and obeys none of them; a search keeps to the data that it began with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from searches import clouds, completed, events, search

from labwright.graphs.feature_map_search.forking import fork
from labwright.graphs.feature_map_search.markdown import markdown
from labwright.graphs.feature_map_search.report_summary import Words
from labwright.graphs.feature_map_search.run_context import WORKBENCHES
from labwright.graphs.feature_map_search.running import resume
from labwright.tools.errors import InputError
from labwright.tools.runs.run import run_ids

EVIL = "# Title\n\n<script>alert(1)</script> ![x](http://evil) [y](javascript:z) `code` a|b \x1b[2J"


def result_with(plain: dict[str, Any]) -> dict[str, Any]:
    """The same result with evil words wherever a model, a file or a person may have brought some."""
    found = plain["feature_map"]
    words = {"summary": EVIL, "formula": "x < 1$$ <script>", "hyperparameters": {"kind": EVIL}}
    told = {**found, **words, "circuit": {**found["circuit"], "notes": [EVIL]}}
    tried = [{**row, "reason": EVIL} for row in plain["tried"]]
    data = {**plain["data"], "notes": [EVIL]}
    return {**plain, "feature_map": told, "tried": tried, "data": data, "dataset": EVIL, "ended": EVIL,
            "assumptions": [EVIL]}  # fmt: skip


def test_foreign_words_in_a_report_are_only_words(root: Path) -> None:
    outcome = search(root, trials=1, ideas=1)
    bench = WORKBENCHES.get(str(outcome.run_dir))
    state: Any = {"status": "complete"}
    text = markdown(bench, state, result_with(outcome.result), Words(summary=EVIL, cautions=[EVIL]))
    tuned = result_with(outcome.result)
    tuned["feature_map"] |= {"name": "RingTuned", "hyperparameters": {"scale": 3.7504}, "penalty": 4.5}
    told = markdown(bench, state, tuned, Words(summary="Scale 6.", cautions=[]))
    WORKBENCHES.close(str(outcome.run_dir))
    assert "Hyperparameters: scale = 3.7504; penalty C = 4.5.\n- The words and the formula above are those of" in told
    assert text.count("alert(1)") == 9
    assert "<script" not in text
    assert "\x1b" not in text
    assert " ![x]" not in text
    assert " [y]" not in text
    assert not any("Title" in line for line in text.splitlines() if line.startswith("#"))


def test_a_search_does_not_go_on_with_other_data(root: Path) -> None:
    old = search(root, budget="seconds=0.001")
    assert old.status == "stopped"
    path = clouds(root.parent)
    stored = dict(np.load(path))
    np.savez(path, X=stored["X"] + 1.0 * (np.arange(8) == 2), y=stored["y"][::-1])
    for name in (old.run_id, fork(old.run_id, root)):
        with pytest.raises(InputError, match="not the one that this search began with"):
            resume(name, root, budget="seconds=600")
    np.savez(path, **stored)
    assert resume(old.run_id, root, budget="seconds=600").status == "complete"


def test_a_changed_file_is_read_again_for_a_new_search(root: Path) -> None:
    first = search(root, trials=1, ideas=1)
    path = clouds(root.parent)
    stored = dict(np.load(path))
    np.savez(path, X=stored["X"] * 2, y=stored["y"])
    second = search(root, trials=1, ideas=1)
    assert first.result["data"]["data_set_sha256"] != second.result["data"]["data_set_sha256"]


def test_a_small_number_of_evaluations_is_what_the_rules_plan_for(root: Path) -> None:
    outcome = search(root, trials=2, evaluations=3)
    assert outcome.result["evaluations"] == 3
    [prepared] = events(outcome.run_dir, "prepared")
    assert prepared["task"]["max_evaluations"] == 3


def test_an_idea_without_words_is_refused(root: Path) -> None:
    with pytest.raises(ValidationError, match="no words"):
        search(root, persons_ideas=(" ",))


def test_a_budget_that_is_spent_by_the_end_keeps_no_finished_search_from_its_result(root: Path) -> None:
    def spend(event: dict[str, Any]) -> None:
        if event["kind"] == "baseline":
            [name] = run_ids(root)
            WORKBENCHES.get(str(root / name)).meter._earlier += 1e6

    outcome = completed(root, trials=1, ideas=1, budget="seconds=1000", on_event=spend)
    assert outcome.result["test_accuracy"] is not None
    assert "On the test data" in (outcome.run_dir / "report.md").read_text()
