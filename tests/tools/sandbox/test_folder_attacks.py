"""What work on a folder tries, and does not get. The quiet attacks share one confined run, the loud have their own.

Each snippet sets ``got`` if it gets what it wants. The control runs the same snippets without a sandbox.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labwright.tools.sandbox import FolderRun, Limits, run_in_folder
from labwright.tools.sandbox.confined import ConfinedSandbox

RUNNER = """
import ctypes, json, os, signal, socket, sys, traceback
libc = ctypes.CDLL(None, use_errno=True)
given, attacks, results = json.load(open("given.json")), json.load(open("attacks.json")), {}
for name, source in attacks.items():
    receive, give = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(10)
        os.close(receive)
        names = {"given": given, "got": None, "libc": libc, "ctypes": ctypes, "os": os, "socket": socket, "sys": sys}
        try:
            exec(source, names)
            answer = {"got": names["got"], "kind": ""}
        except BaseException as error:
            answer = {"got": None, "kind": type(error).__name__, "message": str(error)[:200]}
        os.write(give, json.dumps(answer, default=str).encode())
        os._exit(0)
    os.close(give)
    with os.fdopen(receive, "rb") as file:
        said = file.read()
    os.waitpid(child, 0)
    results[name] = json.loads(said) if said else {"got": None, "kind": "died"}
json.dump(results, open("results.json", "w"))
"""

# The control shows that these do succeed where nothing confines; all of them are harmless there.
OPEN = {
    "read a secret": 'got = open(given["secret"]).read()',
    "read a secret through a link": 'os.symlink(given["secret"], "l1"); got = open("l1").read()',
    "read a secret through a hard link": 'os.link(given["secret"], "h1"); got = open("h1").read()',
    "read a secret by ctypes": 'd = libc.open(given["secret"].encode(), 0); assert d >= 0; got = os.read(d, 99)',
    "read a secret by a raw call": 'd = libc.syscall(257, -100, given["secret"].encode(), 0); assert d >= 0; got = 1',
    "read a secret by a program": 'import subprocess; got = subprocess.run(["cat", given["secret"]], capture_output=True, check=True).stdout',  # noqa: E501
    "read a secret through /proc": 'got = open("/proc/self/root" + given["secret"]).read()',
    "change a secret": 'open(given["secret"], "a").write(""); got = 1',
    "truncate a secret": 'os.truncate(given["secret"], 32); got = 1',
    "change a secret's mode": 'os.chmod(given["secret"], 0o666); got = 1',
    "write outside": 'open(given["outside"], "w").write("x"); got = 1',
    "make a folder outside": 'os.mkdir(given["outside"] + "-folder"); got = 1',
    "move a file out": 'open("m", "w"); os.rename("m", given["folder"] + "/moved"); got = 1',
    "delete outside": 'os.unlink(given["doomed"]); got = 1',
    "read another run": 'got = open(given["other"] + "/data.json").read()',
    "list the runs": 'got = os.listdir(given["runs"])',
    "write into another run": 'open(given["other"] + "/data.json", "a").write(""); got = 1',
    "change the shared toolset": 'open(given["toolset"] + "/good.py", "a").write(""); got = 1',
    "add to the shared toolset": 'open(given["toolset"] + "/bad.py", "w").write(""); got = 1',
    "climb out of the folder": 'got = [n for n in os.listdir("../" * 20) if n in ("proc", "root", "work-folder")] and open("../" * 20 + given["secret"]).read()',  # noqa: E501
    "connect to a port here": 'socket.create_connection(("127.0.0.1", given["port"]), 2); got = 1',
    "connect to a named socket": "s = socket.socket(socket.AF_UNIX); s.connect(given['named']); got = 1",
    "connect to an abstract socket": "s = socket.socket(socket.AF_UNIX); s.connect(given['abstract']); got = 1",
    "open a datagram socket": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM); got = 1",
    "open a socket by ctypes": "assert libc.socket(2, 1, 0) >= 0; got = 1",
    "open a packet socket": "assert libc.syscall(41, 16, 3, 0) >= 0; got = 1",
    "read an environment variable": 'got = os.environ["LABWRIGHT_TEST_SECRET"]',
    "read the parent's environment": 'got = open(f"/proc/{given[\'process\']}/environ", "rb").read()',
    "read the parent's command line": "got = open(f\"/proc/{given['process']}/cmdline\").read()",
    "enter the parent's root": "got = os.listdir(f\"/proc/{given['process']}/root\")",
    "take the parent's descriptors": "got = os.listdir(f\"/proc/{given['process']}/fd\")",
    "read the parent's memory": 'open(f"/proc/{given[\'process\']}/mem", "rb"); got = 1',
    "signal the parent": 'os.kill(given["process"], 0); got = 1',
    "signal the parent by descriptor": 'd = os.pidfd_open(given["process"]); assert libc.syscall(424, d, 0, None, 0) == 0; got = 1',  # noqa: E501
    "renice the parent": 'os.setpriority(os.PRIO_PROCESS, given["process"], 0); got = 1',
    "see other processes": "got = [p for p in os.listdir('/proc') if p.isdigit() and int(p) > 200]",
    "enter another's network": "d = os.open(f\"/proc/{given['process']}/ns/net\", 0); got = 1",
    "change how the kernel dumps": "os.close(os.open('/proc/sys/kernel/core_pattern', os.O_WRONLY)); got = 1",
    "escape the memory killer": "open('/proc/self/oom_score_adj', 'w').write('-5'); got = 1",
    "read the kernel's symbols": "got = open('/proc/kallsyms').read(100)",
    "read the kernel's command line": "got = open('/proc/cmdline').read()",
    "read the kernel's settings": "got = os.listdir('/proc/sys')",
    "read the machine's locks": "open('/proc/locks').close(); got = os.stat('/proc/locks').st_rdev == 0",
    "read the machine's devices": "got = os.listdir('/sys/class')",
    "read shared memory of others": 'got = open(given["shared"]).read()',
    "shared memory by key": "k = libc.shmget(4712, 4096, 0o1666); assert k >= 0; libc.shmctl(k, 0, None); got = 1",
    "watch a file": 'f = libc.inotify_init(); assert libc.inotify_add_watch(f, given["secret"].encode(), 2) >= 0; got = 1',  # noqa: E501
    "read the repository": 'got = os.listdir(given["repository"] + "/tests")',
    "read the repository's history": 'got = open(given["history"]).read()',
    "import the graphs": "import labwright.graphs.questions; got = 1",
}
CLOSED = {
    # without a control: what a test's process has open depends on who runs the tests
    "use an inherited descriptor": "got = [d for d in range(3, 64) if os.path.isfile(f'/proc/self/fd/{d}')]",
    "press the system request key": "os.close(os.open('/proc/sysrq-trigger', os.O_WRONLY)); got = 1",
    "read shadow passwords": "got = open('/etc/shadow').read()",
    "read root's home": "got = open('/root/.bashrc').read()",
    "write beside the interpreter": "open(sys.prefix + '/x', 'w'); got = 1",
    "write into site-packages": "import numpy; open(numpy.__file__, 'a'); got = 1",
    "plant a path file": "import numpy, os.path as p; open(p.dirname(p.dirname(numpy.__file__)) + '/x.pth', 'w'); got = 1",  # noqa: E501
    "plant a sitecustomize": "import numpy, os.path as p; open(p.dirname(p.dirname(numpy.__file__)) + '/sitecustomize.py', 'w'); got = 1",  # noqa: E501
    "write into our tools": "import labwright; open(labwright.__path__[0] + '/tools/x.py', 'w'); got = 1",
    "write through the interpreter's memory": "open('/proc/self/exe', 'r+b'); got = 1",
    "become root": "os.setuid(0); got = 1",
    "become another": "os.setresuid(1000, 1000, 1000); got = 1",
    "become root by a set-uid copy": "import shutil, subprocess; shutil.copy('/usr/bin/id', 'id'); os.chmod('id', 0o4755); assert b'uid=0' in subprocess.run(['./id'], capture_output=True).stdout; got = 1",  # noqa: E501
    "run a set-uid program": "import subprocess; assert b'uid=0' in subprocess.run(['su', '-c', 'id'], capture_output=True, input=b'').stdout; got = 1",  # noqa: E501
    "mount": "assert libc.mount(b'tmpfs', b'.', b'tmpfs', 0, None) == 0; got = 1",
    "mount a second /proc": "os.mkdir('p'); assert libc.mount(b'proc', b'p', b'proc', 0, None) == 0; got = 1",
    "uncover /proc": "assert libc.umount2(b'/proc/sys', 2) == 0 or libc.umount2(b'/proc/kcore', 2) == 0; got = 1",
    "remount /proc for writing": "assert libc.mount(None, b'/proc', None, 4096 | 32, None) == 0; got = 1",
    "new user namespace": "assert libc.unshare(0x10000000) == 0; got = 1",
    "join the first namespace": "d = os.open('/proc/1/ns/mnt', 0); assert libc.setns(d, 0) == 0; got = 1",
    "leave a chroot": "os.mkdir('c'); os.chroot('c'); got = 1",
    "process 1's environment": "got = open('/proc/1/environ', 'rb').read()",
    "process 1's memory": "open('/proc/1/mem', 'rb'); got = 1",
    "process 1's root": "got = os.listdir('/proc/1/root')",
    "process 1's descriptors": "got = os.listdir('/proc/1/fd')",
    "trace process 1": "assert libc.ptrace(16, 1, None, None) == 0; got = 1",
    "trace a brother": "assert libc.ptrace(16, os.getppid(), None, None) == 0; got = 1",
    "read process 1's memory by a call": "b = ctypes.create_string_buffer(8); v = (ctypes.c_void_p * 2)(ctypes.addressof(b), 8); assert libc.process_vm_readv(1, v, 1, (ctypes.c_void_p * 2)(4096, 8), 1, 0) > 0; got = 1",  # noqa: E501
    "the machine's memory": "open('/dev/mem', 'rb'); got = 1",
    "the machine's disk": "open('/dev/vda', 'rb'); got = 1",
    "the kernel's memory": "got = open('/proc/kcore', 'rb').read(4)",
    "the kernel's keys": "got = open('/proc/keys').read()",
    "a device node": "os.mknod('d', 0o20666, os.makedev(1, 1)); got = 1",
    "raise a limit": "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1)); got = 1",
    "limit process 1": "assert libc.prlimit(1, 7, (ctypes.c_ulong * 2)(0, 0), None) == 0; got = 1",
    "load code into the kernel": "assert libc.syscall(321, 0, (ctypes.c_char * 128)(), 128) >= 0; got = 1",
    "ring for input and output": "assert libc.syscall(425, 8, (ctypes.c_char * 256)()) >= 0; got = 1",
    "the cgroup's limits": "import glob; got = [open(p, 'a') for p in glob.glob('/sys/fs/cgroup/**/*.max', recursive=True)] and 1",  # noqa: E501
    "look up a name": "got = socket.getaddrinfo('example.org', 80)",
    "read the home folder's keys": "got = os.listdir(os.path.expanduser('~root') + '/.ssh')",
}
# Innocent refusals would prove nothing: the snippet itself must have worked up to the wall.
MISTAKES = ("SyntaxError", "NameError", "TypeError", "AttributeError", "died")


@pytest.fixture(scope="module")
def lair(bait: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The bait, and beside it another run, a shared toolset and shared memory; all open to whoever is not confined."""
    root = tmp_path_factory.mktemp("lair")
    for name in ("runs/other", "toolset"):
        (root / name).mkdir(parents=True)
    (root / "runs/other/data.json").write_text(bait["word"])
    (root / "toolset/good.py").write_text("GOOD = 1\n")
    (root / "doomed").touch()
    shared = Path("/dev/shm", f"labwright-test-{os.getpid()}")
    shared.write_text(bait["word"])
    for path in (root, *root.rglob("*"), shared):
        path.chmod(0o777)
    plain = {name: value for name, value in bait.items() if name not in ("listeners", "word")}
    places = {"runs": str(root / "runs"), "other": str(root / "runs/other"), "toolset": str(root / "toolset")}
    folder = str(Path(bait["secret"]).parent)
    yield {**plain, **places, "doomed": str(root / "doomed"), "shared": str(shared), "folder": folder}
    shared.unlink()


def fill(folder: Path, attacks: dict[str, str], given: dict[str, Any]) -> None:
    (folder / "runner.py").write_text(RUNNER)
    (folder / "attacks.json").write_text(json.dumps(attacks))
    (folder / "given.json").write_text(json.dumps(given))


@pytest.fixture(scope="module")
def tried(
    sandbox: ConfinedSandbox, lair: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], FolderRun]:
    folder = tmp_path_factory.mktemp("workspace")
    fill(folder, {**OPEN, **CLOSED}, lair)
    run = run_in_folder(sandbox, ["python", "runner.py"], folder, limits=Limits(wall_seconds=60))
    assert run.completed.ending == "ok", run.completed
    return json.loads((folder / "results.json").read_text()), run


@pytest.mark.parametrize("attack", [*OPEN, *CLOSED])
def test_the_attacker_does_not_get_it(attack: str, tried: tuple[dict[str, Any], FolderRun]) -> None:
    result = tried[0][attack]
    assert not result["got"], result
    assert result["kind"] not in MISTAKES, result


def test_nothing_happened_outside(
    tried: tuple[dict[str, Any], FolderRun], lair: dict[str, Any], bait: dict[str, Any], sandbox: ConfinedSandbox
) -> None:
    assert tried[1].completed.level == sandbox.level
    assert Path(lair["secret"]).read_text() == bait["word"]
    assert Path(lair["other"], "data.json").read_text() == bait["word"]
    assert os.listdir(lair["toolset"]) == ["good.py"]  # noqa: PTH208
    assert Path(lair["doomed"]).exists()
    assert not Path(lair["folder"], "moved").exists()
    for listener in bait["listeners"]:
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert "l1" in tried[1].rejected  # the link that it did make did not come back
    assert "l1" not in tried[1].changed


@pytest.fixture(scope="module")
def without(lair: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The results of the same snippets where nothing confines them."""
    folder = tmp_path_factory.mktemp("unconfined")
    fill(folder, OPEN, {**lair, "process": os.getpid()})
    descriptor = os.open(lair["secret"], os.O_RDONLY)
    try:
        subprocess.run(
            [sys.executable, "runner.py"],
            cwd=folder,
            pass_fds=[descriptor],
            capture_output=True,
            timeout=60,
            check=True,
        )
    finally:
        os.close(descriptor)
    Path(lair["doomed"]).touch()
    for left in ("bad.py", "moved"):
        Path(lair["toolset"], left).unlink(missing_ok=True)
        Path(lair["folder"], left).unlink(missing_ok=True)
    Path(lair["outside"]).unlink(missing_ok=True)
    if Path(lair["outside"] + "-folder").is_dir():
        Path(lair["outside"] + "-folder").rmdir()
    return dict(json.loads((folder / "results.json").read_text()))


@pytest.mark.parametrize("attack", OPEN)
def test_without_a_sandbox_the_same_attack_succeeds(attack: str, without: dict[str, Any]) -> None:
    if os.getuid() != 0 and "kernel" in attack:
        pytest.skip("only root could do it without a sandbox")
    assert without[attack]["got"], without[attack]


LOUD = {
    "memory": ("x = bytearray(8 << 30)", Limits(memory_mb=512), ("memory",)),
    "memory in pieces": ("x = []\nwhile True: x.append(bytearray(1 << 20))", Limits(memory_mb=512), ("memory",)),
    "endless loop": ("while True: pass", Limits(wall_seconds=1), ("timeout",)),
    "sleep through every signal": (
        "import signal, time\nfor n in range(1, 32):\n  if n not in (9, 19): signal.signal(n, signal.SIG_IGN)\n"
        "time.sleep(60)",
        Limits(wall_seconds=5),
        ("timeout",),
    ),
    "processor time": ("while True: pass", Limits(cpu_seconds=1, wall_seconds=20), ("timeout",)),
    "fork bomb": (
        "import os, time\nwhile True:\n  try: os.fork()\n  except OSError: time.sleep(60)",
        Limits(wall_seconds=3, processes=16),
        ("timeout",),
    ),
    "thread bomb": (
        "import threading, time\nwhile True:\n  threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        Limits(wall_seconds=5, processes=16),
        ("failed",),
    ),
    "one large file": (
        "f = open('big', 'wb')\nfor _ in range(99): f.write(bytes(1 << 20))",
        Limits(file_mb=4),
        ("overflow", "failed"),
    ),
    "many files": (
        "import time\nfor n in range(10**6): open(f'f{n}', 'w')",
        Limits(file_mb=1, wall_seconds=20),
        ("overflow",),
    ),
    "files nested out of sight": (
        "import os\nfor n in range(3000): os.mkdir('d'); os.chdir('d')\nopen('f', 'wb').write(bytes(1 << 19))",
        Limits(file_mb=1),
        ("overflow",),
    ),
    "output": ("while True: print('x' * 100000)", Limits(output_kb=64), ("overflow",)),
    "shared memory": (
        "f = open('/dev/shm/x', 'wb')\nfor _ in range(99): f.write(bytes(1 << 20))",
        Limits(file_mb=256),
        ("failed",),
    ),
    "end everything in sight": (
        "import os\nfor p in (-1, 1, os.getppid()):\n  try: os.kill(p, 9)\n  except OSError: pass\nraise SystemExit(3)",
        Limits(),
        ("failed", "killed"),
    ),
}


USUAL = ("output", "memory")  # the others where slow tests run


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name not in USUAL)) for name in LOUD])
def test_the_loud_ones_are_ended(name: str, sandbox: ConfinedSandbox, tmp_path: Path) -> None:
    code, limits, endings = LOUD[name]
    (tmp_path / "loud.py").write_text("open('before.txt', 'w').write('kept')\n" + code)
    done = run_in_folder(sandbox, ["python", "-S", "loud.py"], tmp_path, limits=limits).completed
    assert done.ending in endings, done
    assert done.seconds < 20
    assert (tmp_path / "before.txt").read_text() == "kept"  # what was made in time came back, whatever the end
    assert not [path for path in tmp_path.iterdir() if path.stat().st_size > 4 << 20]


def test_a_daemon_ends_with_its_run(sandbox: ConfinedSandbox, tmp_path: Path) -> None:
    code = (
        "import os, time\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n"
        "    os.close(1); os.close(2); time.sleep(20); open('late', 'w')\n  os._exit(0)\n"
    )
    (tmp_path / "s.py").write_text(code)
    run = run_in_folder(sandbox, ["python", "-S", "s.py"], tmp_path)
    assert (run.completed.ending, run.changed) == ("ok", [])
    assert run.completed.seconds < 15


def test_what_one_run_plants_the_next_does_not_start(sandbox: ConfinedSandbox, tmp_path: Path) -> None:
    """Path files and start-up modules in the workspace: Python runs such by itself, where it finds them."""
    plant = """
import os, sys
site = f".local/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
for folder in (".", ".scratch", os.environ["HOME"]):
    os.makedirs(f"{folder}/{site}", exist_ok=True)
    for place in (folder, f"{folder}/{site}"):
        open(f"{place}/evil.pth", "w").write("import os; os.environ['STARTED'] = 'pth'\\n")
        for name in ("sitecustomize", "usercustomize"):
            open(f"{place}/{name}.py", "w").write("import os; os.environ['STARTED'] = 'customize'\\n")
open(".pythonrc.py", "w"); open("pyvenv.cfg", "w").write("home = /tmp\\n")
"""
    (tmp_path / "plant.py").write_text(plant)
    (tmp_path / "next.py").write_text("import os, numpy\nopen('said', 'w').write(os.environ.get('STARTED', 'nothing'))")
    first = run_in_folder(sandbox, ["python", "plant.py"], tmp_path)
    assert "sitecustomize.py" in first.changed
    run_in_folder(sandbox, ["python", "next.py"], tmp_path)
    assert (tmp_path / "said").read_text() == "nothing"


@pytest.mark.slow
def test_two_runs_at_once_do_not_see_each_other(sandbox: ConfinedSandbox, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "a/hold.py").write_text("import time\nopen('mine', 'w').write('word')\ntime.sleep(6)")
    look = """import glob, json
found = []
for path in glob.glob("/tmp/**/mine", recursive=True):
    try:
        found.append(open(path).read())
    except PermissionError:  # Landlock hides no names, but nothing behind them can be read
        pass
print(json.dumps(found))
"""
    (tmp_path / "b/look.py").write_text(look)
    holder = threading.Thread(target=run_in_folder, args=(sandbox, ["python", "hold.py"], tmp_path / "a"))
    holder.start()
    seen = [run_in_folder(sandbox, ["python", "look.py"], tmp_path / "b").completed.stdout for _ in range(3)]
    holder.join(30)
    assert seen == [b"[]\n"] * 3
