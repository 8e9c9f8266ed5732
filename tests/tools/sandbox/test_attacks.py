"""What confined code tries, and does not get. Each snippet sets ``answer["got"]`` to what it wanted, if it gets it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tiers import sampled

from labwright.tools.errors import SandboxedFailure
from labwright.tools.sandbox import Limits, open_sandbox
from labwright.tools.sandbox.fork_server_handle import ForkServer

PREFIX = "import ctypes, os, signal, socket, sys, mmap\nlibc = ctypes.CDLL(None, use_errno=True)\n"

# In `OPEN`, the control shows that the same snippet does succeed where nothing confines.
OPEN = {
    "read a secret file": 'answer["got"] = open(given["secret"]).read()',
    "read a secret through a link": 'os.symlink(given["secret"], "l"); answer["got"] = open("l").read()',
    "read a secret through a hard link": 'os.link(given["secret"], "h"); answer["got"] = open("h").read()',
    "change a secret": 'open(given["secret"], "a").write(""); answer["got"] = 1',
    "truncate a secret": 'os.truncate(given["secret"], 32); answer["got"] = 1',
    "change a file's mode": 'os.chmod(given["secret"], 0o666); answer["got"] = 1',
    "change a file's times": 'os.utime(given["secret"]); answer["got"] = 1',
    "read the parent's environment": 'answer["got"] = open(f"/proc/{given[\'process\']}/environ", "rb").read().decode()',  # noqa: E501
    "read an environment variable": 'answer["got"] = os.environ["LABWRIGHT_TEST_SECRET"]',
    "read the parent's command line": 'answer["got"] = open(f"/proc/{given[\'process\']}/cmdline").read()',
    "read the parent's memory": 'open(f"/proc/{given[\'process\']}/mem", "rb"); answer["got"] = 1',
    "list processes": 'answer["got"] = [p for p in os.listdir("/proc") if p.isdigit()]',
    "write outside": 'open(given["outside"], "w").write("x"); answer["got"] = 1',
    "make a folder outside": 'os.mkdir(given["outside"] + "-folder"); answer["got"] = 1',
    "delete outside": 'os.unlink(given["outside"]); answer["got"] = 1',
    "connect to a port here": 's = socket.create_connection(("127.0.0.1", given["port"]), 2); answer["got"] = 1',
    "connect to a named socket": 's = socket.socket(socket.AF_UNIX); s.connect(given["named"]); answer["got"] = 1',
    "connect to an abstract socket": 's = socket.socket(socket.AF_UNIX); s.connect(given["abstract"]); answer["got"] = 1',  # noqa: E501
    "open a datagram socket": 's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); answer["got"] = 1',
    "signal the parent": 'os.kill(given["process"], 0); answer["got"] = 1',
    "read the repository's tests": 'answer["got"] = os.listdir(given["repository"] + "/tests")',
    "read the repository's history": 'answer["got"] = open(given["history"]).read()',
    "read a data set of the evaluation": 'answer["got"] = os.listdir(given["repository"] + "/evaluation/cases")',
    "import the graphs": 'import labwright.graphs.questions; answer["got"] = 1',
    "import the agents": 'import labwright.agents.typed_call; answer["got"] = 1',
    "shared memory by key": "k = libc.shmget(4711, 4096, 0o1666); assert k >= 0; libc.shmctl(k, 0, None); answer['got'] = 1",  # noqa: E501
    "shared memory by name": 'f = open("/dev/shm/labwright-test", "w"); os.unlink(f.name); answer["got"] = 1',
    "renice the parent": 'os.setpriority(os.PRIO_PROCESS, given["process"], 0); answer["got"] = 1',
    "watch a file": 'f = libc.inotify_init(); assert libc.inotify_add_watch(f, given["secret"].encode(), 2) >= 0; answer["got"] = 1',  # noqa: E501
}
CLOSED = {
    "read process 1's environment": 'answer["got"] = len(open("/proc/1/environ", "rb").read()) >= 0',
    "read shadow passwords": 'answer["got"] = open("/etc/shadow").read()',
    "read root's home": 'answer["got"] = open("/root/.bashrc").read()',
    "write beside the interpreter": 'open(sys.prefix + "/x", "w"); answer["got"] = 1',
    "write into our package": 'import labwright; open(labwright.__file__, "a"); answer["got"] = 1',
    "look up a name": 'answer["got"] = socket.getaddrinfo("example.org", 80)',
    "raw packets": 's = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); answer["got"] = 1',
    "become root": 'os.setuid(0); answer["got"] = 1',
    "become the person": 'os.setresuid(1000, 1000, 1000); answer["got"] = 1',
    "run a set-uid program": 'import subprocess; t = subprocess.run(["su", "-c", "id"], capture_output=True, input=b"");'  # noqa: E501
    ' assert b"uid=0" in t.stdout; answer["got"] = 1',
    "mount": 'assert libc.mount(b"tmpfs", b".", b"tmpfs", 0, None) == 0; answer["got"] = 1',
    "unmount": 'assert libc.umount2(b"/usr", 2) == 0; answer["got"] = 1',
    "remount for writing": 'assert libc.mount(None, b"/usr", None, 4096 | 32, None) == 0; answer["got"] = 1',
    "new user namespace": 'assert libc.unshare(0x10000000) == 0; answer["got"] = 1',
    "new user namespace by clone": "assert libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0) >= 0; answer['got'] = 1",
    "leave a chroot": 'os.mkdir("c"); os.chroot("c"); answer["got"] = 1',
    "trace the server": 'assert libc.ptrace(16, os.getppid(), None, None) == 0; answer["got"] = 1',
    "read the server's memory": 'open(f"/proc/{os.getppid()}/mem", "rb"); answer["got"] = 1',
    "take the server's pipes": 'answer["got"] = os.listdir(f"/proc/{os.getppid()}/fd")',
    "take a descriptor of the server": "p = os.pidfd_open(os.getppid()); f = libc.syscall(438, p, 1, 0);"
    " assert f >= 0; answer['got'] = f",
    "signal the server by descriptor": "p = os.pidfd_open(os.getppid()); assert libc.syscall(424, p, 9, None, 0) == 0;"
    " answer['got'] = 1",
    "raise a limit": 'import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1)); answer["got"] = 1',
    "limit the server": "assert libc.prlimit(os.getppid(), 7, (ctypes.c_ulong * 2)(0, 0), None) == 0; answer['got'] = 1",  # noqa: E501
    "ring for input and output": "assert libc.syscall(425, 8, (ctypes.c_char * 256)()) >= 0; answer['got'] = 1",
    "load code into the kernel": "assert libc.syscall(321, 0, (ctypes.c_char * 128)(), 128) >= 0; answer['got'] = 1",
    "open by handle": "assert libc.syscall(304, -100, (ctypes.c_char * 128)(), 0) >= 0; answer['got'] = 1",
    "type into a terminal": "import fcntl; fcntl.ioctl(0, 0x5412, b'x'); answer['got'] = 1",
    "a device node": "os.mknod('d', 0o20666, os.makedev(1, 1)); answer['got'] = 1",
    "the machine's memory": "open('/dev/mem', 'rb'); answer['got'] = 1",
    "the machine's disk": "open('/dev/vda', 'rb'); answer['got'] = 1",
}


@pytest.mark.parametrize("attack", [*OPEN, *CLOSED])
def test_the_attacker_does_not_get_it(
    attack: str, server: ForkServer, bait: dict[str, Any], given: dict[str, Any]
) -> None:
    source = PREFIX + {**OPEN, **CLOSED}[attack]
    with pytest.raises(SandboxedFailure) as failure:
        server.call({"source": source, "given": given})
    assert failure.value.ending == "failed"  # refused; a time-out would prove nothing
    assert failure.value.kind not in ("SyntaxError", "NameError", "TypeError", "AttributeError")
    assert bait["word"] not in failure.value.detail
    assert Path(bait["secret"]).read_text() == bait["word"]
    assert not Path(bait["outside"]).exists()
    for listener in bait["listeners"]:
        with pytest.raises(BlockingIOError):
            listener.accept()


@pytest.mark.parametrize("attack", sampled(OPEN))
def test_without_a_sandbox_the_same_attack_succeeds(
    attack: str, bait: dict[str, Any], given: dict[str, Any], tmp_path: Path
) -> None:
    if attack.startswith("delete"):
        Path(given["outside"]).touch()
    names = {"given": {**given, "process": os.getpid()}, "answer": {}}
    code = f"names = {names!r}\nexec({PREFIX + OPEN[attack]!r}, names)\nassert names['answer']['got']"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, timeout=30, check=False)
    for left in (given["outside"], given["outside"] + "-folder"):
        if Path(left).is_dir():
            Path(left).rmdir()
        Path(left).unlink(missing_ok=True)
    for listener in bait["listeners"]:  # what called here is no find of the attacks that come after
        with contextlib.suppress(BlockingIOError):
            while True:
                listener.accept()[0].close()
    assert done.returncode == 0, done.stderr.decode()


def test_memory_is_bounded(server: ForkServer) -> None:
    with pytest.raises(SandboxedFailure) as failure:
        server.call({"source": "x = bytearray(8 << 30)"})
    assert failure.value.ending == "memory"


def test_an_endless_loop_ends(server: ForkServer) -> None:
    with pytest.raises(SandboxedFailure) as failure:
        server.call({"source": "while True: pass"}, Limits(wall_seconds=0.3))
    assert failure.value.ending == "timeout"


def test_sleep_through_every_signal_ends(server: ForkServer) -> None:
    source = "import signal, time\nfor n in range(1, 32):\n  if n not in (9, 19): signal.signal(n, signal.SIG_IGN)\ntime.sleep(60)"  # noqa: E501
    with pytest.raises(SandboxedFailure) as failure:
        server.call({"source": source}, Limits(wall_seconds=0.3))
    assert failure.value.ending == "timeout"


@pytest.mark.slow
def test_processor_time_is_of_all_threads_together(server: ForkServer) -> None:
    source = """
import threading, hashlib
def spin():
    while True: hashlib.sha256(bytes(1 << 20)).digest()
threads = [threading.Thread(target=spin, daemon=True) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
"""
    with pytest.raises(SandboxedFailure) as failure:
        server.call({"source": source}, Limits(cpu_seconds=0.4, wall_seconds=8))
    assert failure.value.ending == "timeout"


def test_a_large_file_is_cut_off(server: ForkServer) -> None:
    source = "f = open('big', 'wb')\nfor _ in range(1024): f.write(bytes(1 << 20))"
    with pytest.raises(SandboxedFailure) as failure:
        server.call({"source": source}, Limits(file_mb=4))
    assert failure.value.ending == "overflow"


def test_a_large_reply_is_refused(server: ForkServer) -> None:
    with pytest.raises(SandboxedFailure) as failure:
        server.call({"source": "answer['x'] = 'a' * (1 << 20)"}, Limits(output_kb=64))
    assert failure.value.ending == "overflow"


def test_a_fork_bomb_stops_and_leaves_nothing(server: ForkServer) -> None:
    source = "import os, time\nwhile True:\n  try: os.fork()\n  except OSError: time.sleep(60)"
    with pytest.raises(SandboxedFailure) as failure:
        server.call({"source": source}, Limits(wall_seconds=0.5, processes=16))
    assert failure.value.ending == "timeout"
    counted = server.call({"source": "import os\nanswer['child'] = os.getpid()"})
    assert counted["answer"]["child"] > 1


def test_every_confined_process_has_one_host_name() -> None:
    sandbox = open_sandbox()
    if sandbox.level not in ("bubblewrap", "namespaces"):
        pytest.skip("only a root of its own brings a name of its own")
    said = sandbox.run(["python", "-c", "import os; print(os.uname().nodename)"]).stdout
    assert said == b"confined\n"
