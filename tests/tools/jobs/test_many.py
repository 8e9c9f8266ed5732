"""A queue of two hundred jobs of every kind ends in the right states."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest

from labwright.tools.jobs import JobLimits, JobService, JobSpec, JobState, LocalRunner
from labwright.tools.sandbox import Sandbox

KINDS = ("good", "good", "bad", "slow", "cancelled", "greedy", "vain", "follows", "good", "cancelled early")
EXPECTED = {
    "good": JobState.COMPLETED,
    "bad": JobState.FAILED,
    "slow": JobState.TIMEOUT,
    "cancelled": JobState.CANCELLED,
    "cancelled early": JobState.CANCELLED,
    "greedy": JobState.OOM,
    "vain": JobState.CANCELLED,
    "follows": JobState.COMPLETED,
}
SCRIPTS = {
    "good": "open('made', 'w')",
    "bad": "raise SystemExit(1)",
    "slow": "while True: pass",
    "cancelled": "import time; print(1); time.sleep(300)",
    "greedy": "x = bytearray(8 << 30)",
}
SAME = {"vain": "good", "follows": "good", "cancelled early": "good"}


@pytest.mark.nightly  # every end by itself: test_local.py
def test_a_queue_of_two_hundred_ends_in_the_right_states(tmp_path: Path, sandbox: Sandbox) -> None:
    number = 200
    folder = tmp_path / "work"
    folder.mkdir()
    for name, text in SCRIPTS.items():
        (folder / f"{name}.py").write_text(text)
    service = JobService(tmp_path / "jobs", LocalRunner(slots=2))
    began, kinds, last = time.monotonic(), {}, {}
    for n in range(number):
        kind = KINDS[n % len(KINDS)]
        after = {"vain": last.get("bad"), "follows": last.get("good")}.get(kind)
        limits = JobLimits(wall_seconds=1.5 if kind == "slow" else 600, memory_mb=1024, file_mb=4)
        words = ("python", "-S", f"{SAME.get(kind, kind)}.py")
        job = service.submit(JobSpec(words, folder, kind, limits, after=(after,) if after else (), key=f"job {n}"))
        kinds[job], last[kind] = kind, job
        if kind == "cancelled early":
            service.cancel(job)
    submitted = time.monotonic() - began
    deadline = began + 60 + 4 * number
    while (open_ones := service.list([JobState.PENDING, JobState.RUNNING])) and time.monotonic() < deadline:
        for one in open_ones:
            if kinds[one.id] == "cancelled" and one.state is JobState.RUNNING:
                service.cancel(one.id)
        time.sleep(0.2)
    print(f"{number} jobs: submitted in {submitted:.1f} s, ended after {time.monotonic() - began:.1f} s")
    found = {one.id: one for one in service.list()}
    assert len(found) == number
    wrong = [(kinds[job], one.state, one.reason) for job, one in found.items() if one.state != EXPECTED[kinds[job]]]
    assert not wrong, Counter(wrong)
