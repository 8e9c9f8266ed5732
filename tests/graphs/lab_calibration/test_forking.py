"""A fork shares its past with the old run, goes on alone, and leaves the old run as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from calibrations import ONE_STAGE, TWO_STAGES, calibrate, fingerprint
from tiers import sampled

from labwright.evaluation.benchmarks.run_comparison import differences, repeated_actions, witness
from labwright.graphs.lab_calibration.forking import fork
from labwright.graphs.lab_calibration.running import resume
from labwright.tools.errors import InputError
from labwright.tools.runs.run import open_run


@pytest.mark.parametrize("stage", sampled([1, 0]))
def test_a_fork_measures_the_same_as_the_run_it_came_from(root: Path, stage: int) -> None:
    old = calibrate(TWO_STAGES, root, qubits=["Q1"])
    before = fingerprint(old.run_dir)
    new = resume(fork(old.run_id, root, stage=stage), root)
    assert new.run_id != old.run_id
    assert new.status == "complete"
    facts = differences(witness(new.run_dir), witness(old.run_dir))
    assert [line for line in facts if not line.startswith("said")] == []  # its log begins with the fork
    assert repeated_actions(new.run_dir) == []
    assert fingerprint(old.run_dir) == before
    assert open_run(root, new.run_id).record.parent == {"run_id": old.run_id, "stage": stage}


@pytest.mark.slow
def test_a_fork_measures_only_what_comes_after_it(root: Path) -> None:
    old = calibrate(TWO_STAGES, root, qubits=["Q1"])
    new = resume(fork(old.run_id, root, stage=1), root)
    measured = [event for event in open_run(root, new.run_id).events.read() if event["kind"] == "measured"]
    assert len(measured) == len(old.result["stages"]) - 1


def test_a_fork_beyond_the_end_says_how_far_the_run_came(root: Path) -> None:
    old = calibrate(ONE_STAGE, root)
    with pytest.raises(InputError, match="after 0 to 1 stage runs, not after 7"):
        fork(old.run_id, root, stage=7)


@pytest.mark.slow
def test_a_run_on_a_real_device_cannot_be_forked(root: Path) -> None:
    old = calibrate(ONE_STAGE, root, device="forgetful_device:open_forgetful")
    with pytest.raises(InputError, match="start a new run instead"):
        fork(old.run_id, root, stage=1)
