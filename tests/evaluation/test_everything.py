"""Every suite in one pass: the page holds today's score beside the committed one, and which rows came out the same."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from labwright.evaluation import everything
from labwright.evaluation.suites import SUITES


def test_every_suite_is_in_the_small_pass_or_says_why_not() -> None:
    full = {name for name in SUITES if name not in everything.ELSEWHERE}
    assert everything.SMALL.keys() <= full
    assert everything.ELSEWHERE.keys() <= SUITES.keys()


def test_a_pass_goes_on_where_it_was_and_notices_a_row_that_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recordings, results = tmp_path / "recordings", tmp_path / "results"
    shutil.copytree(everything.RECORDINGS / "forge", recordings / "forge")
    results.mkdir()
    was = json.loads((everything.FOLDER / "offers.json").read_text(encoding="utf-8"))
    was["rows"][0]["passed"] = not was["rows"][0]["passed"]
    was["rows"][0].pop("outcome", None)
    (results / "offers.json").write_text(json.dumps(was), encoding="utf-8")
    monkeypatch.setattr(everything, "SMALL", {"offers": {"limit": 4}})
    monkeypatch.setattr(everything, "RECORDINGS", recordings)
    monkeypatch.setattr(everything, "FOLDER", results)
    said: list[str] = []
    everything.run_all(tmp_path / "out", True, 0, said.append)
    page = (tmp_path / "out" / everything.PAGE).read_text(encoding="utf-8")
    [offers, forged] = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    assert offers[0] == "| `offers`"
    assert offers[3] == "3 of 4"
    assert (forged[0], forged[3]) == ("| `forge-texts, replayed`", "1 of 1")
    shutil.rmtree(recordings)  # a recording is played once a process
    everything.run_all(tmp_path / "out", True, 0, said.append)
    assert "offers: 4 of 4 rows are there" in said
