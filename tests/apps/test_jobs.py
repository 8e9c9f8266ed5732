"""The job server over its real protocols, and ``labwright jobs`` for people."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from typer.testing import Result

from labwright.tools.errors import SandboxUnavailableError
from labwright.tools.jobs import JobService, JobSpec, JobState, LocalRunner
from labwright.tools.sandbox import open_sandbox

Command = Callable[..., Result]  # of the conftest, without an exit code to expect
SERVE = [sys.executable, "-c", "from labwright.apps.cli import main; main()", "jobs", "serve"]
LONG = 600.0
TOKEN = "a-token-of-this-test"
# The protocol's package leaves streams of its own to the collector when a client goes away.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Path]:
    try:
        open_sandbox()
    except SandboxUnavailableError as weak:
        pytest.skip(f"this machine can do no level: {weak}")
    root = tmp_path / "workspace"
    (root / "run").mkdir(parents=True)
    (root / "run/good.py").write_text("open('made', 'w').write('made'); print('said')")
    (root / "run/wait.py").write_text("import time\nprint('begun')\ntime.sleep(4)\nopen('late', 'w').write('late')")
    (root / "run/long.py").write_text("import time\nprint('begun')\ntime.sleep(300)")
    yield root
    if (root / ".jobs/runner").exists():
        service = JobService(root / ".jobs", LocalRunner(slots=1))
        for one in service.list([JobState.PENDING, JobState.RUNNING]):
            service.cancel(one.id)
            service.wait(one.id, 20)


async def ask(session: ClientSession, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = await session.call_tool(tool, arguments)
    assert not answer.isError, answer.content
    assert answer.structuredContent is not None
    return answer.structuredContent


async def complaint(session: ClientSession, tool: str, **arguments: Any) -> str:
    answer = await session.call_tool(tool, arguments)
    assert answer.isError
    return " ".join(getattr(part, "text", "") for part in answer.content)


@asynccontextmanager
async def over_stdio(workspace: Path) -> Any:
    words = [*SERVE, "--stdio", "--root", str(workspace), "--slots", "1"]
    parameters = StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ))
    with (workspace / "server.log").open("w") as log:
        async with stdio_client(parameters, errlog=log) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            yield session


@pytest.mark.slow  # quick: tests/tools/jobs
def test_over_stdio_an_agent_submits_waits_reads_and_cancels(workspace: Path) -> None:
    async def agent() -> None:
        async with over_stdio(workspace) as session:
            tools = {tool.name for tool in (await session.list_tools()).tools}
            assert tools == {"submit_job", "job_status", "job_output", "wait_job", "cancel_job", "list_jobs"}
            waiting = await ask(session, "submit_job", command=["python", "-S", "wait.py"], folder="run", key="k")
            again = await ask(session, "submit_job", command=["python", "-S", "wait.py"], folder="run", key="k")
            assert again["id"] == waiting["id"]
            reports: list[tuple[float, str | None]] = []

            async def hear(progress: float, total: float | None, message: str | None) -> None:
                reports.append((progress, message))

            left = await session.call_tool(
                "wait_job",
                {"job_id": waiting["id"], "timeout_seconds": 2.0},
                progress_callback=hear,
                read_timeout_seconds=timedelta(seconds=30),
            )
            assert left.structuredContent is not None
            assert left.structuredContent["ended"] is False  # it left, and may come back
            assert len(reports) >= 2
            assert "after" in str(reports[-1][1])
            last = await ask(session, "submit_job", command=["python", "-S", "long.py"], folder="run")
            assert (await ask(session, "cancel_job", job_id=last["id"]))["state"] == "CANCELLED"
            done = await ask(session, "wait_job", job_id=waiting["id"], timeout_seconds=45)
            assert (done["state"], done["changed"], done["ended"]) == ("COMPLETED", ["late"], True)
            said = await ask(session, "job_output", job_id=waiting["id"])
            assert said == {"text": "begun\n", "next_offset": 6}
            listed = await ask(session, "list_jobs", states=["CANCELLED"])
            assert [one["id"] for one in listed["jobs"]] == [last["id"]]
            assert "There is no job" in await complaint(session, "job_status", job_id="20260101-000000-00000000")
            outside = await complaint(session, "submit_job", command=["id"], folder="..")
            assert "below" in outside
            assert "Traceback" not in outside
            assert "must be stdout or stderr" in await complaint(
                session, "job_output", job_id=last["id"], stream="both"
            )

    anyio.run(agent)


def free_port() -> int:
    with socket.socket() as plug:
        plug.bind(("127.0.0.1", 0))
        return int(plug.getsockname()[1])


def served(workspace: Path, port: int) -> subprocess.Popen[bytes]:
    """A server over HTTP that answers; the caller ends it."""
    words = [*SERVE, "--http", str(port), "--root", str(workspace), "--slots", "1"]
    with (workspace / "server.log").open("ab") as log:
        environment = {**os.environ, "LABWRIGHT_MCP_TOKEN": TOKEN}
        server = subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True, env=environment)
    deadline = time.monotonic() + LONG
    while time.monotonic() < deadline:
        with socket.socket() as plug:
            if plug.connect_ex(("127.0.0.1", port)) == 0:
                return server
        assert server.poll() is None, (workspace / "server.log").read_text()
        time.sleep(0.1)
    raise AssertionError("the server did not come up")


def call(port: int, tool: str, **arguments: Any) -> dict[str, Any]:
    async def agent() -> dict[str, Any]:
        async with (
            streamablehttp_client(f"http://127.0.0.1:{port}/mcp", {"Authorization": f"Bearer {TOKEN}"}) as (
                read,
                write,
                _,
            ),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            return await ask(session, tool, **arguments)

    return anyio.run(agent)


GRAPH = """
import sys
from pathlib import Path
from labwright.tools.jobs import JobService, JobSpec, LocalRunner
root, results = Path(sys.argv[1]), Path(sys.argv[2])
service = JobService(root / ".jobs", LocalRunner(slots=1), workspace=root)
job = service.submit(JobSpec(("python", "-S", "wait.py"), root / "run", key="stage 1"))
print(job, flush=True)
while not (result := service.wait(job, 5)).state.ended:
    pass
if not results.exists():
    results.write_text(result.state)
"""


@pytest.mark.slow  # without a server: tests/tools/jobs/test_local.py
def test_a_job_survives_the_server_and_the_graph(workspace: Path, tmp_path: Path) -> None:
    """Both are killed in mid-job and started again; the job runs once."""
    server = served(workspace, free_port())
    words = [sys.executable, "-c", GRAPH, str(workspace), str(tmp_path / "result")]
    graph = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert graph.stdout is not None
    job = graph.stdout.readline().decode().strip()
    service = JobService(workspace / ".jobs", LocalRunner(slots=1))
    deadline = time.monotonic() + LONG
    while not service.output(job) and time.monotonic() < deadline:
        time.sleep(0.05)
    for process in (server, graph):
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    graph.stdout.close()
    assert service.status(job).state is JobState.RUNNING
    port = free_port()
    server = served(workspace, port)
    try:
        status = call(port, "wait_job", job_id=job, timeout_seconds=45)
        assert (status["state"], status["changed"]) == ("COMPLETED", ["late"])
        subprocess.run(words, check=True, capture_output=True, timeout=LONG)
        assert (tmp_path / "result").read_text() == "COMPLETED"
        assert len(call(port, "list_jobs")["jobs"]) == 1
    finally:
        server.kill()
        server.wait()


@pytest.mark.slow
def test_the_http_server_is_for_this_machine_alone(workspace: Path) -> None:
    port = free_port()
    server = served(workspace, port)
    try:
        listening = Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()
        places = [line.split()[1] for line in listening.splitlines() if f":{port:04X} " in line and " 0A " in line]
        assert places == [f"0100007F:{port:04X}"]
    finally:
        server.kill()
        server.wait()


@pytest.fixture
def told(command: Command) -> Callable[..., Result]:
    def run(*words: str, code: int = 0) -> Result:
        done = command("jobs", *words)
        assert done.exit_code == code, done.output
        return done

    return run


@pytest.mark.parametrize("options", [[], ["--stdio", "--http", "8000"]])
def test_serve_wants_one_way_to_speak(options: list[str], told: Command, workspace: Path) -> None:
    done = told("serve", "--root", str(workspace), *options, code=2)
    assert "either" in done.stderr


def test_people_list_show_wait_and_cancel(told: Command, workspace: Path) -> None:
    nothing = told("list", "--root", str(workspace), code=2)
    assert "no jobs" in nothing.stderr
    service = JobService(workspace / ".jobs", LocalRunner(slots=1), workspace=workspace)
    job = service.submit(JobSpec(("python", "-S", "good.py"), workspace / "run", "a good one"))
    told("wait", job, "--root", str(workspace))
    shown = told("show", job, "--root", str(workspace)).stdout
    for expected in (job, "COMPLETED", "python -S good.py", "changed   made", "said"):
        assert expected in shown
    other = service.submit(JobSpec(("python", "-S", "long.py"), workspace / "run"))
    assert "goes on" not in told("wait", other, "--root", str(workspace), "--timeout", "0.1", code=3).stderr
    assert "CANCELLED" in told("cancel", other, "--root", str(workspace)).stdout
    told("wait", other, "--root", str(workspace), code=1)
    listed = told("list", "--root", str(workspace)).stdout
    assert "a good one" in listed
    assert "CANCELLED" in listed
    assert "There is no job" in told("show", "nonsense", "--root", str(workspace), code=2).stderr
    assert json.loads((workspace / ".jobs/jobs" / job / "status.json").read_text())["state"] == "COMPLETED"
