"""The fork server: every call stands alone, nothing stays behind, and nobody answers for another."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tiers import sampled

from labwright.tools.errors import SandboxedFailure, SandboxError
from labwright.tools.sandbox.confined import ConfinedSandbox
from labwright.tools.sandbox.fork_server_handle import ForkServer
from labwright.tools.sandbox.sandbox_selection import open_sandbox

SNIPPETS = "labwright.tools.sandbox.snippet_runner:run_snippet"


def below(process: int) -> list[int]:
    """Everything that descends from `process` now."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (entry / "stat").read_text().rsplit(")", 1)[1].split()[:2]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state != "Z":
            parents[int(entry.name)] = int(parent)
    found = [process]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def alive(process: int) -> bool:
    """Whether it runs; a dead one that nobody has reaped does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def gone(processes: list[int], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(alive(one) for one in processes):
            return True
        time.sleep(0.02)
    return False


def test_what_one_call_changes_the_next_does_not_see(server: ForkServer) -> None:
    change = "import json, builtins\njson.loads = None\nbuiltins.stolen = 1\nopen('left', 'w')"
    server.call({"source": change})
    look = (
        "import builtins, json, os\n"
        "answer.update(file=os.listdir('.'), json=json.loads is None, b=hasattr(builtins, 'stolen'))"
    )
    assert server.call({"source": look}) == {"answer": {"file": [], "json": False, "b": False}}


SCAN = """
import ctypes
ctypes.CDLL(None).prctl(4, 1)
needle = bytes(reversed(given["reversed"].encode()))
answer["found"] = 0
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
    for line in maps:
        span, rights = line.split()[:2]
        start, end = (int(word, 16) for word in span.split("-"))
        if rights.startswith("rw") and "[v" not in line:
            memory.seek(start)
            answer["found"] += memory.read(end - start).count(needle + b"!")
"""


def test_the_text_of_one_request_is_not_in_the_memory_of_the_next() -> None:
    """On the level that lets a process see its own memory through /proc."""
    word = "the-text-of-the-last-request"
    given = {"reversed": word[::-1]}
    with ConfinedSandbox("rlimits").serve(SNIPPETS) as server:
        server.call({"source": "answer['x'] = given['word']", "given": {"word": word + "!"}})
        assert server.call({"source": SCAN, "given": given}) == {"answer": {"found": 0}}
        control = server.call({"source": "kept = given['word']\n" + SCAN, "given": {**given, "word": word + "!"}})
        assert control["answer"]["found"] > 0


def test_a_child_cannot_answer_in_the_server_s_place(server: ForkServer) -> None:
    forge = """
import os, json, sys
frame = bytes(16) + b"k" + (2).to_bytes(4, "big") + b"{}"
for descriptor in range(3, 300):
    try: os.write(descriptor, frame)
    except OSError: pass
json.dumps = lambda *a, **k: '{"answer": "forged"}'
sys.stdout = None
"""
    with pytest.raises(SandboxedFailure):
        server.call({"source": forge})  # it could only spoil its own reply
    assert server.call({"source": "answer['x'] = 1"}) == {"answer": {"x": 1}}


def test_a_patched_json_speaks_for_its_own_call_only(server: ForkServer) -> None:
    forged = server.call({"source": 'import json; json.dumps = lambda *a, **k: \'{"answer": "forged"}\''})
    assert forged == {"answer": "forged"}
    assert server.call({"source": "answer['x'] = 1"}) == {"answer": {"x": 1}}


@pytest.mark.parametrize("text", ["[1]", "nonsense", "[" * 100000, '"x"', "\\xff"])
def test_a_reply_that_is_no_object_is_a_failure(text: str, server: ForkServer) -> None:
    with pytest.raises(SandboxedFailure) as failure:
        server.call({"source": f"import json; json.dumps = lambda *a, **k: {text!r}"})
    assert failure.value.ending == "failed"


def test_a_daemon_does_not_outlive_its_call(server: ForkServer, given: dict[str, object]) -> None:
    assert server._process is not None
    keeper = server._process._keeper.pid
    server.call({"source": "answer['x'] = 1"})
    before = below(keeper)
    daemon = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        for n in range(256):
            try: os.close(n)
            except OSError: pass
        time.sleep(60)
    os._exit(0)
time.sleep(0.1)
"""
    server.call({"source": daemon})
    assert sorted(below(keeper)) == sorted(before)


@pytest.mark.parametrize("target", ["os.getppid()", "1", "-1", "-os.getppid()"])
def test_a_child_cannot_kill_the_server(target: str, server: ForkServer) -> None:
    assert server._process is not None
    keeper = server._process._keeper.pid
    with pytest.raises(SandboxedFailure) as failure:
        server.call({"source": f"import os, signal; os.kill({target}, signal.SIGKILL)"})
    assert failure.value.kind == "PermissionError"
    assert server._process is not None
    assert server._process._keeper.pid == keeper


def test_a_child_may_end_itself(server: ForkServer) -> None:
    for source in ("import os; os._exit(0)", "import os; os.kill(os.getpid(), 9)", "import os; os.abort()"):
        with pytest.raises(SandboxedFailure) as failure:
            server.call({"source": source})
        assert failure.value.ending == "killed"
    with pytest.raises(SandboxedFailure) as failure:
        server.call({"source": "raise SystemExit(0)"})
    assert failure.value.kind == "SystemExit"


@pytest.mark.slow
def test_a_folder_that_cannot_be_emptied_costs_only_the_call(server: ForkServer) -> None:
    source = "import os\nos.makedirs('a/b'); open('a/b/c', 'w')\ntry: os.chmod('a', 0)\nexcept OSError: pass"
    with contextlib.suppress(SandboxedFailure):  # the server gives up a folder that it cannot empty
        server.call({"source": source})
    assert server.call({"source": "import os; answer['x'] = os.listdir('.')"}) == {"answer": {"x": []}}


def test_the_failure_names_the_cause_and_no_folder_of_this_machine(server: ForkServer) -> None:
    with pytest.raises(SandboxedFailure) as failure:
        server.call({"source": "def f():\n    return {}['angle']\nf()"})
    assert failure.value.kind == "KeyError"
    assert "line 2, in f" in failure.value.detail
    assert str(Path(sys.prefix).parent) not in failure.value.detail


def test_a_killed_server_is_started_again(sandbox: ConfinedSandbox) -> None:
    with sandbox.serve(SNIPPETS) as server:
        assert server._process is not None
        keeper = server._process._keeper.pid
        everything = below(keeper)
        os.kill(keeper, signal.SIGKILL)
        assert gone(everything)
        assert server.call({"source": "answer['x'] = 1"}) == {"answer": {"x": 1}}


@pytest.mark.parametrize("how", sampled(["killed", "close", "collected", "exit"]))
def test_nothing_stays_when_the_owner_ends(how: str, sandbox: ConfinedSandbox) -> None:
    if how in ("exit", "killed"):
        code = (
            "import os, sys, time\nfrom labwright.tools.sandbox.confined import ConfinedSandbox\n"
            f"s = ConfinedSandbox({sandbox.level!r}, bubblewrap={sandbox._bubblewrap!r}, userns={sandbox._userns})\n"
            f"v = s.serve({SNIPPETS!r})\nprint(v._process._keeper.pid, flush=True)\n"
            "sys.stdin.readline()\n"
        )
        owner = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert owner.stdin is not None
        assert owner.stdout is not None
        keeper = int(owner.stdout.readline().split()[0])
        everything = [keeper, *below(keeper)]
        if how == "killed":
            owner.kill()
        owner.communicate("\n" if how == "exit" else None)
    else:
        server = sandbox.serve(SNIPPETS)
        assert server._process is not None
        everything = [server._process._keeper.pid, *below(server._process._keeper.pid)]
        if how == "close":
            server.close()
            with pytest.raises(SandboxError, match="closed"):
                server.call({"source": ""})
        del server
        gc.collect()
    assert len(everything) >= 2
    assert gone(everything)


def test_the_server_outlives_the_thread_that_started_it(sandbox: ConfinedSandbox) -> None:
    found: list[ForkServer] = []
    thread = threading.Thread(target=lambda: found.append(sandbox.serve(SNIPPETS)))
    thread.start()
    thread.join()
    time.sleep(0.2)
    with found[0] as server:
        assert server._process is not None
        keeper = server._process._keeper.pid
        assert server.call({"source": "answer['x'] = 1"}) == {"answer": {"x": 1}}
        assert server._process._keeper.pid == keeper


def test_calls_of_many_threads_get_their_own_replies(server: ForkServer) -> None:
    got: dict[int, object] = {}

    def ask(number: int) -> None:
        got[number] = server.call({"source": "answer['x'] = given['n']", "given": {"n": number}})["answer"]["x"]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == {number: number for number in range(12)}


def test_an_import_that_fails_is_told(sandbox: ConfinedSandbox) -> None:
    with pytest.raises(SandboxedFailure, match="ModuleNotFoundError"):
        sandbox.serve(SNIPPETS, preload=["no_such_module_anywhere"])


def test_a_call_takes_milliseconds(server: ForkServer) -> None:
    times = []
    for _ in range(20):
        began = time.perf_counter()
        server.call({"source": "answer['x'] = 1"})
        times.append(time.perf_counter() - began)
    assert sorted(times)[10] < 0.1


@pytest.mark.slow
def test_pennylane_is_imported_once_and_used_in_every_call() -> None:
    sandbox = open_sandbox()
    with sandbox.serve(SNIPPETS, preload=["numpy", "pennylane"]) as server:
        source = """
import pennylane as qml
with qml.tape.QuantumTape() as tape:
    qml.RX(0.5, wires=0); qml.CNOT([0, 1])
answer["gates"] = [gate.name for gate in tape.operations]
"""
        assert server.call({"source": source}) == {"answer": {"gates": ["RX", "CNOT"]}}


@pytest.mark.slow
def test_a_process_with_thousands_of_open_files_still_calls() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] < 4096:
        pytest.skip("this machine allows no process so many files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], 4096), before[1]))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1500)]
    try:
        sandbox = open_sandbox()
        with sandbox.serve(SNIPPETS) as server:
            assert server.call({"source": "answer['x'] = 1"})
        assert sandbox.run(["python", "-c", "print('heard')"]).stdout == b"heard\n"
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
