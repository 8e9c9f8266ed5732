"""The suite of searches in words: a sheet for a judge, maps built as they were read, counts of what was judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from scripted_model import Reply, Request, ScriptedModel

from labwright.agents.feature_map_search.read_request import READ
from labwright.agents.understand.coverage_check import COVER
from labwright.evaluation.suites import run
from labwright.tools.errors import InputError
from labwright.tools.feature_maps.evolutionary_search import plain_recipe

RECIPE = plain_recipe(axes=["RY"], scale=1.5, decay=1.0, entangler="none").model_dump(mode="json")
WISHES = [
    {"say": "RY by every feature, no entanglement, four qubits.", "means": "one product map"},
    {"say": "Try twelve trials on the digits.", "means": {"trials": 12}},
    {"say": "Find me something nice.", "means": "a question"},
]


def read(request: Request) -> Reply:
    """A reader that knows these wishes."""
    if request.role == COVER.name:
        return Reply.answer({"findings": []})
    assert request.role == READ.name
    assert "one product map" not in request.user  # what is meant is for the judge alone
    words = request.input["words"]
    if "nice" in words:
        return Reply.question("Nice for which data?")
    small = {"dataset": "samples.csv", "qubits": 4, "features": 8, "persons_ideas": [RECIPE]}
    search = {"trials": 12} if "twelve" in words else small
    return Reply.answer({"search": yaml.safe_dump(search), "sources": [], "assumed": [], "left_out": []})


@pytest.fixture
def wishes(tmp_path: Path) -> Path:
    folder = tmp_path / "sets" / "p1"
    folder.mkdir(parents=True)
    (folder / "wishes.yaml").write_text(yaml.safe_dump(WISHES))
    return folder.parent


@pytest.mark.slow
def test_what_a_model_reads_is_put_before_a_judge(
    wishes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, more = tmp_path / "out", {"data": str(wishes), "mind": "openai:scripted"}
    with ScriptedModel(read) as model:
        for name, value in {"base_url": model.url, "api_key": "none", "state": tmp_path / "state"}.items():
            monkeypatch.setenv(f"LABWRIGHT_{name.upper()}", str(value))
        found = run("search_wishes", out=out, **more)
        assert [row["given"] for row in found["rows"]] == ["specification", "specification", "asked"]
        assert found["score"] == 0.0  # nobody has judged yet
        assert found["baselines"]["without_model"]["score"] == 1.0
        sheet = (out / "search_wishes" / "sheet.md").read_text()
        assert "RY(1.5 x0 + -0.75) 0" in sheet  # built, on the digits, since there are no such samples
        assert "trials: 12" in sheet
        assert "Nice for which data?" in sheet
        judged: dict[str, Any] = {"p1-1": "right", "p1-2": {"verdict": "wrong", "why": "digits"}, "p1-3": "asked"}
        (out / "search_wishes" / "judged.yaml").write_text(yaml.safe_dump(judged))
        counted = run("search_wishes", out=out, **more)
    assert counted["resumed"] == 6
    assert counted["outcomes"] == {
        "right": 1, "asked": 1, "refused": 0, "wrong": 1, "crashed": 0, "check_refused_right": 0,
    }  # fmt: skip
    assert counted["score"] == pytest.approx(2 / 3)


def test_a_folder_without_wishes_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no wishes\.yaml"):
        run("search_wishes", data=str(tmp_path))
    with pytest.raises(InputError, match="Name the folder"):
        run("search_wishes")
