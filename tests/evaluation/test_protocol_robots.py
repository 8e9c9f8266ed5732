"""The benchmark of robots' files counts what agrees, and sees what was planted."""

from __future__ import annotations

import pytest

from labwright.evaluation.benchmarks.protocol_robots import measure, table


@pytest.mark.slow
def test_drawn_protocols_agree_and_planted_faults_are_seen() -> None:
    pytest.importorskip("pylabrobot")
    result = measure(2, 2, 0, None, "")
    assert [row["accepted"] for row in result["agreement"]] == [2, 2, 2]  # without Opentrons' simulator
    assert [row["accepted"] for row in result["examples"]] == [9, 9, 9]
    assert [(row["seen"], row["put"]) for row in result["planted"]] == [(2, 2)] * 6
    assert result["schema"] == {"files": 11, "valid_by_ours": 11}
    assert "| over-draw | PyLabRobot | 2 of 2 | 0 |" in table(result)
