"""What a stage costs besides the device: steps of the graph, bytes of checkpoints, and time."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from labwright.evaluation.benchmarks.orchestration import (
    MEGABYTES,
    MILLISECONDS,
    checkpoint_bytes,
    idle_run,
    measure,
    milliseconds_a_stage,
)
from labwright.graphs.checkpoints import FILE

STEPS = 6  # supersteps a stage: supervise, self_check, supervise, measure, inspect, decide


@pytest.mark.slow
def test_a_stage_takes_six_steps_and_few_bytes(tmp_path: Path) -> None:
    sizes, steps = {}, {}
    for stages in (4, 8):
        outcome = idle_run(tmp_path / str(stages), stages)
        assert outcome.status == "complete"
        assert len(milliseconds_a_stage(outcome)) == stages - 2  # neither the first nor the last
        sizes[stages] = checkpoint_bytes(outcome.run_dir)
        with sqlite3.connect(outcome.run_dir / FILE) as database:
            [[steps[stages]]] = database.execute("SELECT count(*) FROM checkpoints WHERE checkpoint_ns = ''").fetchall()
        database.close()
    assert (steps[8] - steps[4]) / 4 == STEPS
    assert sizes[8] - sizes[4] < 4 * 60_000


@pytest.mark.nightly  # a time, which means something on an idle machine only
def test_the_targets(tmp_path: Path) -> None:
    result = measure(tmp_path)
    assert result["milliseconds_a_stage"]["median"] < MILLISECONDS
    assert result["demo"]["checkpoint_megabytes"] < MEGABYTES
