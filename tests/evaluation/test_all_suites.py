"""Every suite in one pass: the page holds today's score beside the committed one, and which rows came out the same."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from labwright.evaluation import all_suites
from labwright.evaluation.suites import SUITES


def test_every_suite_is_in_the_small_pass_or_says_why_not() -> None:
    full = {name for name in SUITES if name not in all_suites.ELSEWHERE}
    assert all_suites.SMALL.keys() <= full
    assert all_suites.ELSEWHERE.keys() <= SUITES.keys()


@pytest.mark.slow
def test_a_pass_goes_on_where_it_was_and_notices_a_row_that_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recordings, results = tmp_path / "recordings", tmp_path / "results"
    shutil.copytree(all_suites.RECORDINGS / "forge", recordings / "forge")
    results.mkdir()
    was = json.loads((all_suites.FOLDER / "offers.json").read_text(encoding="utf-8"))
    was["rows"][0]["passed"] = not was["rows"][0]["passed"]
    was["rows"][0].pop("outcome", None)
    (results / "offers.json").write_text(json.dumps(was), encoding="utf-8")
    monkeypatch.setattr(all_suites, "SMALL", {"offers": {"limit": 4}})
    monkeypatch.setattr(all_suites, "RECORDINGS", recordings)
    monkeypatch.setattr(all_suites, "FOLDER", results)
    said: list[str] = []
    all_suites.run_all(tmp_path / "out", True, 0, said.append)
    page = (tmp_path / "out" / all_suites.PAGE).read_text(encoding="utf-8")
    [offers, forged] = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    assert offers[0] == "| `offers`"
    assert offers[3] == "3 of 4"
    assert (forged[0], forged[3]) == ("| `forge-texts, replayed`", "1 of 1")
    shutil.rmtree(recordings)  # a recording is played once a process
    all_suites.run_all(tmp_path / "out", True, 0, said.append)
    assert "offers: 4 of 4 rows are there" in said
