"""A search whose maps a reader invented and coded, played again: plumbing, checks and kernels give what they gave."""

from __future__ import annotations

from pathlib import Path

import pytest
from sklearn.datasets import load_wine

from labwright.agents.recordings.replay import open_replay
from labwright.evaluation import suites
from labwright.graphs.feature_map_search.choices import Choices
from labwright.graphs.feature_map_search.running import SearchRequest, start

RECORDED = Path(suites.__file__).parent / "recordings" / "search_wine"


def test_a_recorded_search_finds_the_same_map(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed prompt, or a changed number in what the model is shown, needs a new recording (docs/recordings.md)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LABWRIGHT_STATE", str(tmp_path / "state"))
    load_wine(as_frame=True).frame.to_csv("wine.csv", index=False)
    choices = Choices.model_validate(
        {
            "dataset": "wine.csv",
            "seed": 1,
            "trials": 3,
            "ideas": 2,
            "evaluations": 60,
            "preparation": "auto",
            "features": 10,
            "qubits": 10,
            "baselines": ("rbf_default", "standard_rbf", "pca_rbf_default"),
            "figures": False,
            "approval": "auto",
            "answers": "defaults",
            "mind": f"replay:{RECORDED}",
        }
    )
    outcome = start(SearchRequest("", choices), tmp_path / "runs")
    open_replay(RECORDED).check()  # raises if a request was missed or changed
    assert outcome.result["evaluations"] == 60
    assert outcome.result["validation_accuracy"] == 1.0
    assert outcome.result["test_accuracy"] == pytest.approx(35 / 36)
