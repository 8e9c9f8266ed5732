"""A whole search with a reader in the model's place, played again: the same maps, numbers and test accuracy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sklearn.datasets import load_wine

from labwright.agents.recordings.replay import open_replay
from labwright.evaluation import suites
from labwright.graphs.feature_map_search.choices import Choices
from labwright.graphs.feature_map_search.running import SearchRequest, start

HERE = Path(suites.__file__).parent
RECORDED = HERE / "recordings" / "search"
RESULT = HERE / "results" / "search_minds.json"
ALIKE = {
    "trials": 3,
    "ideas": 2,
    "evaluations": 60,
    "features": 10,
    "qubits": 10,
    "answers": "defaults",
    "baselines": (),
}


def test_a_recorded_search_finds_what_it_found(tmp_path: Path) -> None:
    """Changed prompts need a new recording (docs/recordings.md)."""
    kept = json.loads(RESULT.read_text(encoding="utf-8"))
    [row] = [
        one for one in kept["rows"] if (one["set"], one["seed"]) == (kept["recorded"]["set"], kept["recorded"]["seed"])
    ]
    load_wine(as_frame=True).frame.to_csv(tmp_path / "wine.csv", index=False)
    chosen = {
        "dataset": str(tmp_path / "wine.csv"),
        "seed": row["seed"],
        "mind": f"replay:{RECORDED}",
        "figures": False,
    }
    outcome = start(SearchRequest(choices=Choices(**chosen, **ALIKE)), tmp_path / "runs")
    assert outcome.status == "complete", outcome.reason
    open_replay(RECORDED).check()  # no exchange is left over
    assert outcome.result["validation_accuracy"] == pytest.approx(row["model"]["validation"])
    assert outcome.result["test_accuracy"] == pytest.approx(row["model"]["test"])
    assert outcome.result["evaluations"] == row["model"]["evaluations"] == 60


def test_every_search_with_a_reader_stays_below_the_limit_of_characters() -> None:
    rows = json.loads(RESULT.read_text(encoding="utf-8"))["rows"]
    assert {(row["set"], row["seed"]) for row in rows} == {
        (name, seed) for name in ("digits", "wine") for seed in range(3)
    }
    assert max(row["model"]["characters_in"] for row in rows) <= 100_000
