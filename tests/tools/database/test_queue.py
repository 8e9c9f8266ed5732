"""The queue: one worker a run, nothing lost when a worker dies."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from labwright.tools.database import QueuedRun, RunQueue
from labwright.tools.errors import RunNotFoundError
from labwright.tools.runs import Run, create_run


def made(root: Path, text: str = "Calibrate qubit Q1") -> Run:
    return create_run(root, "lab_calibration", text, {"mind": "rules"}, 3)


def soon(queue: RunQueue) -> QueuedRun:
    """What is free once the server has noticed that a session is gone."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        if run := queue.claim():
            return run
        time.sleep(0.02)
    pytest.fail("nothing came free")


def test_first_come_first_claimed_and_each_once(url: str, tmp_path: Path) -> None:
    runs = [made(tmp_path) for _ in range(3)]
    with RunQueue(url) as one, RunQueue(url) as other:
        for run in runs:
            one.submit(run, tmp_path)
            one.submit(run, tmp_path)  # twice is once
        claimed = [one.claim(), other.claim(), one.claim()]
        assert [each and each.run_id for each in claimed] == [run.run_id for run in runs]
        assert other.claim() is None


def test_a_dead_workers_run_goes_to_the_next(url: str, tmp_path: Path) -> None:
    run = made(tmp_path)
    with RunQueue(url) as queue:
        queue.submit(run, tmp_path)
        dying = RunQueue(url)
        first = dying.claim()
        assert first is not None
        assert queue.claim() is None
        dying.close()
        second = soon(queue)
        assert (second.run_id, second.attempts) == (first.run_id, 2)


def test_what_a_worker_died_of_waits_behind_the_others(url: str, tmp_path: Path) -> None:
    deadly, other = made(tmp_path, "first"), made(tmp_path, "second")
    with RunQueue(url) as queue:
        queue.submit(deadly, tmp_path)
        queue.submit(other, tmp_path)
        dying = RunQueue(url)
        first = dying.claim()
        assert first is not None
        assert first.run_id == deadly.run_id
        dying.close()
        for _ in range(500):  # the other comes first as long as the server has not let go of the dead one's claim
            again = soon(queue)
            queue.end(again, "queued")
            if again.run_id == deadly.run_id:
                break
        claimed = [queue.claim(), queue.claim()]
        assert [(run.run_id, run.deaths) for run in claimed if run] == [(other.run_id, 0), (deadly.run_id, 1)]


def test_only_deaths_count_as_deaths(url: str, tmp_path: Path) -> None:
    with RunQueue(url) as queue:
        queue.submit(made(tmp_path), tmp_path)
        for number in range(1, 4):  # a run that asks three questions has not killed anybody
            run = queue.claim()
            assert run is not None
            assert (run.attempts, run.deaths) == (number, 0)
            queue.end(run, "waiting", "Which qubit?")
            queue.answer(run.run_id, {"which": {"id": "which", "decision": "Q1"}})


def test_what_has_ended_is_not_claimed(url: str, tmp_path: Path) -> None:
    with RunQueue(url) as queue:
        queue.submit(made(tmp_path), tmp_path)
        run = queue.claim()
        assert run is not None
        queue.end(run, "complete")
        assert queue.claim() is None
        assert [(each.status, each.attempts) for each in queue.runs()] == [("complete", 1)]


def test_a_run_that_waits_is_answered_and_goes_on(url: str, tmp_path: Path) -> None:
    with RunQueue(url) as queue:
        queue.submit(made(tmp_path), tmp_path)
        run = queue.claim()
        assert run is not None
        queue.end(run, "waiting", "Which qubit?")
        assert queue.claim() is None
        queue.answer(run.run_id, {"which": {"id": "which", "decision": "Q1"}})
        again = queue.claim()
        assert again is not None
        assert again.answers == {"which": {"id": "which", "decision": "Q1"}}
        queue.end(again, "waiting", "And now?")
        assert queue.runs()[0].answers == {}, "an answer that was given to the run is used up"


def test_only_what_waits_can_be_answered(url: str, tmp_path: Path) -> None:
    with RunQueue(url) as queue, pytest.raises(RunNotFoundError, match="does not wait"):
        queue.answer("20250101-120000-aaaa-x", {"a": {"id": "a", "decision": "b"}})


def test_a_worker_that_is_asked_to_end_puts_its_run_back(url: str, tmp_path: Path) -> None:
    with RunQueue(url) as queue:
        queue.submit(made(tmp_path), tmp_path)
        run = queue.claim()
        assert run is not None
        queue.end(run, "queued", "its worker was asked to end")
        assert queue.claim() is not None


def test_an_answer_outlives_a_worker_that_is_asked_to_end_before_the_run_heard_it(url: str, tmp_path: Path) -> None:
    with RunQueue(url) as queue:
        queue.submit(made(tmp_path), tmp_path)
        run = queue.claim()
        assert run is not None
        queue.end(run, "waiting", "Which qubit?")
        queue.answer(run.run_id, {"which": {"id": "which", "decision": "Q1"}})
        again = queue.claim()
        assert again is not None
        queue.end(again, "queued", "its worker was asked to end")
        third = queue.claim()
        assert third is not None
        assert list(third.answers) == ["which"]
