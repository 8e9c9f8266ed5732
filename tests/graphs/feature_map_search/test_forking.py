"""A fork shares its past with the old search, goes on alone, and leaves the old one as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from searches import AFTER, events, facts, notes, search

from labwright.graphs.feature_map_search.forking import fork
from labwright.graphs.feature_map_search.running import resume
from labwright.tools.errors import InputError
from labwright.tools.runs.run import open_run


@pytest.mark.parametrize("stage", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_a_fork_finds_the_same_and_evaluates_only_what_comes_after(root: Path, stage: int) -> None:
    old = search(root)
    before = {path: path.read_bytes() for path in old.run_dir.rglob("*.json")}
    with pytest.raises(InputError, match="after 0 to 2 trials, not after 5"):
        fork(old.run_id, root, stage=5)
    name = fork(old.run_id, root, stage=stage)
    assert open_run(root, name).record.parent == {"run_id": old.run_id, "stage": stage, "test_part_was_opened": True}
    new = resume(name, root)
    assert new.status == "complete"
    assert new.result["test_part_was_opened_before"]
    assert not old.result["test_part_was_opened_before"]
    assert "not blind" in (new.run_dir / "report.md").read_text()
    assert len(events(new.run_dir, "revealed")) == 1
    ours, theirs = facts(new.run_dir), facts(old.run_dir)
    for result in (ours["result"], theirs["result"]):
        result.pop("test_part_was_opened_before")
    assert ours["result"] == theirs["result"]
    assert ours["records"] == theirs["records"]
    assert [step["what"] for step in notes(new.run_dir)] == ["evaluation"] * (4 - 2 * stage) + AFTER
    assert {path: path.read_bytes() for path in old.run_dir.rglob("*.json")} == before
