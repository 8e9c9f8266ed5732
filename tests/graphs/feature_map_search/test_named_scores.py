"""The inventor gets the scores of the last trial with the names of its ideas."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from labwright.graphs.feature_map_search.records import named_scores, scores

EXAMPLES = Path(__file__).parents[2] / "prompts" / "examples"
SCORED = json.loads((EXAMPLES / "feature_map_search.review.json").read_text(encoding="utf-8"))["last"]


def test_scores_of_one_trial_bear_the_names_of_their_ideas() -> None:
    first, second = SCORED
    tried = [first | {"trial": 1}, second, first | {"name": "Vetoed", "score": None}]
    rows: list[Any] = [{"trial": one["trial"], "sha256": str(place)} for place, one in enumerate(tried)]
    known = {row["sha256"]: {"tried": one} for row, one in zip(rows, tried, strict=True)}
    bench: Any = SimpleNamespace(_candidates=known)
    assert [(one.name, one.score.model_dump()) for one in named_scores(bench, rows, 2)] == [
        (second["name"], second["score"])
    ]
    assert [one.model_dump() for one in scores(bench, rows, 1)] == [first["score"]]
