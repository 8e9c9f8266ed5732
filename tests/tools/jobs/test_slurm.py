"""Jobs under a real SLURM, which the tests start themselves on loopback."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import cluster
import pytest

from labwright.tools.errors import UnreachableError
from labwright.tools.jobs import JobLimits, JobService, JobSpec, JobState, LocalRunner, SlurmRunner
from labwright.tools.jobs.store import Store
from labwright.tools.sandbox import Sandbox, open_sandbox

LONG = 150.0
SCRIPTS = {
    "good.py": "open('made', 'w').write('made'); print('said')",
    "bad.py": "raise SystemExit(3)",
    "wait.py": "import time\nprint('waiting'); open('part', 'w').write('1'); time.sleep(300)",
    "brief.py": "import time\nprint('begun'); time.sleep(6); open('brief', 'w')",
    "greedy.py": "x = bytearray(8 << 30)",
    # No process of it goes beyond its own limit; together they do, which only the cluster sees.
    "family.py": "import os, time\nfor _ in range(4):\n  if os.fork() == 0:\n    x = b'x' * (300 << 20)\n"
    "    time.sleep(60); os._exit(0)\ntime.sleep(60)",
    "threads.py": "import os\nprint(os.environ['OMP_NUM_THREADS'])",
}


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> Iterator[Path]:
    if why := cluster.missing():
        pytest.skip(why)
    with cluster.cluster(tmp_path_factory.mktemp("slurm")) as configuration:
        yield configuration


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    for name, text in SCRIPTS.items():
        (folder / name).write_text(text)
    return folder


def spec(folder: Path, script: str, **options: object) -> JobSpec:
    return JobSpec(("python", "-S", script), folder, **options)  # type: ignore[arg-type]


def until_output(service: JobService, job: str) -> None:
    deadline = time.monotonic() + LONG
    while not service.output(job) and time.monotonic() < deadline:
        time.sleep(0.1)


def ended(service: JobService, job: str) -> tuple[JobState, str]:
    status = service.wait(job, LONG)
    return status.state, status.reason


@pytest.mark.slow
def test_every_end_has_its_state(slurm: Path, tmp_path: Path, workspace: Path) -> None:
    service, small = JobService(tmp_path / "jobs", SlurmRunner()), JobLimits(memory_mb=500)
    good = service.submit(spec(workspace, "good.py", key="k"))
    assert service.submit(spec(workspace, "good.py", key="k")) == good
    bad = service.submit(spec(workspace, "bad.py"))
    late = service.submit(spec(workspace, "wait.py", limits=JobLimits(wall_seconds=3)))
    greedy = service.submit(spec(workspace, "greedy.py", limits=small))
    family = service.submit(spec(workspace, "family.py", limits=small))
    follows = service.submit(spec(workspace, "good.py", after=(good,)))
    vain = service.submit(spec(workspace, "good.py", after=(good, bad)))
    later = service.submit(spec(workspace, "good.py", after=(vain,)))
    many = service.submit(spec(workspace, "threads.py", limits=JobLimits(threads=2)))
    for job, state, word in (
        (good, JobState.COMPLETED, ""),
        (bad, JobState.FAILED, "exited with 3"),
        (late, JobState.TIMEOUT, "longer than 3 s"),
        (greedy, JobState.OOM, "more than 500 MB"),
        (family, JobState.OOM, "SLURM ended it"),
        (follows, JobState.COMPLETED, ""),
        (vain, JobState.CANCELLED, bad),
        (later, JobState.CANCELLED, vain),
        (many, JobState.COMPLETED, ""),
    ):
        found = ended(service, job)
        assert found[0] is state, found
        assert word in found[1]
    assert service.status(good).changed == ("made",)
    assert service.status(good).level == open_sandbox().level
    assert service.output(many) == b"2\n"
    assert service.status(late).changed == ("part",)


@pytest.mark.slow
def test_waiting_and_running_jobs_can_be_cancelled_here_and_there(slurm: Path, tmp_path: Path, workspace: Path) -> None:
    service = JobService(tmp_path / "jobs", SlurmRunner())
    running = service.submit(spec(workspace, "wait.py"))
    waiting = service.submit(spec(workspace, "good.py", after=(running,)))
    until_output(service, running)
    service.cancel(waiting)
    service.cancel(running)
    assert ended(service, waiting)[0] is JobState.CANCELLED
    assert ended(service, running) == (JobState.CANCELLED, "Somebody cancelled it.")
    assert service.status(running).changed == ("part",)
    assert service.cancel(running).state is JobState.CANCELLED
    there = service.submit(spec(workspace, "wait.py"))
    until_output(service, there)
    subprocess.run(["scancel", Store(tmp_path / "jobs").entry(there).handle], check=True, timeout=60)
    assert ended(service, there)[0] is JobState.CANCELLED


@pytest.mark.slow
def test_a_new_service_finds_what_a_dead_one_left(slurm: Path, tmp_path: Path, workspace: Path) -> None:
    """The first died while its job ran, another between sbatch and its note, a third before sbatch."""
    store, runner = Store(tmp_path / "jobs"), SlurmRunner()
    running = JobService(tmp_path / "jobs", runner).submit(spec(workspace, "brief.py"))
    unnoted = store.add(spec(workspace, "good.py"))
    number = runner._submitted(store, store.entry(unnoted))
    unsent = store.add(spec(workspace, "good.py"))
    again = JobService(tmp_path / "jobs", runner)
    assert store.entry(unnoted).handle in (number, "")  # it may have ended already and been taken over as it is
    assert [ended(again, job)[0] for job in (running, unnoted, unsent)] == [JobState.COMPLETED] * 3
    listed = subprocess.run(["scontrol", "-o", "show", "job"], capture_output=True, text=True, check=True, timeout=60)
    assert listed.stdout.count(f"JobName=labwright-{unnoted} ") == 1


@pytest.mark.slow
def test_a_job_that_slurm_forgot_is_lost(slurm: Path, tmp_path: Path, workspace: Path) -> None:
    store = Store(tmp_path / "jobs")
    job = store.add(spec(workspace, "good.py"))
    store.set_handle(job, "999999")
    assert JobService(tmp_path / "jobs", SlurmRunner()).status(job).state is JobState.LOST


def test_where_no_slurm_answers_one_is_told(tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = JobService(tmp_path / "jobs", SlurmRunner())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnreachableError, match="not installed"):
        service.submit(spec(workspace, "good.py"))
    program = tmp_path / "scontrol"
    program.write_text("#!/bin/sh\necho no controller >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(UnreachableError, match="no controller"):
        service.list()
    assert LocalRunner(slots=1).name != SlurmRunner().name
    assert os.environ["PATH"] == str(tmp_path)
