"""Jobs on this machine: real, tiny ones. Every state has a job that ends in it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from labwright.tools.errors import InputError, JobNotFoundError
from labwright.tools.jobs import JobLimits, JobService, JobSpec, JobState, LocalRunner
from labwright.tools.jobs.job_execution import work
from labwright.tools.jobs.process_identity import Identity
from labwright.tools.jobs.store import Store
from labwright.tools.sandbox import open_sandbox

LONG = 60.0  # seconds that a tiny job may take on a busy machine
SCRIPTS = {
    "good.py": "import sys\nopen('made', 'w').write('made'); print('said'); print('complained', file=sys.stderr)",
    "bad.py": "raise SystemExit(3)",
    "wait.py": "import time\nprint('waiting'); open('part', 'w').write('1'); time.sleep(60)",
    "greedy.py": "x = bytearray(8 << 30)",
    "talker.py": "while True: print('x' * 100000)",
    "meddler.py": "open('tools/a.py', 'w').write('worse')",
}


pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "tools").mkdir(parents=True)
    (folder / "tools/a.py").write_text("as it was")
    for name, text in SCRIPTS.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def service(tmp_path: Path) -> Iterator[JobService]:
    made = JobService(tmp_path / "jobs", LocalRunner(slots=2))
    yield made
    for one in made.list([JobState.PENDING, JobState.RUNNING]):
        made.cancel(one.id)
    for one in made.list():
        made.wait(one.id, 20)


def spec(folder: Path, script: str, **options: object) -> JobSpec:
    return JobSpec(("python", "-S", script), folder, **options)  # type: ignore[arg-type]


def supervisor_of(service: JobService, job: str, tmp_path: Path) -> Identity:
    """Of a running job, once there is one and its command has begun."""
    deadline = time.monotonic() + LONG
    while time.monotonic() < deadline and not service.output(job):
        time.sleep(0.05)
    return Identity.from_text(Store(tmp_path / "jobs").entry(job).handle)


def test_a_job_completes_and_its_files_and_outputs_are_there(service: JobService, workspace: Path) -> None:
    job = service.submit(spec(workspace, "good.py", keep=("tools",)))
    told: list[JobState] = []
    status = service.wait(job, LONG, lambda status, seconds: told.append(status.state))
    assert (status.state, status.returncode, status.changed) == (JobState.COMPLETED, 0, ("made",)), status
    assert status.level == open_sandbox().level
    assert (workspace / "made").read_text() == "made"
    assert (service.output(job), service.output(job, "stderr")) == (b"said\n", b"complained\n")
    assert (service.output(job, offset=-3), service.output(job, offset=1, limit=2)) == (b"id\n", b"ai")
    assert told[-1] is JobState.COMPLETED


@pytest.mark.parametrize(
    ("script", "limits", "state", "reason"),
    [
        ("bad.py", JobLimits(), JobState.FAILED, "exited with 3"),
        pytest.param("wait.py", JobLimits(wall_seconds=2), JobState.TIMEOUT, "longer than 2 s", marks=pytest.mark.slow),
        pytest.param("greedy.py", JobLimits(memory_mb=512), JobState.OOM, "more than 512 MB", marks=pytest.mark.slow),
        pytest.param("talker.py", JobLimits(), JobState.FAILED, "wrote more", marks=pytest.mark.slow),
    ],
)
def test_every_other_end_has_its_state(
    script: str, limits: JobLimits, state: JobState, reason: str, service: JobService, workspace: Path
) -> None:
    status = service.wait(service.submit(spec(workspace, script, limits=limits)), LONG)
    assert status.state is state, status
    assert reason in status.reason
    if state is JobState.TIMEOUT:
        assert status.changed == ("part",)


def test_what_must_not_change_is_rejected(service: JobService, workspace: Path) -> None:
    status = service.wait(service.submit(spec(workspace, "meddler.py", keep=("tools",))), LONG)
    assert (status.state, status.changed, status.rejected) == (JobState.COMPLETED, (), ("tools/a.py",))
    assert (workspace / "tools/a.py").read_text() == "as it was"


def test_running_and_waiting_jobs_can_be_cancelled(tmp_path: Path, workspace: Path) -> None:
    service = JobService(tmp_path / "jobs", LocalRunner(slots=1))
    running, waiting = (service.submit(spec(workspace, "wait.py")) for _ in range(2))
    supervisor_of(service, running, tmp_path)
    assert service.cancel(waiting).state is JobState.CANCELLED
    service.cancel(running)
    ended = service.wait(running, LONG)
    assert (ended.state, ended.changed) == (JobState.CANCELLED, ("part",))
    assert service.cancel(running) == ended  # a second time changes nothing


def test_jobs_follow_one_another_and_nobody_follows_a_failure(service: JobService, workspace: Path) -> None:
    first = service.submit(spec(workspace, "good.py"))
    second = service.submit(spec(workspace, "good.py", after=(first,)))
    bad = service.submit(spec(workspace, "bad.py"))
    vain = service.submit(spec(workspace, "good.py", after=(first, bad)))
    later = service.submit(spec(workspace, "good.py", after=(vain,)))
    states = [service.wait(job, LONG) for job in (first, second, bad, vain, later)]
    expected = [JobState.COMPLETED, JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED, JobState.CANCELLED]
    assert [one.state for one in states] == expected
    assert bad in states[3].reason
    begun, ended = states[1].started, states[0].ended
    assert begun is not None
    assert ended is not None
    assert begun >= ended


def test_a_key_makes_one_job(service: JobService, workspace: Path) -> None:
    first = service.submit(spec(workspace, "good.py", key="k"))
    assert service.submit(spec(workspace, "good.py", key="k")) == first
    assert len(service.list()) == 1


@pytest.mark.slow
def test_a_killed_supervisor_loses_its_job_and_not_the_queue(
    tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))  # where supervisors make their work folders
    service = JobService(tmp_path / "jobs", LocalRunner(slots=1))
    lost = service.submit(spec(workspace, "wait.py"))
    vain = service.submit(spec(workspace, "good.py", after=(lost,)))
    fine = service.submit(spec(workspace, "good.py"))
    supervisor = supervisor_of(service, lost, tmp_path)
    assert supervisor.alive
    assert any((tmp_path / "scratch").iterdir())
    os.kill(supervisor.pid, signal.SIGKILL)
    restarted = JobService(tmp_path / "jobs", LocalRunner(slots=1))
    states = [restarted.wait(job, LONG).state for job in (lost, vain, fine)]
    assert states == [JobState.LOST, JobState.CANCELLED, JobState.COMPLETED]
    assert not supervisor.alive
    deadline = time.monotonic() + LONG
    while any((tmp_path / "scratch").iterdir()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any((tmp_path / "scratch").iterdir())  # the copy of the killed one's folder, too


def test_another_process_with_the_same_number_is_not_the_supervisor(tmp_path: Path, workspace: Path) -> None:
    """The number of a dead supervisor may belong to anybody: here to this very test."""
    store = Store(tmp_path / "jobs")
    job = store.add(spec(workspace, "good.py"))
    assert store.claim(job, f"{os.getpid()}:1:another-boot")
    assert not store.claim(job, "somebody")  # it is nobody else's either
    assert JobService(tmp_path / "jobs", LocalRunner(slots=1)).status(job).state is JobState.LOST


def test_an_end_that_only_the_folder_knows_counts(tmp_path: Path, workspace: Path) -> None:
    """The supervisor died between its two writes."""
    store = Store(tmp_path / "jobs")
    job = store.add(spec(workspace, "good.py"))
    store.claim(job, "1:1:gone")
    end = work(store.folder(job), store.entry(job).spec, store.entry(job).status)
    store._write_status(end)
    assert JobService(tmp_path / "jobs", LocalRunner(slots=1)).status(job) == end


@pytest.mark.slow
def test_what_was_submitted_by_a_dead_server_is_started_by_the_next(tmp_path: Path, workspace: Path) -> None:
    job = Store(tmp_path / "jobs").add(spec(workspace, "good.py"))  # and killed before anything was started
    assert JobService(tmp_path / "jobs", LocalRunner(slots=1)).wait(job, LONG).state is JobState.COMPLETED


GRAPH = """
import sys, time
from pathlib import Path
from labwright.tools.jobs import JobService, JobSpec, LocalRunner
root, folder, results = map(Path, sys.argv[1:4])
service = JobService(root, LocalRunner(slots=1))
jobs = [service.submit(JobSpec(("python", "-S", name), folder, key=name)) for name in ("slow.py", "good.py")]
print("submitted", flush=True)
for job in jobs:
    while not (result := service.wait(job, 5)).state.ended:
        pass
    mark = results / job
    if not mark.exists():  # what the graph does with a result is its own exactly-once
        mark.write_text(result.state)
"""


@pytest.mark.slow
def test_jobs_survive_the_death_of_who_submitted_them(tmp_path: Path, workspace: Path) -> None:
    (workspace / "slow.py").write_text("import time\nprint('begun')\ntime.sleep(0.7)\nopen('slow', 'w').write('done')")
    (tmp_path / "results").mkdir()
    words = [sys.executable, "-c", GRAPH, str(tmp_path / "jobs"), str(workspace), str(tmp_path / "results")]
    graph = subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True)
    assert graph.stdout is not None
    assert graph.stdout.readline() == b"submitted\n"
    graph.kill()
    graph.wait()
    graph.stdout.close()
    deadline = time.monotonic() + LONG
    while not (workspace / "made").exists() and time.monotonic() < deadline:  # nobody of ours is alive meanwhile
        time.sleep(0.1)
    assert (workspace / "slow").read_text() == "done"
    assert (workspace / "made").exists()
    subprocess.run(words, check=True, timeout=LONG, capture_output=True)  # it is resumed
    service = JobService(tmp_path / "jobs", LocalRunner(slots=1))
    assert [one.state for one in service.list()] == [JobState.COMPLETED] * 2
    assert len(list((tmp_path / "results").iterdir())) == 2


def test_what_cannot_be_a_job_is_refused(tmp_path: Path, workspace: Path) -> None:
    service = JobService(tmp_path / "jobs", LocalRunner(), workspace=workspace)
    (workspace / "inside").mkdir()
    (workspace / "link").symlink_to(tmp_path)
    for folder in (tmp_path, workspace, workspace / "link", workspace / "inside/../.."):
        with pytest.raises(InputError, match="below"):
            service.submit(spec(folder, "good.py"))
    with pytest.raises(InputError, match="does not exist"):
        service.submit(spec(workspace / "none", "good.py"))
    with pytest.raises(InputError, match="Submit it first"):
        service.submit(spec(workspace / "inside", "good.py", after=("20260101-000000-00000000",)))
    with pytest.raises(InputError, match="overlap"):
        JobService(tmp_path / "jobs", LocalRunner()).submit(spec(tmp_path, "good.py"))
    for unknown in ("20260101-000000-00000000", "../../etc", ""):
        with pytest.raises(JobNotFoundError):
            service.status(unknown)
    assert service.list() == []


def test_the_jobs_of_one_runner_are_not_anothers(tmp_path: Path) -> None:
    class Other(LocalRunner):
        name = "other"

    JobService(tmp_path / "jobs", LocalRunner())
    with pytest.raises(InputError, match="run by local"):
        JobService(tmp_path / "jobs", Other())


@pytest.mark.slow
def test_slots_bound_what_runs_at_once(tmp_path: Path, workspace: Path) -> None:
    (workspace / "brief.py").write_text("import time\ntime.sleep(0.3)")
    service = JobService(tmp_path / "jobs", LocalRunner(slots=2))
    jobs = [service.submit(spec(workspace, "brief.py")) for _ in range(6)]
    most = 0
    while not all(one.state.ended for one in service.list()):
        most = max(most, len(service.list([JobState.RUNNING])))
        time.sleep(0.02)
    assert most == 2
    spans = sorted((service.status(job).started or 0.0, service.status(job).ended or 0.0) for job in jobs)
    assert all(later[0] >= min(one[1] for one in spans[: at + 1]) for at, later in enumerate(spans[2:]))


@pytest.mark.slow
def test_a_weak_level_has_to_be_asked_for(
    service: JobService, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABWRIGHT_SANDBOX", "rlimits")
    refused = service.wait(service.submit(JobSpec(("python", "good.py"), workspace)), LONG)
    assert (refused.state, refused.level) == (JobState.FAILED, "")
    assert "weaker than landlock" in refused.reason
    asked = service.wait(service.submit(JobSpec(("python", "good.py"), workspace, weakest="rlimits")), LONG)
    assert (asked.state, asked.level) == (JobState.COMPLETED, "rlimits")
