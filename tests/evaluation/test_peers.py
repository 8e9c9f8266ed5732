"""Peers in one run: turns with a real peer in a process of its own, and one that is not installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from labwright.evaluation.peers.run import Task, measured, ratios


@pytest.mark.slow
def test_a_peer_takes_turns_with_us_and_one_that_is_missing_is_named(tmp_path: Path) -> None:
    task = Task("two turns", lambda: np.array(2), ("create_agent", "dynamiqs"), {"turns": 2})
    done, missing = measured(task, tmp_path, 2)
    assert (done["peer"], done["difference"], done["repeats"]) == ("create_agent", 0.0, 2)
    assert done["clock"]["theirs"] > 0
    assert missing == {"task": "two turns", "peer": "dynamiqs", "missing": "not installed, or it failed"}


def test_a_ratio_is_of_medians_and_its_spread_of_the_repeats() -> None:
    found = ratios([(1.0, 1.0), (2.0, 1.0), (9.0, 1.0)], [(4.0, 3.0), (2.0, 2.0), (9.0, 5.0)])
    assert found["clock"] == {"ours": 2.0, "theirs": 4.0, "ratio": 2.0, "spread": [1.0, 4.0]}
    assert found["processor"]["ratio"] == pytest.approx(3.0)
