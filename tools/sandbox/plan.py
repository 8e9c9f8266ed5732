"""What a confined process may see, as plain data: made outside, carried out by the process itself before it obeys."""

from __future__ import annotations

import json
import os
import stat
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from labwright.tools.errors import SandboxUnavailableError
from labwright.tools.sandbox.base import Level

SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts")
DEVICES, RANDOM = ("/dev/null", "/dev/zero"), ("/dev/urandom", "/dev/random")
SERVING = ("tools",)  # of our package, for what is imported once a process is confined
STARTING = (
    "tools/__init__.py",
    "tools/errors.py",
    "tools/sandbox",
)  # for levels that begin anew inside a root of their own
WORK = "/work-folder"  # of the confined process, on the levels that build it a root of its own
HOST = "confined"  # the name of every machine, inside
SHARED_MB = 64  # of /dev/shm, as containers have it
# What numerical packages read of the machine; the kernel's settings, symbols, keys, locks and the rest are covered.
PROC_SHOWN = frozenset("cpuinfo filesystems loadavg meminfo stat uptime version vmstat".split())


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that a confined process is told.

    Attributes:
        level: how it is confined.
        mode: ``run`` a command or ``serve`` a function.
        user: id to run as if the process starts as root; 0 keeps the person's own.
        userns: whether bubblewrap shall make a user namespace although it starts as root.
        bubblewrap: path of the program; empty for the other levels.
        source: folder that holds the package `labwright`.
        readable: path inside -> path outside.
        listable: folders whose names may be read (Landlock only; the other levels do not show what they do not bind).
        links: symbolic links to make.
        closed: the interpreter lies under a folder that is closed to other users, and is used where it lies.
        folder: of the work, inside.
        bound: the work folder outside; empty if it is made in memory.
        root: an empty folder to mount on.
        environment: complete.
        limits: of `Limits`, plain.
        processes: limit on processes of this user id, those outside included where they count.
        argv: of the command.
        function: to serve, as ``module:name``.
        preload: modules.
        proc: whether a ``/proc`` of its own processes and a ``/dev/shm`` are mounted; with a root of its own only.
        still: without random devices, and with the same addresses in every process where the kernel lets us.
    """

    level: Level
    mode: str
    user: int
    userns: bool
    bubblewrap: str
    source: str
    readable: dict[str, str]
    listable: list[str]
    links: dict[str, str]
    closed: bool
    folder: str
    bound: str
    root: str
    environment: dict[str, str]
    limits: dict[str, Any]
    processes: int
    argv: list[str] = field(default_factory=list)
    function: str = ""
    preload: list[str] = field(default_factory=list)
    proc: bool = False
    still: bool = False

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """The plan of `to_json`."""
        return cls(**json.loads(text))

    @property
    def devices(self) -> tuple[str, ...]:
        """Device files that are there."""
        return DEVICES if self.still else (*DEVICES, *RANDOM)

    @property
    def own_root(self) -> bool:
        """Whether the process gets a root and process ids of its own."""
        return self.level in ("bubblewrap", "namespaces")


def source_folder() -> Path:
    """The folder from which `labwright` is imported."""
    return Path(__file__).absolute().parents[3]


def readable_paths(ours: Sequence[str] = ()) -> dict[str, str]:
    """What the interpreter needs: path inside -> real path outside. Of our own package only `results`, from a checkout.

    Args:
        ours: further parts of the package, such as `SERVING`.

    Raises:
        SandboxUnavailableError: the interpreter lies where binding it would show everything.
    """
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, sysconfig.get_paths()["purelib"]}
    prefixes |= {str(Path(sys.executable).resolve().parents[1])}
    home = Path.home().resolve()
    for prefix in prefixes:
        if home.is_relative_to(Path(prefix).resolve()) and not prefix.startswith("/usr"):
            raise SandboxUnavailableError(
                f"The interpreter's folder {prefix} holds the home folder, so nothing could be hidden from confined"
                " code. Use a virtual environment in a folder of its own."
            )
    found = {path: path for path in sorted(prefixes) if Path(path).exists()}
    package = source_folder() / "labwright"
    for part in ("__init__.py", "results.py", *ours):
        found[str(package / part)] = str((package / part).resolve())
    for path in SYSTEM:
        if Path(path).exists() and not Path(path).is_symlink():
            found[path] = path
    return {
        inside: outside
        for inside, outside in found.items()
        if not any(inside != other and Path(inside).is_relative_to(other) for other in found)
    }


def system_links() -> dict[str, str]:
    """System folders that are links, such as ``/lib -> usr/lib``."""
    return {path: str(Path(path).readlink()) for path in SYSTEM if Path(path).is_symlink()}


def environment(home: str, threads: int = 1) -> dict[str, str]:
    """The whole environment of confined code.

    One thread for the linear algebra unless more are asked for: candidates are small, and a process limit would break
    its pool. A fixed hash seed, so that the same code says the same in the next server. No packages of the user's: they
    would be looked for in the work folder, where earlier code could have put some.
    """
    places = dict.fromkeys(("HOME", "TMPDIR", "MPLCONFIGDIR", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"), home)
    libraries = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA", "RAYON")
    counts = {f"{library}_NUM_THREADS": str(threads) for library in libraries}
    fixed = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "USER": "nobody", "MPLBACKEND": "Agg", "PYTHONHASHSEED": "0"}
    quiet = {
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONUNBUFFERED": "1",
        "QISKIT_PARALLEL": "FALSE",
    }
    return {**places, **counts, **fixed, **quiet}


def hidden_in_proc() -> tuple[list[str], list[str]]:
    """Folders and files of a procfs that are covered, as ``/proc/sys``: all that `PROC_SHOWN` does not name."""
    found = [entry for entry in sorted(Path("/proc").iterdir()) if not entry.name.isdigit() and not entry.is_symlink()]
    covered = [entry for entry in found if entry.name not in PROC_SHOWN]
    folders = [str(entry) for entry in covered if entry.is_dir()]
    return folders, [str(entry) for entry in covered if str(entry) not in folders]


def processes_of(user: int) -> int:
    """Threads that `user` runs now: a limit on processes counts them too where there is no user namespace."""
    total = 0
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if entry.stat().st_uid == user:
                total += len(os.listdir(entry / "task"))  # noqa: PTH208 - only the number is wanted
        except (FileNotFoundError, PermissionError, ProcessLookupError):
            continue  # it ended meanwhile
    return total


def closed_to_others(paths: dict[str, str]) -> bool:
    """Whether another user could not reach one of the paths, as under a home folder of mode 0700."""
    folders = {above for path in paths.values() for above in Path(path).resolve().parents}
    return any(not folder.stat().st_mode & stat.S_IXOTH for folder in folders)
